"""One EventTree while it shrinks (Section 3.2, Equations 5 to 7 of the EventTree paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.compressors.eventtree.spanning import maximum_spanning_forest
from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeOutcome
from memforest.core.types import Pair
from memforest.core.vectors import on_grid, similarity


class ShrinkingTree:
    """Places of a pool with their similarities, which are kept up to date as nodes merge.

    After a merge only the new node's similarities change: one row is computed, and since similarities are exact the
    matrix equals one computed afresh.
    """

    def __init__(self, pool: Pool, places: Sequence[int], *, eta: float) -> None:
        self._pool = pool
        self._places = sorted(places)
        self._eta = eta
        self._grid = on_grid(np.stack([pool[place].vector for place in self._places]))
        self._weights = similarity(self._grid, self._grid)
        for first, low in enumerate(self._places):
            for second, high in enumerate(self._places[:first]):
                if pool.refusals and pool.refused(low, high):
                    self._forbid(first, second)

    def __len__(self) -> int:
        return len(self._places)

    def best_pair(self) -> tuple[int, int] | None:
        """Places of the pair to merge next; None when every pair was refused.

        Of the edges of the maximum spanning tree the one with the largest
        w' = eta w - (1 - eta)(deg(i) + deg(j)); ties go to the lowest (i, j).
        """
        edges = maximum_spanning_forest(self._weights)
        if not len(edges):
            return None
        degrees = np.bincount(edges.ravel(), minlength=len(self._places))
        weights = self._weights[edges[:, 0], edges[:, 1]]
        scores = self._eta * weights - (1 - self._eta) * degrees[edges].sum(axis=1)
        first, second = edges[int(np.argmax(scores))]
        return self._places[first], self._places[second]

    def pair(self, places: tuple[int, int]) -> Pair:
        """The nodes at two places, in time order."""
        return self._pool.pair(*places)

    def settle(self, first: int, second: int, outcome: MergeOutcome) -> None:
        """Take in the outcome for a pair of places."""
        low, high = self._places.index(first), self._places.index(second)
        place = self._pool.settle(first, second, outcome)
        if place is None:
            self._forbid(low, high)
            return
        kept, gone = (low, high) if place == first else (high, low)
        self._grid[kept] = on_grid(self._pool[place].vector)
        row = similarity(self._grid, self._grid[kept])
        self._weights[kept, :] = row
        self._weights[:, kept] = row
        del self._places[gone]
        self._grid = np.delete(self._grid, gone, axis=0)
        self._weights = np.delete(np.delete(self._weights, gone, axis=0), gone, axis=1)

    def _forbid(self, first: int, second: int) -> None:
        self._weights[first, second] = self._weights[second, first] = -np.inf
