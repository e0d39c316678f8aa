"""Cosine search in which nodes that are similar to everything stand back."""

from __future__ import annotations

from memforest.core.checks import require
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.dense import CorrectedSimilarities
from memforest.retrieval.hubness import HubCorrection
from memforest.retrieval.ranking import by_score


class HubCorrected:
    """The k nodes with the largest cos(query, node) - lambda h(node); equal scores keep insertion order.

    hubness: what h is, mean or local; correction: lambda; neighbours: how many the local form looks at. Each memory
    corrects with its own nodes.
    """

    def __init__(self, *, hubness: str, correction: float, neighbours: int) -> None:
        require(
            hubness != "none", "retriever.hubness=none corrects nothing; use retriever=topk, or hubness mean or local"
        )
        self._correction = HubCorrection(hubness=hubness, correction=correction, neighbours=neighbours)

    def index(self, *, memory: Memory) -> HubCorrectedIndex:
        """The hubness of every node is computed here."""
        return HubCorrectedIndex(memory, correction=self._correction)


class HubCorrectedIndex:
    """A memory with the correction of every node."""

    def __init__(self, memory: Memory, *, correction: HubCorrection) -> None:
        self._memory = memory
        self._dense = CorrectedSimilarities(memory, correction=correction)

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes by corrected similarity, the first k are the hits."""
        return by_score(self._memory, self._dense.scores(query), k=k)
