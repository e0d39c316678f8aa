"""Exact cosine search."""

from __future__ import annotations

from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.dense import query_similarities
from memforest.retrieval.ranking import by_score


class TopK:
    """The k nodes most similar to the query; equal similarities keep insertion order."""

    def index(self, *, memory: Memory) -> TopKIndex:
        """The memory's own matrix is the index."""
        return TopKIndex(memory)


class TopKIndex:
    """Similarities to all nodes, sorted."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes by similarity, the first k are the hits."""
        return by_score(self._memory, query_similarities(self._memory, query), k=k)
