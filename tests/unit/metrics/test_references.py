"""The rows that need no memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.core.types import Gold
from memforest.core.video import GraphNode, VideoGraph
from memforest.metrics.references import NO_MEMORY, ORACLE, reference_records
from tests.builders import session, unit
from tests.unit.metrics.golds import gold, question

UNIT = unit([session(1, ["a red lantern", "nothing much"]), session(2, ["the violin was sold", "indeed it was"])])


def one(kind: str, item: Gold, budget: int = 150) -> dict[str, object]:
    (record,) = reference_records(kind, UNIT, [question()], [item], word_budgets=[budget])
    return record


def test_without_memory_nothing_is_found_and_nothing_read() -> None:
    record = one(NO_MEMORY, gold("D1:1", answer="lantern"))
    assert (record["nodes"], record["words"], record["hits"]) == (0, 0, [])
    assert (record["evidence_recall"], record["answer_token_recall"]) == (0.0, 0.0)


def test_the_oracle_reads_exactly_the_evidence_turns_with_their_speakers() -> None:
    record = one(ORACLE, gold("D2:1", "D1:1", answer="violin ada"))
    assert record["hits"] == [["u", "D2:1", 1.0], ["u", "D1:1", 1.0]]
    assert record["words"] == len(["Ada:", "the", "violin", "was", "sold", "Ada:", "a", "red", "lantern"])
    assert (record["evidence_recall"], record["answer_token_recall"]) == (1.0, 1.0)


def test_an_id_that_names_no_turn_is_beyond_the_oracle() -> None:
    record = one(ORACLE, gold("D1:1", "D9:9", unresolved=["D9:9"]))
    assert (record["nodes"], record["evidence_recall"]) == (1, 0.5)


def test_where_only_sessions_are_known_the_oracle_reads_them_whole() -> None:
    record = one(ORACLE, gold(sessions=["D2"], answer="violin"))
    assert record["hits"] == [["u", "D2:1", 1.0], ["u", "D2:2", 1.0]]
    assert (record["evidence_recall"], record["session_evidence_recall"]) == (None, 1.0)


def test_the_oracle_is_held_to_the_word_budget() -> None:
    record = one(ORACLE, gold("D2:1", "D1:1"), budget=4)
    at_words = record["at_words"]
    assert isinstance(at_words, dict)
    assert (at_words["4"]["nodes"], at_words["4"]["evidence_recall"]) == (1, 0.5)


@pytest.mark.parametrize("kind", [NO_MEMORY, ORACLE])
def test_records_are_in_the_order_of_the_questions(kind: str) -> None:
    names = ["q2", "q0", "q1"]
    records = reference_records(
        kind, UNIT, [question(name) for name in names], [gold("D1:1", id=name) for name in names], word_budgets=[150]
    )
    assert [record["question"] for record in records] == names


def test_of_a_video_the_oracle_reads_the_texts_of_its_graph() -> None:
    nodes = (GraphNode(0, "voice", ("Hello.",)), GraphNode(4, "episodic", ("the red lantern",), 2))
    video = replace(UNIT, sessions=(), clock="video", graph=VideoGraph("u", nodes, ()))
    item = gold("4", "0", answer="lantern")
    (record,) = reference_records(ORACLE, video, [question()], [item], word_budgets=[150])
    assert (record["hits"], record["words"], record["evidence_recall"]) == ([["u", "4", 1.0]], 3, 0.5)
    assert record["session_evidence_recall"] is None
