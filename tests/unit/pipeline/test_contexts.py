"""What an answerer's search looks into."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.core.protocols import CONTEXTS
from memforest.core.types import Gold, Question
from memforest.core.video import GraphNode, VideoGraph
from memforest.embedding.hashing import Hashing
from memforest.pipeline.contexts import Contexts
from memforest.pipeline.search import UnitSearch
from memforest.retrieval.topk import TopK
from tests.builders import memory, session, unit
from tests.graphs import graph_memory

UNIT = unit([session(1, ["a red lantern", "yes"]), session(2, ["the violin", "sold it"])])
QUESTION = Question(id="q", unit_id="u", text="violin")


def shown(context: str, *evidence: str, sessions: tuple[str, ...] = ()) -> list[str]:
    """Ids of the nodes that a search for the question shows."""
    search = UnitSearch([memory(5)], [QUESTION], retriever=TopK(index="exact"), embedder=Hashing(buckets=8), k=2)
    gold = Gold("q", "temporal", True, "violin", None, evidence, evidence_sessions=sessions)
    contexts = Contexts(context, UNIT, built=lambda: [])
    hits = contexts.of(QUESTION, gold, memory=search.asking(QUESTION))("any words")
    return [node.id for found in hits for node in found.nodes]


def test_the_memory_is_searched_for_k_hits() -> None:
    assert len(shown("memory")) == 2


def test_the_history_is_all_turns_in_order() -> None:
    assert shown("history", "D2:1") == ["D1:1", "D1:2", "D2:1", "D2:2"]


def test_the_evidence_is_its_turns_or_where_only_sessions_are_known_all_of_theirs() -> None:
    assert shown("evidence", "D2:1", "D1:2", "D9:9") == ["D2:1", "D1:2"]
    assert shown("evidence", sessions=("D2",)) == ["D2:1", "D2:2"]


@pytest.mark.parametrize(
    ("before_clip", "found"), [(None, 12), (1, 6), (-1, 0)], ids=["at the end", "within the video", "at once"]
)
def test_the_history_of_a_video_is_what_was_built_and_ends_where_a_question_is_asked(
    before_clip: int | None, found: int
) -> None:
    built = graph_memory(12)
    contexts = Contexts("history", replace(unit([]), clock="video"), built=lambda: [built])
    question = replace(QUESTION, before_clip=before_clip)
    gold = Gold("q", "temporal", True, "violin", None, ())
    (hits,) = contexts.of(question, gold, memory=lambda text: [])("any words")
    assert [node.id for node in hits.nodes] == [node.id for node in built.nodes][:found]


def test_the_history_that_a_unit_brings_along_ends_there_too() -> None:
    texts = tuple(GraphNode(id=number, type="episodic", contents=("text",), clip=number) for number in range(3))
    video = replace(unit([]), clock="video", graph=VideoGraph("video", texts, ()))
    contexts = Contexts("history", video, built=lambda: [])
    gold = Gold("q", "temporal", True, "violin", None, ())
    (hits,) = contexts.of(replace(QUESTION, before_clip=1), gold, memory=lambda text: [])("any words")
    assert [node.id for node in hits.nodes] == ["0", "1"]


def test_nothing_is_nothing() -> None:
    assert shown("nothing", "D1:1") == []


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_context_answers_any_text(context: str) -> None:
    shown(context, "D1:1")
