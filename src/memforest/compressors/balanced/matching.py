"""The best independent pairs of a pool, exactly, without a matrix of all pairs."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeOutcome
from memforest.core.vectors import on_grid, similarity

PARTNERS = 16
"""Best partners remembered per node; never changes a result, only how often a list runs out and is made anew."""

BLOCK = 1 << 22
"""Scores computed at once (32 MiB)."""

Places = NDArray[np.int64]
Scores = NDArray[np.float64]
Edge = tuple[float, int, int, int]
"""Negative score, lower place, higher place, and the place whose list it is from: edges in order of merging."""


class Matching:
    """Scores pairs of live nodes by cosine(i, j) - cost_per_word (words_i + words_j); equal scores by (i, j).

    Each node keeps the first PARTNERS of its ranking of the nodes that were there when it came. A pair is thus in
    the ranking of whichever of its nodes came later, and nobody's list has to change when a merged node arrives.
    """

    def __init__(self, pool: Pool, *, cost_per_word: float) -> None:
        self._pool = pool
        self._cost_per_word = cost_per_word
        self._grid = on_grid(np.stack([node.vector for node in pool.nodes]))
        self._words = np.array([node.words for node in pool.nodes], dtype=np.int64)
        self._live = np.ones(len(pool), dtype=bool)
        self._round = 0
        self._came = np.zeros(len(pool), dtype=np.int64)
        self._partners = np.full((len(pool), PARTNERS), -1, dtype=np.int64)
        self._scores = np.full((len(pool), PARTNERS), -np.inf)
        self._rank(np.arange(len(pool)), np.arange(len(pool)))

    def best_pairs(self, *, limit: int) -> list[tuple[int, int]]:
        """Best pair first, then the best of the remaining nodes, and so on: at most `limit` pairs of places.

        Empty when every pair of live nodes was refused.
        """
        free = self._live.copy()
        options = {place: self._free_partners(place, free) for place in np.flatnonzero(free).tolist()}
        edges: list[Edge] = []
        for place in options:
            _push_next(edges, place, options)
        pairs: list[tuple[int, int]] = []
        while edges and len(pairs) < limit:
            _, low, high, owner = heapq.heappop(edges)
            if free[low] and free[high]:
                pairs.append((low, high))
                free[[low, high]] = False
            elif free[owner]:
                _push_next(edges, owner, options)
        return pairs

    def settle(self, pairs: Sequence[tuple[int, int]], outcomes: Sequence[MergeOutcome]) -> None:
        """Take in the outcomes of pairs of places. A node whose merge failed counts as one that came now."""
        self._round += 1
        came: list[int] = []
        for (first, second), outcome in zip(pairs, outcomes, strict=True):
            place = self._pool.settle(first, second, outcome)
            if place is None:
                came += [first, second]
                continue
            self._live[second if place == first else first] = False
            self._grid[place] = on_grid(self._pool[place].vector)
            self._words[place] = self._pool[place].words
            came.append(place)
        self._came[came] = self._round
        self._rank(np.array(came, dtype=np.int64), np.flatnonzero(self._live))

    def _free_partners(self, place: int, free: NDArray[np.bool_]) -> Iterator[tuple[float, int]]:
        """Scores and places of partners that are free when they are asked for, best first."""
        while True:
            for column in range(self._partners.shape[1]):
                partner = int(self._partners[place, column])
                if partner < 0:
                    return
                if free[partner] and self._may_list(place, partner):
                    yield float(self._scores[place, column]), partner
            others = np.flatnonzero(free & (self._came <= self._came[place]))
            if self._pool.refusals:
                others = others[[self._may_list(place, other) for other in others.tolist()]]
            self._rank(np.array([place]), others)

    def _may_list(self, place: int, partner: int) -> bool:
        """Not what came later, perhaps to the place of a node that was listed, and not what was refused."""
        return bool(self._came[partner] <= self._came[place]) and not self._pool.refused(place, partner)

    def _rank(self, places: Places, others: Places) -> None:
        """Make the lists of `places` anew from `others` (ascending)."""
        grid, words = self._grid[others], self._words[others]
        step = max(1, BLOCK // max(1, len(others)))
        for start in range(0, len(places), step):
            rows = places[start : start + step]
            scores = similarity(self._grid[rows], grid)
            scores -= self._cost_per_word * (self._words[rows, None] + words)
            scores[rows[:, None] == others] = -np.inf
            columns = _best_columns(scores, self._partners.shape[1])
            best = np.take_along_axis(scores, columns, axis=1)
            self._scores[rows] = -np.inf
            self._scores[rows, : best.shape[1]] = best
            self._partners[rows] = -1
            self._partners[rows, : best.shape[1]] = np.where(best > -np.inf, others[columns], -1)


def _push_next(edges: list[Edge], place: int, options: Mapping[int, Iterator[tuple[float, int]]]) -> None:
    """Put the place's next best free partner on the heap, if it has one left."""
    for score, partner in options[place]:
        heapq.heappush(edges, (-score, min(place, partner), max(place, partner), place))
        return


def _best_columns(scores: Scores, count: int) -> Places:
    """Columns of the `count` largest scores of each row, largest first, equal ones in order."""
    if scores.shape[1] > count:
        least = np.partition(scores, -count, axis=1)[:, -count, None]
        listed = scores >= least
        for row in np.flatnonzero(np.count_nonzero(listed, axis=1) > count):
            tied = np.flatnonzero(scores[row] == least[row])
            listed[row, tied[len(tied) - (np.count_nonzero(listed[row]) - count) :]] = False
        chosen = np.nonzero(listed)[1].reshape(len(scores), count)
    else:
        chosen = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    order = np.argsort(-np.take_along_axis(scores, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)
