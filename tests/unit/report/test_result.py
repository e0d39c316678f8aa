"""What a finished run says about itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.report.result import label, recall_name, result_lines
from memforest.report.table import number, with_interval
from tests.unit.report.stored import record, report, store_run


@pytest.mark.parametrize(("value", "text"), [(None, "-"), (0.0, "0.0"), (61.25, "61.2"), (100, "100.0")])
def test_a_number_has_one_decimal_and_what_does_not_exist_is_a_dash(value: float | None, text: str) -> None:
    assert number(value) == text


def test_an_interval_stands_beside_its_mean_and_is_left_out_where_there_is_none() -> None:
    assert with_interval(60.0, [55.0, 65.04]) == "60.0 [55.0, 65.0]"
    assert with_interval(60.0, None) == "60.0"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "tome 0.5 concat topk"),
        ({"compressor": {"name": "none"}, "ratio": None, "merger": None}, "none topk"),
        ({"compressor": {"name": "kmeans"}, "merger": None, "retriever": {"name": "agpr"}}, "kmeans 0.5 agpr"),
    ],
)
def test_a_row_is_named_by_what_counts(tmp_path: Path, settings: dict[str, Any], expected: str) -> None:
    assert label(store_run(tmp_path, "r", [1.0], settings=settings)) == expected


def test_where_sources_are_sessions_the_session_metric_is_shown(tmp_path: Path) -> None:
    records = [record("q0", "u1", 0.5, evidence_recall=None)]
    run = store_run(tmp_path, "r", [], records=records)
    assert recall_name(run.read("metrics.json")) == "session_evidence_recall"
    text = "\n".join(result_lines(run, run))
    assert "sessions [95 %]" in text
    assert "of the sessions that" in text


def last_words(tmp_path: Path, **changes: Any) -> str:
    run = store_run(tmp_path, "r", [], records=[{**record("q0", "u1", 0.5), **changes}])
    (line,) = (line for line in result_lines(run, run) if line.startswith("How to read it"))
    return line


def test_it_is_said_what_evidence_consists_of_and_what_counts_without_any(tmp_path: Path) -> None:
    assert "of the turns that answers rest on" in last_words(tmp_path / "turns")
    assert "of the texts that answers rest on" in last_words(tmp_path / "texts", session_evidence_recall=None)
    without: dict[str, Any] = {"evidence_recall": None, "session_evidence_recall": None}
    assert "measured by `answer` alone" in last_words(tmp_path / "answers", **without, answer_token_recall=0.5)
    assert "nothing to compare" in last_words(tmp_path / "nothing", **without, answer_token_recall=None)


def test_the_header_says_how_many_hits_count(tmp_path: Path) -> None:
    run = store_run(tmp_path, "r", [1.0])
    assert result_lines(run, run)[0].startswith("percent, k=10 ")
    own = store_run(tmp_path, "own", [1.0], settings={"k": None, "retriever": {"name": "m3_agent"}})
    assert result_lines(own, own)[0].startswith("percent, hits of m3_agent ")


def rows(lines: list[str]) -> list[str]:
    """First words of the table's rows."""
    return [line.split("  ")[0] for line in lines[0].splitlines()[2:]]


def test_the_uncompressed_row_stands_below_the_asked_one(tmp_path: Path) -> None:
    run, full = store_run(tmp_path, "asked", [1.0, 0.0]), store_run(tmp_path, "full", [1.0, 1.0])
    assert rows(result_lines(run, full)) == ["asked: tome 0.5 concat topk", "uncompressed", "no memory"]


def test_an_uncompressed_run_is_not_shown_twice(tmp_path: Path) -> None:
    run = store_run(tmp_path, "full", [1.0])
    assert rows(result_lines(run, run)) == ["asked: tome 0.5 concat topk", "no memory"]


def test_scored_stands_beside_the_total(tmp_path: Path) -> None:
    run = store_run(tmp_path, "r", [1.0, None, 0.0, None])
    assert any("4 in all, 2 scored" in line for line in result_lines(run, run))


def test_categories_without_a_value_are_left_out(tmp_path: Path) -> None:
    run = store_run(tmp_path, "r", [1.0])
    assert "by category: temporal 100.0" in result_lines(run, run)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"dropped_nodes": ["a", "b"]}, "given up: 2 nodes and 0 segments"),
        ({"dropped_segments": {"n": [{}, {}, {}]}}, "given up: 0 nodes and 3 segments"),
        ({"failed_merges": {"timeout": 2}, "shortfall": 1}, "failed merges: 2, 1 nodes above the target"),
        ({"target": 3, "method_target": 5}, "not the same budget: by its own rule the method leaves 2 nodes more"),
    ],
)
def test_what_was_given_up_or_failed_is_told(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    plain = store_run(tmp_path, "plain", [1.0])
    run = store_run(tmp_path, "r", [1.0], reports=[report(**changes)])
    assert any(line.startswith(expected) for line in result_lines(run, run))
    assert not any(line.startswith(expected) for line in result_lines(plain, plain))


def test_what_early_questions_lose_is_told_where_there_are_any(tmp_path: Path) -> None:
    expected = (
        "compressed with all clips known: of the nodes that were known when a question was asked, 25.0 % are hidden in "
        "nodes that end later (in 100.0 % of the questions) and 50.0 % are dropped"
    )
    early = {"known": 4, "hidden": 1, "dropped": 2}
    run = store_run(tmp_path, "r", [], records=[record("q0", "u1", 1.0, early=early)])
    knew_nothing = store_run(tmp_path, "n", [], records=[record("q0", "u1", 1.0, early=dict.fromkeys(early, 0))])
    assert expected in result_lines(run, run)
    assert not any(line.startswith("compressed with") for line in result_lines(knew_nothing, knew_nothing))


def test_units_that_could_not_run_are_named(tmp_path: Path) -> None:
    absent = {"question": "q1", "unit": "u9", "category": "temporal", "answerable": True, "outcome": "not_runnable"}
    run = store_run(tmp_path, "r", [], records=[record("q0", "u1", 1.0), {**absent, "reason": "no export"}])
    assert any("not runnable: 1 questions of u9" in line for line in result_lines(run, run))


def test_the_sentence_makes_sense_when_nothing_is_scored(tmp_path: Path) -> None:
    run = store_run(tmp_path, "r", [None])
    assert "- %" not in result_lines(run, run)[-1]


def test_without_evidence_of_any_kind_the_column_is_that_of_evidence(tmp_path: Path) -> None:
    run = store_run(tmp_path, "r", [None])
    assert "evidence [95 %]" in result_lines(run, run)[0]
