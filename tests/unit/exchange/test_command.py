"""`memforest compress`: a file in, a smaller one and a report out, and no file of the user's is ever lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main
from tests.builders import WORDS

ROWS: list[dict[str, Any]] = [
    {
        "id": f"r{place}",
        "text": f"{WORDS[place]} {WORDS[(place + 1) % 10]}",
        "time": "1:00 pm on 8 May, 2023",
        "user": "u",
    }
    for place in range(10)
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path / "in.jsonl")


def written(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(source: Path, out: Path, *extra: str, method: str = "tome", ratio: str = "0.5") -> None:
    main(
        [
            "compress",
            str(source),
            "--method",
            method,
            "--ratio",
            ratio,
            "--out",
            str(out),
            "--embedder",
            "hashing",
            *extra,
        ]
    )


def refused(capsys: pytest.CaptureFixture[str], source: Path, out: Path, *extra: str) -> str:
    with pytest.raises(SystemExit) as caught:
        run(source, out, *extra)
    assert caught.value.code == 1
    return capsys.readouterr().err


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_smaller_file_has_the_agreed_keys_and_a_report_stands_beside_it(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out.jsonl")
    rows = rows_of(tmp_path / "out.jsonl")
    assert len(rows) == 5
    assert all(list(row) == ["id", "text", "time", "sources", "members", "user"] for row in rows)
    assert {row["time"] for row in rows} == {"1:00 pm on 8 May, 2023"}
    report = json.loads((tmp_path / "out.jsonl.report.json").read_text())
    assert (report["before"]["nodes"], report["after"]["nodes"], report["ratio_realised"]) == (10, 5, 0.5)


def test_the_members_of_all_lines_are_the_input(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out.jsonl")
    members = [member for row in rows_of(tmp_path / "out.jsonl") for member in row["members"]]
    assert sorted(members) == sorted(row["id"] for row in ROWS)


@pytest.mark.parametrize("method", ["none", "memforest", "tome", "kmeans", "dart", "random", "random_merging"])
def test_ratio_zero_writes_every_memory_as_it_was(source: Path, tmp_path: Path, method: str) -> None:
    run(source, tmp_path / "out.jsonl", method=method, ratio="0")
    assert rows_of(tmp_path / "out.jsonl") == [{**row, "sources": [row["id"]], "members": [row["id"]]} for row in ROWS]


def test_a_smaller_file_can_be_made_smaller_again(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "half.jsonl")
    run(tmp_path / "half.jsonl", tmp_path / "less.jsonl")
    rows = rows_of(tmp_path / "less.jsonl")
    assert len(rows) == 2
    assert sorted(member for row in rows for member in row["members"]) == sorted(row["id"] for row in ROWS)


def test_the_same_command_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        run(source, tmp_path / name, method="memforest")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_given_vectors_are_written_and_a_named_embedder_leaves_them_out(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{**row, "embedding": [place, 1.0]} for place, row in enumerate(ROWS)])
    main(["compress", str(source), "--method", "tome", "--ratio", "0.5", "--out", str(tmp_path / "own.jsonl")])
    run(source, tmp_path / "anew.jsonl")
    assert all(len(row["embedding"]) == 2 for row in rows_of(tmp_path / "own.jsonl"))
    assert all("embedding" not in row for row in rows_of(tmp_path / "anew.jsonl"))


def test_the_settings_behind_the_options_reach_the_merger(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out.jsonl", "--merger", "extractive", "merger.max_words=2")
    assert max(len(row["text"].split()) for row in rows_of(tmp_path / "out.jsonl")) == 2


def test_how_merged_memories_get_vectors_can_be_chosen(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{**row, "embedding": [place, 1.0]} for place, row in enumerate(ROWS)])
    for name in ("mean", "interpolate"):
        out = tmp_path / f"{name}.jsonl"
        main(["compress", str(source), "--method", "tome", "--ratio", "0.7", "--out", str(out), "--reembedding", name])
        assert json.loads(Path(f"{out}.report.json").read_text())["reembedding"]["name"] == name
    assert rows_of(tmp_path / "mean.jsonl") != rows_of(tmp_path / "interpolate.jsonl")


def test_the_report_goes_where_it_is_asked_to(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out.jsonl", "--report", str(tmp_path / "facts.json"))
    assert json.loads((tmp_path / "facts.json").read_text())["method"]["name"] == "tome"
    assert not (tmp_path / "out.jsonl.report.json").exists()


def same(source: Path) -> Path:
    return source


def spelled_differently(source: Path) -> Path:
    return source.parent / "sub" / ".." / source.name


def symlink(source: Path) -> Path:
    link = source.parent / "link.jsonl"
    link.symlink_to(source)
    return link


def hardlink(source: Path) -> Path:
    link = source.parent / "hard.jsonl"
    os.link(source, link)
    return link


def linked_folder(source: Path) -> Path:
    (source.parent / "folder").symlink_to(source.parent, target_is_directory=True)
    return source.parent / "folder" / source.name


ALIASES: list[Callable[[Path], Path]] = [same, spelled_differently, symlink, hardlink, linked_folder]


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("option", ["--out", "--report"])
def test_the_input_is_never_overwritten_by_any_name_even_with_force(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], alias: Callable[[Path], Path], option: str
) -> None:
    (tmp_path / "sub").mkdir()
    before = source.read_bytes()
    target = alias(source)
    out = target if option == "--out" else tmp_path / "out.jsonl"
    error = refused(capsys, source, out, "--report", str(tmp_path / "facts" if out == target else target), "--force")
    assert "is the input, which is never overwritten" in error
    assert source.read_bytes() == before


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.report.json"])
def test_an_existing_file_is_kept_unless_forced(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name).write_text("a user's own")
    assert "exists; name another file, or replace it with --force" in refused(capsys, source, tmp_path / "out.jsonl")
    assert (tmp_path / name).read_text() == "a user's own"
    run(source, tmp_path / "out.jsonl", "--force")
    assert (tmp_path / name).read_text() != "a user's own"


def test_an_error_leaves_no_file_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path / "in.jsonl", [*ROWS, {"text": "x", "time": "soon"}])
    assert f"{source}, line 11, time: cannot read the time 'soon'" in refused(capsys, source, tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == [source]


def test_an_error_leaves_the_file_that_was_to_be_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path / "in.jsonl", [*ROWS, ROWS[0]])
    (tmp_path / "out.jsonl").write_text("old")
    refused(capsys, source, tmp_path / "out.jsonl", "--force")
    assert (tmp_path / "out.jsonl").read_text() == "old"


def test_a_folder_is_no_out_file(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is a folder; name a file" in refused(capsys, source, tmp_path, "--force")


def test_a_missing_input_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "none.jsonl does not exist" in refused(capsys, tmp_path / "none.jsonl", tmp_path / "out.jsonl")


@pytest.mark.parametrize("extra", [["--alpha", "1"], ["alpha"], ["--seed", "x"], ["--ratio", "half"]])
def test_words_that_are_no_settings_are_usage_errors(source: Path, tmp_path: Path, extra: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(source, tmp_path / "out.jsonl", *extra)
    assert caught.value.code == 2
    assert not (tmp_path / "out.jsonl").exists()


def test_out_and_report_must_differ(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    assert str(out) in refused(capsys, source, out, "--report", str(out))


def test_a_place_that_cannot_be_written_is_named(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blocked").write_text("")
    assert "blocked" in refused(capsys, source, tmp_path / "blocked" / "out.jsonl")


def test_a_mem0_export_goes_in_and_jsonl_comes_out(tmp_path: Path) -> None:
    source = tmp_path / "export.json"
    items = [{"id": row["id"], "memory": row["text"], "metadata": {"timestamp": row["time"]}} for row in ROWS]
    source.write_text(json.dumps(items))
    run(source, tmp_path / "out.jsonl", ratio="0")
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row["id"] for row in rows] == [row["id"] for row in reversed(ROWS)]
    assert rows[0]["text"] == ROWS[-1]["text"]
    assert rows[0]["time"] == ROWS[-1]["time"]


def test_failed_calls_end_the_command_with_a_status_of_their_own(source: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": [{"reply": "both"}], "faults": [{"fault": "500"}]}))
    models = ("--merger", "llm", "llm=scripted", f"llm.script={script}", f"llm.cache_folder={tmp_path / 'replies'}")
    with pytest.raises(SystemExit) as ended:
        run(source, tmp_path / "out.jsonl", *models)
    assert ended.value.code == 3
    assert json.loads((tmp_path / "out.jsonl.report.json").read_text())["retryable_failures"] > 0
    script.write_text(json.dumps({"replies": [{"reply": "both"}]}))
    run(source, tmp_path / "out.jsonl", *models, "--force")
