"""Search by vectors and by words together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.dense import CorrectedSimilarities
from memforest.retrieval.hubness import HubCorrection
from memforest.retrieval.lexical import InvertedLists, Weighting
from memforest.retrieval.ranking import by_score

FUSIONS = ("weighted", "rrf")


class Hybrid:
    """The k nodes with the largest score fused of similarity and BM25; equal scores keep insertion order.

    fusion: weighted, (1 - w) similarity + w BM25 share with w = lexical_weight, comparable across memories; or rrf,
    reciprocal ranks 1 / (c + rank) of both added, with c = rrf_constant, where a node without a shared word gets
    nothing from BM25. k1, b: as in `bm25`. hubness, correction, neighbours: as in `hub_corrected`, for the similarity.
    """

    def __init__(
        self,
        *,
        fusion: str,
        lexical_weight: float,
        rrf_constant: float,
        k1: float,
        b: float,
        hubness: str,
        correction: float,
        neighbours: int,
    ) -> None:
        require(fusion in FUSIONS, f"retriever.fusion must be one of {', '.join(FUSIONS)}; got {fusion!r}")
        require(0 <= lexical_weight <= 1, f"retriever.lexical_weight must be in [0, 1], got {lexical_weight}")
        require(0 <= rrf_constant < math.inf, f"retriever.rrf_constant must be a number from 0 on, got {rrf_constant}")
        self._fusion = fusion
        self._lexical_weight = lexical_weight
        self._rrf_constant = rrf_constant
        self._weighting = Weighting(k1=k1, b=b)
        self._correction = HubCorrection(hubness=hubness, correction=correction, neighbours=neighbours)

    def index(self, *, memory: Memory) -> HybridIndex:
        """Inverted lists, and the hubness of every node."""
        return HybridIndex(
            memory,
            dense=CorrectedSimilarities(memory, correction=self._correction),
            lists=InvertedLists([node.text for node in memory.nodes], weighting=self._weighting),
            retriever=self,
        )

    def fuse(self, dense: NDArray[np.float64], lexical: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fused scores, shape [nodes]."""
        if self._fusion == "rrf":
            shared = np.where(lexical > 0, self._reciprocal_ranks(lexical), 0.0)
            return self._reciprocal_ranks(dense) + shared
        return (1 - self._lexical_weight) * dense + self._lexical_weight * lexical

    def _reciprocal_ranks(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """1 / (c + rank); a rank is 1 more than the number of larger scores, so equal scores share it."""
        larger = np.searchsorted(np.sort(-scores), -scores, side="left")
        return np.asarray(1 / (self._rrf_constant + 1 + larger))


class HybridIndex:
    """A memory made ready for both searches."""

    def __init__(
        self, memory: Memory, *, dense: CorrectedSimilarities, lists: InvertedLists, retriever: Hybrid
    ) -> None:
        self._memory = memory
        self._dense = dense
        self._lists = lists
        self._retriever = retriever

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes by fused score, the first k are the hits."""
        fused = self._retriever.fuse(self._dense.scores(query), self._lists.scores(query.text))
        return by_score(self._memory, fused, k=k)
