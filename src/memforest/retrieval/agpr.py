"""Retrieval with anchor-guided propagation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.order import TIME_UNITS, chronological_ranks, filled_times, timeline
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.dense import CorrectedSimilarities
from memforest.retrieval.hubness import HubCorrection
from memforest.retrieval.nearest import Nearest
from memforest.retrieval.propagation import half_up, propagate
from memforest.retrieval.ranking import falling
from memforest.retrieval.stores import check_store

OUTPUT_ORDERS = ("fused", "similarity", "time")


class Agpr:
    """The L k most similar nodes, reordered by similarity fused with nearness in time to the lambda k best.

    candidate_factor: L; anchor_share: lambda; gamma: weight of the similarity. L k and lambda k are rounded half up;
    there is at least one anchor. include_self: whether an anchor is near to itself. time_unit, the coordinate whose
    distance counts: dense_rank (rank among the candidates' distinct times), rank (place on the whole memory's
    timeline), clip (30 s of a video), seconds (divided by time_scale). Equal fused scores are ordered by similarity,
    then by insertion. hubness, correction, neighbours: as in `hub_corrected`, for the similarity. index: the store
    that finds the candidates, as in `topk`; the hits are the same with each.

    output_order: how the k best by fused score are handed out. fused; similarity (falling, then by insertion); time
    (oldest first, then by insertion). The places keep their scores, so the first hit has the best one whichever it
    is: scores never rise, the hits at k are the same, and a ranking of several memories gives each as much room.
    """

    def __init__(
        self,
        *,
        candidate_factor: float,
        anchor_share: float,
        gamma: float,
        include_self: bool,
        time_unit: str,
        time_scale: float,
        output_order: str,
        hubness: str,
        correction: float,
        neighbours: int,
        index: str,
    ) -> None:
        require(
            time_unit in TIME_UNITS, f"retriever.time_unit must be one of {', '.join(TIME_UNITS)}; got {time_unit!r}"
        )
        require(
            output_order in OUTPUT_ORDERS,
            f"retriever.output_order must be one of {', '.join(OUTPUT_ORDERS)}; got {output_order!r}",
        )
        require(0 <= gamma <= 1, f"retriever.gamma must be in [0, 1], got {gamma}")
        require(1 <= candidate_factor <= 1e6, f"retriever.candidate_factor must be in [1, 1e6], got {candidate_factor}")
        require(0 < anchor_share <= 1e6, f"retriever.anchor_share must be above 0 and at most 1e6, got {anchor_share}")
        require(time_scale >= 1e-6, f"retriever.time_scale, in seconds, must be at least 1e-6, got {time_scale}")
        check_store(index)
        require(
            index == "exact" or hubness == "none",
            f"retriever.index={index} ranks by similarity alone; with retriever.hubness={hubness} use index=exact",
        )
        self._index = index
        self._candidate_factor = candidate_factor
        self._anchor_share = anchor_share
        self._gamma = gamma
        self._include_self = include_self
        self._time_unit = time_unit
        self._time_scale = time_scale
        self._correction = HubCorrection(hubness=hubness, correction=correction, neighbours=neighbours)
        self.output_order = output_order

    def index(self, *, memory: Memory) -> AgprIndex:
        """Times and, with a correction, the hubness of every node are prepared here."""
        return AgprIndex(
            memory,
            dense=CorrectedSimilarities(memory, correction=self._correction),
            nearest=Nearest(memory, index=self._index),
            coordinates=self._coordinates(memory),
            retriever=self,
        )

    def _coordinates(self, memory: Memory) -> NDArray[np.float64]:
        """Time coordinate of every node in the chosen unit; dense ranks are taken later, among the candidates."""
        times = [node.time for node in memory.nodes]
        if self._time_unit == "dense_rank":
            return filled_times(times)
        coordinates = timeline(times, unit=self._time_unit)
        return coordinates / self._time_scale if self._time_unit == "seconds" else coordinates

    def fuse(self, scores: NDArray[np.float64], coordinates: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """Fused scores of the candidates, given in descending order of similarity."""
        if self._time_unit == "dense_rank":
            coordinates = np.searchsorted(np.unique(coordinates), coordinates).astype(np.float64)
        anchors = min(len(scores), max(1, half_up(self._anchor_share * k)))
        return propagate(scores, coordinates, anchors=anchors, gamma=self._gamma, include_self=self._include_self)

    def candidates(self, k: int) -> int:
        """L k, at least k."""
        return max(k, half_up(self._candidate_factor * k))

    def unanchored(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fused scores of nodes that are no candidates: as far from every anchor as can be."""
        return self._gamma * scores


class AgprIndex:
    """A memory with its time coordinates."""

    def __init__(
        self,
        memory: Memory,
        *,
        dense: CorrectedSimilarities,
        nearest: Nearest,
        coordinates: NDArray[np.float64],
        retriever: Agpr,
    ) -> None:
        self._memory = memory
        self._dense = dense
        self._nearest = nearest
        self._coordinates = coordinates
        self._timeline = chronological_ranks([node.time for node in memory.nodes])
        self._retriever = retriever

    def search(self, *, query: Query, k: int) -> Hits:
        """Candidates by fused score, the rest by similarity; the first k are the hits."""
        similarities = self._dense.scores(query)
        candidates = self._retriever.candidates(k)
        order = self._nearest.ranked(query, similarities, count=candidates)
        head, tail = order[:candidates], order[candidates:]
        fused = self._retriever.fuse(similarities[head], self._coordinates[head], k)
        # `head` is in order of similarity, so a stable sort breaks ties by similarity, then by insertion.
        best = falling(fused)
        ranking = np.concatenate([head[best], tail])
        scores = np.concatenate([fused[best], self._retriever.unanchored(similarities[tail])])
        ranking[:k] = self._handed_out(ranking[:k], similarities)
        return Hits(memory=self._memory, order=tuple(ranking.tolist()), scores=tuple(scores.tolist()), k=k)

    def _handed_out(self, hits: NDArray[np.intp], similarities: NDArray[np.float64]) -> NDArray[np.intp]:
        """The hits in the order in which a reader gets them."""
        if self._retriever.output_order == "similarity":
            return hits[np.lexsort((hits, -similarities[hits]))]
        return hits[np.argsort(self._timeline[hits])] if self._retriever.output_order == "time" else hits
