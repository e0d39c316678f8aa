"""One question's record."""

from __future__ import annotations

from memforest.core.types import SourceLevel
from memforest.metrics.scoring import UnitScorer, not_runnable
from tests.builders import memory, node
from tests.unit.metrics.golds import gold, question, ranking

NODES = [
    node("a", "red lantern", sources=["D1:1", "D1:2"]),
    node("b", "a violin in the old harbour", sources=["D2:1"]),
    node("c", "copper", sources=["D3:1"]),
]
ITEM = gold("D1:1", "D2:1", "D3:1", answer="lantern violin copper meadow")


def record(level: SourceLevel = "turn", budgets: tuple[int, ...] = (3, 100)) -> dict[str, object]:
    of = memory(NODES, source_level=level)
    return UnitScorer([of], word_budgets=budgets).score(question(), ITEM, [ranking(of, 0.9, 0.8, 0.7, k=2)])


def test_a_record_says_what_was_found_at_k() -> None:
    found = record()
    assert {key: found[key] for key in ("question", "unit", "category", "answerable", "outcome")} == {
        "question": "q",
        "unit": "u",
        "category": "single-hop",
        "answerable": True,
        "outcome": "searched",
    }
    assert (found["nodes"], found["words"]) == (2, 8)
    assert found["evidence_recall"] == found["session_evidence_recall"] == 2 / 3
    assert found["answer_token_recall"] == 0.5
    assert found["hits"] == [["m", "a", 0.9], ["m", "b", 0.8]]


def test_a_record_names_what_its_unit_is_clustered_by() -> None:
    of = memory(NODES)
    persona = UnitScorer([of], word_budgets=[], cluster="p").score(question(), ITEM, [ranking(of, 0.9, 0.8, 0.7)])
    assert (persona["unit"], persona["cluster"]) == ("u", "p")
    assert record()["cluster"] == "u"
    assert not_runnable(question(), ITEM, "no export")["cluster"] == "u"
    assert not_runnable(question(), ITEM, "no export", cluster="p")["cluster"] == "p"


def test_a_record_says_what_fits_each_budget() -> None:
    at_words = record()["at_words"]
    assert isinstance(at_words, dict)
    assert {budget: (row["nodes"], row["words"], row["evidence_recall"]) for budget, row in at_words.items()} == {
        "3": (2, 3, 2 / 3),
        "100": (3, 9, 1.0),
    }


def test_sources_that_are_sessions_have_only_the_session_metric() -> None:
    of = memory([node("a", sources=["D1"]), node("b", sources=["D9"])], source_level="session")
    found = UnitScorer([of], word_budgets=[9]).score(question(), ITEM, [ranking(of, 0.9, 0.8)])
    assert found["evidence_recall"] is None
    assert found["session_evidence_recall"] == 1 / 3
    assert found["at_words"]["9"]["evidence_recall"] is None


def test_hits_of_several_memories_count_together() -> None:
    memories = [memory(NODES[:1], id="x", source_level="turn"), memory(NODES[1:], id="y", source_level="turn")]
    scorer = UnitScorer(memories, word_budgets=[1])
    found = scorer.score(question(), ITEM, [ranking(memories[0], 0.1, k=1), ranking(memories[1], 0.9, 0.8, k=1)])
    assert found["hits"] == [["x", "a", 0.1], ["y", "b", 0.9]]
    assert found["evidence_recall"] == 2 / 3
    assert found["at_words"]["1"]["nodes"] == 1


def test_an_empty_memory_is_searched_and_finds_nothing() -> None:
    of = memory([], source_level="turn")
    found = UnitScorer([of], word_budgets=[150]).score(question(), ITEM, [ranking(of)])
    assert (found["outcome"], found["nodes"], found["words"], found["evidence_recall"]) == ("searched", 0, 0, 0.0)


def test_a_question_without_a_memory_has_a_reason_and_no_scores() -> None:
    absent = not_runnable(question(), ITEM, "no export")
    assert (absent["outcome"], absent["reason"]) == ("not_runnable", "no export")
    assert not [key for key in absent if "recall" in key]
