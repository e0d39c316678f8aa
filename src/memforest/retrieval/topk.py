"""Exact cosine search."""

from __future__ import annotations

import numpy as np

from memforest.core.types import Hits, Memory, Query
from memforest.core.vectors import on_grid, similarity


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
        scores = query_similarities(self._memory, query)
        order = np.argsort(-scores, kind="stable")
        return Hits(memory=self._memory, order=tuple(order.tolist()), scores=tuple(scores[order].tolist()), k=k)


def query_similarities(memory: Memory, query: Query) -> np.ndarray:
    """Exact cosines of a query to every node, shape [nodes]."""
    if not len(memory):
        return np.zeros(0)
    return similarity(memory.grid, on_grid(query.vector))
