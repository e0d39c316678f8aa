"""`memforest runs, show, compare, why, compress, data`."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from memforest.cli import main
from memforest.datasets.manifest import manifest
from tests.e2e.desk import SMALL, Desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Three runs on the same questions, one on others, and one that was killed."""
    made = Desk(tmp_path_factory.mktemp("commands"))
    for overrides in (["compressor=random_pruning"], ["compressor=random_pruning", "seed=1"], ["dataset.units=3"]):
        made.finish(*SMALL, *overrides)
    (made.outputs / "runs" / "synthetic-killed.partial-12345678-x").mkdir()
    (made.outputs / "runs" / "synthetic-killed.partial-12345678-x" / "questions.jsonl").write_text("{}\n{}\n")
    return made


@pytest.fixture
def say(desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs the command in this process, at the desk."""
    monkeypatch.chdir(desk.folder)
    return Say(capsys)


class Say:
    """One command after another; what each printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Standard output of a command that ends with `code`; standard error is in `err`."""
        ended = 0
        try:
            main(arguments)
        except SystemExit as end:
            ended = end.code if isinstance(end.code, int) else 1
        said = self._capsys.readouterr()
        self.err = said.err
        assert ended == code, said
        return said.out


def run_id(desk: Desk, *parts: str) -> str:
    """The one run whose id holds the parts and whose questions are those of two units."""
    (found,) = [
        path.parent.name
        for path in (desk.outputs / "runs").glob("*/run.json")
        if all(part in path.parent.name for part in parts) and len(json.loads(path.read_bytes())["keys"]) == 2
    ]
    return found


def test_runs_lists_finished_and_unfinished_ones(desk: Desk, say: Say) -> None:
    lines = say("runs").splitlines()
    assert sum("finished" in line and "unfinished" not in line for line in lines) == 4
    assert [line.split()[0] for line in lines if "unfinished, 2 questions" in line] == ["synthetic-killed"]


def test_runs_in_an_empty_folder_says_so(say: Say, tmp_path: Path) -> None:
    assert say("runs", "--outputs", str(tmp_path)) == "no runs yet\n"


def test_show_prints_settings_metrics_and_folder(desk: Desk, say: Say) -> None:
    out = say("show", run_id(desk, "random_pruning", "seed1"))
    assert all(word in out for word in ("compressor:", "evidence_recall: ", "nodes_after: ", "folder: outputs/runs/"))


def test_show_as_json_parses_and_holds_the_metrics(desk: Desk, say: Say) -> None:
    name = run_id(desk, "random_pruning", "seed1")
    shown = json.loads(say("show", name, "--json"))
    assert shown["id"] == name
    assert shown["stale"] == []
    assert shown["metrics"] == json.loads((desk.outputs / "runs" / name / "metrics.json").read_bytes())
    assert shown["run"]["settings"]["seed"] == 1


def test_an_ambiguous_name_lists_the_runs_that_it_fits(desk: Desk, say: Say) -> None:
    say("show", "random_pruning", code=1)
    assert run_id(desk, "random_pruning", "seed0") in say.err
    assert run_id(desk, "random_pruning", "seed1") in say.err


def test_an_unknown_run_says_how_to_list_them(say: Say) -> None:
    say("show", "nothing", code=1)
    assert "memforest runs" in say.err


def test_an_unfinished_run_says_how_to_finish_it(say: Say) -> None:
    say("show", "killed", code=1)
    assert "unfinished" in say.err


def test_compare_gives_paired_differences_from_the_first_row(desk: Desk, say: Say) -> None:
    none, pruned = run_id(desk, "-none-"), run_id(desk, "random_pruning", "seed0")
    line = next(line for line in say("compare", none, pruned).splitlines() if line.startswith("random_pruning"))
    metrics = [json.loads((desk.outputs / "runs" / name / "metrics.json").read_bytes()) for name in (none, pruned)]
    difference = metrics[1]["evidence_recall"] - metrics[0]["evidence_recall"]
    assert f"{difference:.1f} [" in line


def test_seeds_of_one_configuration_are_one_row(desk: Desk, say: Say) -> None:
    names = [run_id(desk, "random_pruning", seed) for seed in ("seed0", "seed1")]
    rows = [line for line in say("compare", *names).splitlines() if line.startswith("random_pruning")]
    assert len(rows) == 1
    assert "±" in rows[0]
    assert "seed" not in rows[0].split("  ")[0]


def test_a_run_named_twice_is_one_run(desk: Desk, say: Say) -> None:
    name = run_id(desk, "random_pruning", "seed0")
    assert "±" not in say("compare", name, name)


def test_compare_refuses_runs_on_different_questions(desk: Desk, say: Say) -> None:
    three = next(
        path.parent.name
        for path in (desk.outputs / "runs").glob("*/run.json")
        if len(json.loads(path.read_bytes())["keys"]) == 3
    )
    say("compare", run_id(desk, "random_pruning", "seed0"), three, code=1)
    assert "same questions" in say.err


def test_compare_as_markdown_is_a_table(desk: Desk, say: Say) -> None:
    lines = say("compare", run_id(desk, "-none-"), run_id(desk, "seed0"), "--markdown").splitlines()
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
    assert len({line.count("|") for line in lines}) == 1


def test_why_tells_what_was_cached_and_that_the_run_is_fresh(desk: Desk, say: Say) -> None:
    lines = say("why", run_id(desk, "random_pruning", "seed1")).splitlines()
    assert lines[1].split()[:5] == ["build", "2", "cached,", "0", "computed,"]
    assert lines[2].split()[:5] == ["compress", "0", "cached,", "2", "computed,"]
    assert lines[-1].startswith("fresh")


@pytest.mark.parametrize("arguments", [["why", "nothing"], ["compare", "nothing"], ["data", "fetch", "nothing"]])
def test_errors_end_with_one_and_without_a_traceback(desk: Desk, arguments: Sequence[str]) -> None:
    said = desk.memforest(*arguments)
    assert said.code == 1
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err


def memories_file(folder: Path) -> Path:
    """Six memories in JSONL."""
    path = folder / "memories.jsonl"
    path.write_text(
        "".join(json.dumps({"id": f"m{n}", "text": f"kite number {n}", "time": n}) + "\n" for n in range(6))
    )
    return path


def test_compress_halves_a_file_and_leaves_it_as_it_was(say: Say, tmp_path: Path) -> None:
    source = memories_file(tmp_path)
    before, out = source.read_bytes(), tmp_path / "smaller.jsonl"
    say("compress", str(source), "--method", "tome", "--ratio", "0.5", "--out", str(out), "--embedder", "hashing")
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) == 3
    assert sorted(member for row in rows for member in row["members"]) == [f"m{n}" for n in range(6)]
    assert all({"id", "text", "time", "sources", "members"} <= set(row) for row in rows)
    assert json.loads((tmp_path / "smaller.jsonl.report.json").read_bytes())["after"]["nodes"] == 3
    assert source.read_bytes() == before


def test_compress_reads_what_it_wrote_when_a_text_has_an_unusual_line_end(say: Say, tmp_path: Path) -> None:
    source = tmp_path / "memories.jsonl"
    source.write_text(json.dumps({"text": "one\u2028two"}, ensure_ascii=False) + "\n", "utf-8")
    out = tmp_path / "out.jsonl"
    say("compress", str(source), "--method", "none", "--ratio", "0", "--out", str(out), "--embedder", "hashing")
    assert json.loads(out.read_text("utf-8"))["text"] == "one\u2028two"


@pytest.mark.parametrize(
    ("extra", "word"),
    [
        (["--ratio", "1", "--method", "tome"], "[0, 1)"),
        (["--ratio", "nan", "--method", "tome"], "[0, 1)"),
        (["--ratio", "0.5", "--method", "tomee"], "did you mean tome"),
        (["--ratio", "0.5", "--method", "memforest", "alfa=1"], "alfa"),
        (["--ratio", "0.5", "--method", "tome", "--merger", "glue"], "glue"),
    ],
)
def test_compress_refuses_bad_values_and_writes_nothing(say: Say, tmp_path: Path, extra: list[str], word: str) -> None:
    source = memories_file(tmp_path)
    say("compress", str(source), "--out", str(tmp_path / "out.jsonl"), "--embedder", "hashing", *extra, code=1)
    assert word in say.err
    assert list(tmp_path.iterdir()) == [source]


def test_compress_never_overwrites_its_input_even_when_forced(say: Say, tmp_path: Path) -> None:
    source = memories_file(tmp_path)
    before = source.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(source)
    for out in (source, tmp_path / "link.jsonl"):
        say("compress", str(source), "--method", "tome", "--ratio", "0.5", "--out", str(out), "--force", code=1)
        assert "never overwritten" in say.err
    assert source.read_bytes() == before


def test_compress_refuses_one_file_for_memories_and_report(say: Say, tmp_path: Path) -> None:
    out = str(tmp_path / "out.jsonl")
    say(
        "compress", str(memories_file(tmp_path)), "--method", "tome", "--ratio", "0.5", "--embedder", "hashing",
        "--out", out, "--report", out, code=1,
    )  # fmt: skip


def test_compress_asks_before_it_replaces_a_file(say: Say, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    command = ["compress", str(memories_file(tmp_path)), "--method", "none", "--ratio", "0", "--out", str(out)]
    say(*command, "--embedder", "hashing", code=1)
    assert out.read_text() == "mine"
    say(*command, "--embedder", "hashing", "--force")
    assert len(out.read_text().splitlines()) == 6


def test_fetch_shows_origin_and_licence_and_refuses_a_wrong_hash(say: Say, tmp_path: Path) -> None:
    wrong = tmp_path / "locomo10.json"
    wrong.write_text("[]")
    out = say("data", "fetch", "locomo", "--from", str(wrong), "--to", str(tmp_path / "data"), code=1)
    assert "CC BY-NC 4.0" in out
    assert hashlib.sha256(b"[]").hexdigest()[:12] in say.err
    assert list((tmp_path / "data").rglob("*.json")) == []


def test_fetch_of_a_missing_file_names_it(say: Say, tmp_path: Path) -> None:
    say("data", "fetch", "locomo", "--from", str(tmp_path / "no.json"), "--to", str(tmp_path / "data"), code=1)
    assert "no.json" in say.err


def test_fetch_puts_the_official_file_in_its_place(say: Say, tmp_path: Path, data_folder: Path) -> None:
    official = data_folder / manifest()["locomo"].path
    out = say("data", "fetch", "locomo", "--from", str(official), "--to", str(tmp_path))
    assert "verified" in out
    assert (tmp_path / "locomo" / "locomo10.json").read_bytes() == official.read_bytes()


def test_fetch_keeps_another_file_that_is_already_there(say: Say, tmp_path: Path, data_folder: Path) -> None:
    mine = tmp_path / "locomo" / "locomo10.json"
    mine.parent.mkdir()
    mine.write_text("[]")
    official = data_folder / manifest()["locomo"].path
    say("data", "fetch", "locomo", "--from", str(official), "--to", str(tmp_path), code=1)
    assert mine.read_text() == "[]"
    shutil.rmtree(tmp_path / "locomo")
