"""Search by words alone."""

from __future__ import annotations

from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.lexical import InvertedLists, Weighting
from memforest.retrieval.ranking import by_score


class Bm25:
    """The k nodes with the largest BM25 score; equal scores, those without a shared word too, keep insertion order.

    k1: how soon repeats stop to count; b: how far longer texts are marked down.
    """

    def __init__(self, *, k1: float, b: float) -> None:
        self._weighting = Weighting(k1=k1, b=b)

    def index(self, *, memory: Memory) -> Bm25Index:
        """The texts of the nodes as inverted lists; vectors are not looked at."""
        return Bm25Index(memory, weighting=self._weighting)


class Bm25Index:
    """A memory with its inverted lists."""

    def __init__(self, memory: Memory, *, weighting: Weighting) -> None:
        self._memory = memory
        self._lists = InvertedLists([node.text for node in memory.nodes], weighting=weighting)

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes by their share of the attainable score, the first k are the hits."""
        return by_score(self._memory, self._lists.scores(query.text), k=k)
