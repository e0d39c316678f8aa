"""Similarity of a query to every node, with or without what is taken off for hubs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import Memory, Query
from memforest.core.vectors import on_grid, similarity
from memforest.retrieval.hubness import HubCorrection


class CorrectedSimilarities:
    """A memory made ready for dense scores: one number a node, its correction, is kept beside the vectors."""

    def __init__(self, memory: Memory, *, correction: HubCorrection) -> None:
        self._memory = memory
        self._offsets = correction.offsets(memory)

    def scores(self, query: Query) -> NDArray[np.float64]:
        """cos(query, node) - lambda h(node), shape [nodes]."""
        return query_similarities(self._memory, query) - self._offsets


def query_similarities(memory: Memory, query: Query) -> NDArray[np.float64]:
    """Exact cosines of a query to every node, shape [nodes]."""
    if not len(memory):
        return np.zeros(0)
    return similarity(memory.grid, on_grid(query.vector))
