"""What one command prints and leaves behind."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memforest.datasets.sample import Sample
from tests.e2e.desk import ROOT, Desk, Said, stamps

ASKED = ("compressor=tome", "ratio=0.5")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, Said]:
    """One finished command; tests must not change its outputs."""
    desk = Desk(tmp_path_factory.mktemp("front"))
    said = desk.run(*ASKED)
    assert said.code == 0, said.err
    return desk, said


@pytest.fixture(scope="module")
def metrics(first: tuple[Desk, Said]) -> dict[str, Any]:
    """Its metrics."""
    desk, said = first
    loaded: dict[str, Any] = json.loads((desk.folder / said.folder / "metrics.json").read_bytes())
    return loaded


def test_the_plan_comes_before_everything_but_notices(first: tuple[Desk, Said]) -> None:
    lines = first[1].out.splitlines()
    start = lines.index("plan:")
    assert all(line.startswith("notice: ") for line in lines[:start])
    assert "sample-observations-tome-0.5-concat-topk-" in lines[start + 1]


@pytest.mark.parametrize("row", ["asked: tome 0.5", "uncompressed", "no memory", "oracle evidence"])
def test_the_asked_run_stands_beside_the_reference_rows(first: tuple[Desk, Said], row: str) -> None:
    assert sum(line.startswith(row) for line in first[1].out.splitlines()) == 1


def test_one_sentence_says_how_to_read_the_table(first: tuple[Desk, Said]) -> None:
    assert sum(line.startswith("How to read it: ") for line in first[1].out.splitlines()) == 1


def test_the_last_line_is_the_folder_of_the_run(first: tuple[Desk, Said]) -> None:
    desk, said = first
    assert Path(said.folder).parent == Path("outputs/runs")
    assert (desk.folder / said.folder / "run.json").is_file()


def test_nothing_is_printed_on_standard_error(first: tuple[Desk, Said]) -> None:
    assert first[1].err == ""


def test_metrics_hold_what_the_issue_asks_for(metrics: dict[str, Any]) -> None:
    scalars = ("evidence_recall", "answer_token_recall", "context_words", "ratio_requested", "ratio_realised")
    assert all(isinstance(metrics[name], float) for name in scalars)
    assert all(isinstance(metrics[name], int) for name in ("questions", "scored", "nodes_before", "nodes_after"))
    assert list(metrics["evidence_recall_at_words"]) == ["150", "300", "600"]
    assert list(metrics["evidence_recall_by_category"]) == [
        "multi-hop",
        "temporal",
        "open-domain",
        "single-hop",
        "adversarial",
    ]


def test_all_questions_count_and_scored_are_those_with_a_recall(
    first: tuple[Desk, Said], metrics: dict[str, Any]
) -> None:
    desk, said = first
    records = [json.loads(line) for line in (desk.folder / said.folder / "questions.jsonl").open(encoding="utf-8")]
    assert metrics["questions"] == len(records) == len(Sample().load().questions)
    assert metrics["scored"] == sum(record["evidence_recall"] is not None for record in records) < len(records)


def test_half_of_the_nodes_are_gone(metrics: dict[str, Any]) -> None:
    assert metrics["ratio_requested"] == 0.5
    assert metrics["nodes_after"] / metrics["nodes_before"] == pytest.approx(0.5, abs=0.01)
    assert metrics["ratio_realised"] == pytest.approx(1 - metrics["nodes_after"] / metrics["nodes_before"], abs=1e-6)


def test_recalls_are_means_over_the_scored_records_in_percent(
    first: tuple[Desk, Said], metrics: dict[str, Any]
) -> None:
    desk, said = first
    records = [json.loads(line) for line in (desk.folder / said.folder / "questions.jsonl").open(encoding="utf-8")]
    values = [record["evidence_recall"] for record in records if record["evidence_recall"] is not None]
    assert metrics["evidence_recall"] == pytest.approx(100 * sum(values) / len(values), abs=1e-6)


def test_questions_are_one_line_each_in_order(first: tuple[Desk, Said]) -> None:
    desk, said = first
    lines = (desk.folder / said.folder / "questions.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["question"] for line in lines] == [question.id for question in Sample().load().questions]


@pytest.mark.parametrize("name", ["questions.jsonl", "metrics.json"])
def test_results_hold_no_path_host_commit_or_date(first: tuple[Desk, Said], name: str) -> None:
    desk, said = first
    text = (desk.folder / said.folder / name).read_text("utf-8")
    provenance = json.loads((desk.folder / said.folder / "provenance.json").read_bytes())
    foreign = [str(desk.folder), "outputs", socket.gethostname(), provenance["commit"], datetime.now(tz=UTC).date()]
    assert [word for word in foreign if word is not None and str(word) in text] == []
    assert '"attempt' not in text


def test_provenance_names_commit_packages_data_and_config(first: tuple[Desk, Said]) -> None:
    desk, said = first
    folder = desk.folder / said.folder
    provenance, run = (json.loads((folder / name).read_bytes()) for name in ("provenance.json", "run.json"))
    assert {"commit", "dirty", "packages", "python"} <= set(provenance)
    assert "numpy" in provenance["packages"]
    assert run["settings"]["compressor"]["name"] == "tome"
    assert len(run["data"]) == 64


def test_the_same_command_again_computes_nothing_and_answers_within_three_seconds(first: tuple[Desk, Said]) -> None:
    desk, said = first
    before = stamps(desk.outputs)
    again = desk.run(*ASKED)
    assert again.code == 0
    assert again.folder == said.folder
    assert stamps(desk.outputs) == before
    assert again.seconds < 3
    table = said.out.partition("percent")[2]
    assert table
    assert again.out.partition("percent")[2] == table


def test_nothing_but_outputs_is_left_in_the_working_directory(first: tuple[Desk, Said]) -> None:
    assert [path.name for path in first[0].folder.iterdir()] == ["outputs"]
    assert sorted(path.name for path in first[0].outputs.iterdir()) == ["artifacts", "runs"]


@pytest.mark.parametrize("arguments", [["--help"], ["compresor=tome"], ["compressor=tomee"], ["compressor.alfa=1"]])
def test_help_and_unknown_names_are_answered_before_anything_heavy_is_imported(arguments: list[str]) -> None:
    script = (
        f"import sys\nsys.argv = ['run.py', *{arguments!r}]\n"
        "from memforest.config.front import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'hydra', 'omegaconf', 'onnxruntime', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["ratio=2"], 1), (["retriever=top"], 2)])
def test_help_and_composition_errors_take_under_two_seconds(desk: Desk, arguments: list[str], code: int) -> None:
    # The quickest of three, since the machine may be busy with other tests.
    said = [desk.run(*arguments) for _ in range(3)]
    assert [each.code for each in said] == [code] * 3
    assert min(each.seconds for each in said) < 2


def test_help_lists_every_choice(desk: Desk) -> None:
    said = desk.run("--help")
    for path in (ROOT / "conf").glob("*/*.yaml"):
        assert path.stem in said.out


@pytest.mark.parametrize("flag", [["--cfg", "job"], ["-c", "job"]])
def test_the_composed_configuration_can_be_printed_as_help_says(desk: Desk, flag: list[str]) -> None:
    said = desk.run(*flag)
    assert said.code == 0
    assert "compressor:" in said.out


def test_minilm_runs_without_network_key_or_gpu(desk: Desk) -> None:
    offline = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "CUDA_VISIBLE_DEVICES": ""}
    run = desk.finish("embedder=minilm", "dataset=synthetic", "dataset.units=1", "dataset.sessions=2", env=offline)
    assert json.loads((run / "metrics.json").read_bytes())["scored"] > 0
