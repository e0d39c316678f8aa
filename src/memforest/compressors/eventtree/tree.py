"""One EventTree while it shrinks (Section 3.2, Equations 5 to 7 of the EventTree paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memforest.compressors.eventtree.spanning import Edges, SpanningForest
from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeOutcome
from memforest.core.vectors import on_grid, similarity


@dataclass(frozen=True, slots=True)
class EdgeScore:
    """w' = eta w - (1 - eta)(deg(i) + deg(j)) of the edges of a spanning tree (Equation 7).

    degree: raw, or max_norm (the sum divided by its maximum over the tree's edges, as in the released code), or none
    (the similarity alone). edge_rule: max_tree, or min_tree (the minimum spanning tree with -w for w).
    """

    eta: float
    degree: str
    edge_rule: str

    @property
    def sign(self) -> int:
        """What similarities are multiplied by to become weights."""
        return -1 if self.edge_rule == "min_tree" else 1

    def scores(self, weights: NDArray[np.float64], edges: Edges) -> NDArray[np.float64]:
        """Scores of `edges` with these `weights`, shape [edges]."""
        if self.degree == "none":
            return weights
        degrees = np.bincount(edges.ravel())[edges].sum(axis=1)
        if self.degree == "max_norm":
            degrees = degrees / degrees.max()
        return np.asarray(self.eta * weights - (1 - self.eta) * degrees)


class Tree(Protocol):
    """Places of a pool that merge with each other only."""

    def __len__(self) -> int: ...

    def best(self) -> tuple[float, tuple[int, int]] | None:
        """Score and places of the pair to merge next; None when there is no pair left."""

    def settle(self, first: int, second: int, outcome: MergeOutcome) -> None:
        """Take in the outcome for a pair of places."""


class ShrinkingTree:
    """A maximum spanning tree that follows its nodes as they merge.

    After a merge only the new node's similarities change: one row is computed, and since similarities are exact the
    matrix and the tree equal those computed afresh. Memory: 8 n^2 bytes for n nodes.
    """

    def __init__(self, pool: Pool, places: Sequence[int], *, edge_score: EdgeScore) -> None:
        self._pool = pool
        self._edge_score = edge_score
        self._places = np.array(sorted(places))
        self._row = {int(place): row for row, place in enumerate(self._places)}
        self._alive = np.ones(len(self._places), dtype=bool)
        self._grid = on_grid(np.stack([pool[place].vector for place in self._row]))
        self._weights = edge_score.sign * similarity(self._grid, self._grid)
        for first, second in pool.refused_among(self._row):
            self._forbid(self._row[first], self._row[second])
        self._forest = SpanningForest(self._weights)

    def __len__(self) -> int:
        return len(self._row)

    def best(self) -> tuple[float, tuple[int, int]] | None:
        """The edge of the spanning tree with the largest score; ties go to the lowest places."""
        edges = self._forest.edges
        if not len(edges):
            return None
        scores = self._edge_score.scores(self._weights[edges[:, 0], edges[:, 1]], edges)
        top = scores.max()
        tied = edges[scores == top]
        first, second = min(tied.tolist()) if len(tied) > 1 else tied[0]
        return float(top), (int(self._places[first]), int(self._places[second]))

    def settle(self, first: int, second: int, outcome: MergeOutcome) -> None:
        """Take in the outcome for a pair of places."""
        place = self._pool.settle(first, second, outcome)
        if place is None:
            self._forbid(self._row[first], self._row[second])
            self._forest.refused(self._row[first], self._row[second])
            return
        kept, gone = self._row[place], self._row.pop(second if place == first else first)
        self._alive[gone] = False
        self._grid[kept] = on_grid(self._pool[place].vector)
        row = self._edge_score.sign * similarity(self._grid, self._grid[kept])
        row[~self._alive] = -np.inf
        self._weights[kept, :] = self._weights[:, kept] = row
        self._weights[gone, :] = self._weights[:, gone] = -np.inf
        self._forest.merged(kept, gone)
        if 2 * len(self) < len(self._weights):
            self._drop_dead_rows()

    def _forbid(self, first: int, second: int) -> None:
        self._weights[first, second] = self._weights[second, first] = -np.inf

    def _drop_dead_rows(self) -> None:
        kept = np.flatnonzero(self._alive)
        self._places, self._alive, self._grid = self._places[kept], self._alive[kept], self._grid[kept]
        self._weights = self._weights[np.ix_(kept, kept)]
        self._row = {int(place): row for row, place in enumerate(self._places)}
        self._forest.relabelled(self._weights, kept)


class RandomTree:
    """Merges random pairs of its nodes; the score of a pair is random too."""

    def __init__(self, pool: Pool, places: Sequence[int], *, random: np.random.Generator) -> None:
        self._pool = pool
        self._places = sorted(places)
        self._random = random

    def __len__(self) -> int:
        return len(self._places)

    def best(self) -> tuple[float, tuple[int, int]] | None:
        """A pair drawn with equal chances from all that were not refused."""
        if len(self) < 2:
            return None
        first, second = sorted(self._random.choice(len(self), size=2, replace=False).tolist())
        pair = self._places[first], self._places[second]
        if self._pool.refusals and self._pool.refused(*pair):
            allowed = self._pool.allowed_pairs(self._places)
            if not allowed:
                return None
            pair = allowed[int(self._random.integers(len(allowed)))]
        return float(self._random.random()), pair

    def settle(self, first: int, second: int, outcome: MergeOutcome) -> None:
        """Take in the outcome for a pair of places."""
        place = self._pool.settle(first, second, outcome)
        if place is not None:
            self._places.remove(second if place == first else first)
