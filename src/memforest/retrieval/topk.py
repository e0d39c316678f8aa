"""Exact cosine search."""

from __future__ import annotations

from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.dense import query_similarities
from memforest.retrieval.nearest import Nearest
from memforest.retrieval.ranking import ranking
from memforest.retrieval.stores import check_store


class TopK:
    """The k nodes most similar to the query; equal similarities keep insertion order.

    index: the store that finds them (exact, faiss, faiss_gpu, qdrant_local); the hits are the same with each.
    """

    def __init__(self, *, index: str) -> None:
        check_store(index)
        self._index = index

    def index(self, *, memory: Memory) -> TopKIndex:
        """The memory's own matrix, and the store."""
        return TopKIndex(memory, nearest=Nearest(memory, index=self._index))


class TopKIndex:
    """Similarities to all nodes, sorted."""

    def __init__(self, memory: Memory, *, nearest: Nearest) -> None:
        self._memory = memory
        self._nearest = nearest

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes by similarity, the first k are the hits."""
        similarities = query_similarities(self._memory, query)
        return ranking(self._memory, self._nearest.ranked(query, similarities, count=k), similarities, k=k)
