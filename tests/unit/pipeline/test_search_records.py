"""Searching: a retriever that breaks its protocol stops the run, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from memforest.core.errors import MethodError
from memforest.core.types import Gold, Hits, Memory, Query, Question
from memforest.embedding.hashing import Hashing
from memforest.pipeline.search import UnitSearch, search_records
from memforest.retrieval.topk import TopK
from tests.builders import memory

EMBEDDER = Hashing(buckets=8)
Answer = Callable[[Memory, int], Hits]


class Scripted:
    """A retriever and its index in one."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._memory = memory(0)

    def index(self, *, memory: Memory) -> Scripted:
        """Takes the memory."""
        self._memory = memory
        return self

    def search(self, *, query: Query, k: int) -> Hits:
        """What the test says."""
        return self._answer(self._memory, k)


def searched(retriever: Any, *, nodes: int = 40, k: int = 10, names: tuple[str, ...] = ("q",)) -> list[dict[str, Any]]:
    questions = [Question(id=name, unit_id="u", text=f"copper {name}") for name in names]
    golds = [Gold(name, "single-hop", True, "copper", None, ("n1",)) for name in names]
    memories = [memory(nodes, source_level="turn")]
    search = UnitSearch(memories, questions, retriever=retriever, embedder=EMBEDDER, k=k)
    return [record for record, _ in search_records(memories, questions, golds, search=search, word_budgets=[150])]


def test_what_was_searched_to_be_scored_is_not_searched_again_to_be_answered() -> None:
    asked: list[int] = []

    def answer(of: Memory, k: int) -> Hits:
        asked.append(k)
        return full(of, k)

    memories, question = [memory(12)], Question(id="q", unit_id="u", text="copper")
    search = UnitSearch(memories, [question], retriever=Scripted(answer), embedder=EMBEDDER, k=10)
    gold = Gold("q", "single-hop", True, "copper", None, ("n1",))
    ((_, searched),) = search_records(memories, [question], [gold], search=search, word_budgets=[150])
    assert searched("copper") == searched("copper") and asked == [10]
    searched("violin")
    assert asked == [10, 10]


class Expanding(Scripted):
    """Wants two other texts in place of one that holds a +, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(full)
        self.queries: list[Query] = []

    def texts(self, *, text: str) -> tuple[str, ...]:
        """Both sides of the +."""
        return tuple(text.split("+"))

    def search(self, *, query: Query, k: int) -> Hits:
        """Keeps the query."""
        self.queries.append(query)
        return super().search(query=query, k=k)


def test_the_texts_that_an_index_wants_are_embedded_for_it() -> None:
    retriever, question = Expanding(), Question(id="q", unit_id="u", text="copper")
    asking = UnitSearch([memory(12)], [question], retriever=retriever, embedder=EMBEDDER, k=3).asking(question)
    asking("copper")
    asking("copper+violin")
    plain, expanded = retriever.queries
    assert plain.variants is None
    assert expanded.text == "copper+violin"
    assert expanded.variants is not None
    assert (expanded.variants == EMBEDDER.embed(texts=["copper", "violin"]).vectors).all()


def full(of: Memory, k: int, **changes: Any) -> Hits:
    """A faultless ranking but for the changes."""
    count = len(of)
    scores = tuple(1 - place / count for place in range(count))
    return Hits(**{"memory": of, "order": tuple(range(count)), "scores": scores, "k": k, **changes})


MISDEEDS: dict[str, Answer] = {
    "thirty hits for k=10": lambda of, k: full(of, 30),
    "fewer hits than k": lambda of, k: full(of, k - 1),
    "only the hits": lambda of, k: full(of, k, order=tuple(range(k)), scores=(0.5,) * k),
    "a node twice": lambda of, k: full(of, k, order=(0, *range(len(of) - 1))),
    "a place that does not exist": lambda of, k: full(of, k, order=tuple(range(1, len(of) + 1))),
    "too few scores": lambda of, k: full(of, k, scores=(0.5,)),
    "rising scores": lambda of, k: full(of, k, scores=tuple(place / len(of) for place in range(len(of)))),
    "scores that are no numbers": lambda of, k: full(of, k, scores=(math.nan,) * len(of)),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_retriever_that_breaks_its_protocol_is_stopped_by_name(misdeed: str) -> None:
    with pytest.raises(MethodError, match="Scripted"):
        searched(Scripted(MISDEEDS[misdeed]))


def test_a_faultless_retriever_passes() -> None:
    (record,) = searched(Scripted(full))
    assert [hit[1] for hit in record["hits"]] == [f"n{place}" for place in range(10)]


def test_more_hits_than_nodes_may_be_asked_for() -> None:
    (record,) = searched(TopK(index="exact"), nodes=3, k=10)
    assert len(record["hits"]) == 3


def test_records_are_in_the_order_of_the_questions() -> None:
    assert [record["question"] for record in searched(TopK(index="exact"), names=("q2", "q0", "q1"))] == [
        "q2",
        "q0",
        "q1",
    ]
