"""From records and reports to metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memforest.core.intervals import clustered_interval
from memforest.metrics.summary import percent_mean, summarise

CATEGORIES = ("single-hop", "temporal", "adversarial")


def record(
    value: float | None,
    *,
    unit: str = "u",
    cluster: str | None = None,
    category: str = "single-hop",
    session: float | None = None,
    tokens: float | None = None,
    words: int = 100,
    at_words: float | None = None,
) -> dict[str, Any]:
    recalls = {
        "evidence_recall": value,
        "session_evidence_recall": value if session is None else session,
        "answer_token_recall": tokens,
    }
    return {
        "outcome": "searched",
        "unit": unit,
        "cluster": cluster or unit,
        "category": category,
        "words": words,
        **recalls,
        "at_words": {"150": recalls if at_words is None else {**recalls, "evidence_recall": at_words}},
    }


def absent(unit: str) -> dict[str, Any]:
    return {"outcome": "not_runnable", "unit": unit, "category": "temporal", "reason": f"no export for {unit}"}


def report(before: int, after: int, **changes: Any) -> dict[str, Any]:
    sizes = {
        side: {
            "nodes": nodes,
            "words": nodes * 5,
            "text_bytes": nodes * 20,
            "vector_bytes": nodes * 1536,
            "truncated_texts": 1,
        }
        for side, nodes in (("before", before), ("after", after))
    }
    nothing = {
        "target": 0,
        "method_target": 0,
        "merges": 0,
        "failed_merges": {},
        "retryable_failures": 0,
        "stopped": None,
        "shortfall": 0,
        "dropped_nodes": [],
        "dropped_segments": {},
    }
    return {**sizes, **nothing, **changes}


def metrics(records: Sequence[dict[str, Any]], reports: Sequence[dict[str, Any]] = (), ratio: float = 0.5) -> Any:
    return summarise(records, reports, categories=CATEGORIES, word_budgets=[150], ratio=ratio)


def test_recalls_are_means_in_percent_over_the_questions_that_have_one() -> None:
    found = metrics([record(1.0, tokens=0.5), record(0.0, tokens=None), record(0.5), record(None, tokens=0.0)])
    assert (found["evidence_recall"], found["answer_token_recall"]) == (50.0, 25.0)


def test_no_value_at_all_is_none_and_not_zero() -> None:
    assert percent_mean([record(None)], "evidence_recall") is None
    found = metrics([])
    assert (found["evidence_recall"], found["context_words"], found["questions"]) == (None, None, 0)


def test_questions_counts_all_and_scored_those_with_a_value() -> None:
    found = metrics([record(1.0), record(None, category="adversarial"), absent("x"), record(0.0)])
    assert (found["questions"], found["scored"]) == (4, 2)


def test_a_session_value_counts_as_scored() -> None:
    assert metrics([record(None, session=0.5), record(None)])["scored"] == 1


def test_units_without_a_memory_are_listed_counted_and_left_out_of_the_means() -> None:
    found = metrics([record(1.0, words=50), absent("x"), absent("x"), absent("y")])
    assert found["not_runnable"] == {"questions": 3, "units": {"x": "no export for x", "y": "no export for y"}}
    assert (found["evidence_recall"], found["context_words"]) == (100.0, 50.0)


def test_every_category_has_its_mean_and_its_count() -> None:
    found = metrics([record(1.0), record(0.0), record(0.25, category="temporal"), absent("x")])
    assert found["evidence_recall_by_category"] == {"single-hop": 50.0, "temporal": 25.0, "adversarial": None}
    assert found["questions_by_category"] == {"single-hop": 2, "temporal": 2, "adversarial": 0}


def test_recalls_at_words_stand_beside_those_at_k() -> None:
    found = metrics([record(1.0, at_words=0.5), record(1.0, at_words=0.0)])
    assert found["evidence_recall_at_words"] == {"150": 25.0}
    assert found["evidence_recall"] == 100.0


def test_context_words_are_a_mean_over_the_searched() -> None:
    assert metrics([record(1.0, words=10), record(None, words=20)])["context_words"] == 15.0


def test_intervals_are_clustered_on_what_units_have_in_common() -> None:
    rows = [(1.0, "a", "x"), (0.0, "b", "x"), (1.0, "c", "y"), (0.5, "d", "z")]
    found = metrics([record(value, unit=unit, cluster=cluster, at_words=value) for value, unit, cluster in rows])
    expected = clustered_interval([100, 0, 100, 50], ["x", "x", "y", "z"])
    assert expected != clustered_interval([100, 0, 100, 50], ["a", "b", "c", "d"])
    assert found["intervals"]["evidence_recall"] == pytest.approx(expected, abs=1e-6)
    assert found["intervals_at_words"]["evidence_recall"]["150"] == pytest.approx(expected, abs=1e-6)


def test_intervals_are_clustered_on_units_and_in_percent() -> None:
    rows = [(1.0, "a"), (0.0, "a"), (1.0, "b"), (None, "b"), (0.0, "c")]
    found = metrics([record(value, unit=unit) for value, unit in rows])["intervals"]["evidence_recall"]
    expected = clustered_interval([100, 0, 100, 0], ["a", "a", "b", "c"])
    assert expected is not None
    assert found == pytest.approx(expected, abs=1e-6)
    assert 0 <= found[0] <= 50 <= found[1] <= 100


def test_one_unit_has_no_interval() -> None:
    assert metrics([record(1.0), record(0.0)])["intervals"]["evidence_recall"] is None


def test_the_realised_ratio_comes_from_sums_over_memories() -> None:
    found = metrics([], [report(10, 5), report(3, 2)], ratio=0.5)
    assert (found["memories"], found["nodes_before"], found["nodes_after"]) == (2, 13, 7)
    assert found["ratio_requested"] == 0.5
    assert found["ratio_realised"] == pytest.approx(1 - 7 / 13, abs=1e-6)


def test_empty_memories_have_ratio_zero() -> None:
    assert metrics([], [report(0, 0)])["ratio_realised"] == 0.0


def test_sizes_failures_and_losses_are_summed() -> None:
    found = metrics(
        [],
        [
            report(10, 5, merges=3, failed_merges={"x": 2, "y": 1}, shortfall=1, dropped_nodes=["a", "b"]),
            report(4, 3, merges=1, target=2, method_target=4, dropped_segments={"n": [{}, {}], "m": [{}]}),
        ],
    )
    assert (found["merges"], found["failed_merges"], found["shortfall"], found["beyond_m"]) == (4, 3, 1, 2)
    assert (found["dropped_nodes"], found["dropped_segments"]) == (2, 3)
    assert (found["text_bytes_before"], found["vector_bytes_after"], found["words_after"]) == (280, 12288, 40)
    assert (found["truncated_texts_before"], found["truncated_texts_after"]) == (2, 2)


def test_what_early_questions_lose_is_a_mean_over_those_that_knew_something() -> None:
    counts = [
        {"known": 10, "hidden": 1, "dropped": 5},
        {"known": 4, "hidden": 0, "dropped": 1},
        {"known": 0, "hidden": 0, "dropped": 0},
    ]
    records = [record(1.0), *({**record(1.0), "early": count} for count in counts)]
    found = summarise(records, [], categories=CATEGORIES, word_budgets=(150,), ratio=0.0)
    assert found["early"] == {
        "questions": 3,
        "knowing": 2,
        "hidden": 5.0,
        "dropped": 37.5,
        "questions_affected": 50.0,
    }


def test_where_no_question_is_early_nothing_is_said_of_it() -> None:
    assert "early" not in summarise([record(1.0)], [], categories=CATEGORIES, word_budgets=(150,), ratio=0.0)
