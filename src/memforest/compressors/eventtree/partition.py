"""Semantic-temporal partition: KMeans plus time (Section 3.1, Equations 1 to 4 of the EventTree paper)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.compressors.clustering import KMeansRule, bounded_groups, kmeans
from memforest.compressors.quotas import largest_remainder
from memforest.core.order import timeline
from memforest.core.types import Memory
from memforest.core.vectors import Grid, mean_vector, similarity

_NEIGHBOURS = 3
_ROWS_AT_ONCE = 10_000
_ROUNDINGS: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "round": round}
CLUSTER_ROUNDINGS = tuple(_ROUNDINGS)

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class UnionRule:
    """The paper's partition: K clusters give centre nodes, the others join the centre with the largest u.

    u = beta g + (1 - beta) l, where g is the cosine of the two nodes and l is 1 if their times, in `window_unit`,
    differ by at most `window`. Ties go to the node's own cluster, then to the lowest. Up to `exact_up_to` nodes are
    clustered at once and meet every centre; more are split into groups of similar ones first, clustered group by
    group, and meet the centres of the three nearest groups and those near in time.
    """

    alpha: float
    cluster_rounding: str
    kmeans: KMeansRule
    beta: float
    window: float
    window_unit: str
    exact_up_to: int

    def partition(self, memory: Memory, *, seed: int) -> list[Places]:
        """Places of the nodes of each EventTree, ascending; every place in exactly one tree."""
        groups = bounded_groups(memory.grid, largest=self.exact_up_to, seed=seed)
        clusters = cluster_count(len(memory), self.alpha, rounding=self.cluster_rounding)
        own = np.empty(len(memory), dtype=np.int64)
        centres: list[Places] = []
        for group, count in zip(groups, largest_remainder([len(group) for group in groups], clusters), strict=True):
            fitted = kmeans(memory.grid[group], clusters=count, seed=seed, rule=self.kmeans)
            own[group] = fitted.labels + sum(map(len, centres))
            centres.append(group[fitted.nearest()])
        assigned = self._assigned(memory, groups, centres, own)
        order = np.argsort(assigned, kind="stable")
        return np.split(order, np.searchsorted(assigned[order], np.arange(1, sum(map(len, centres)))))

    def _assigned(self, memory: Memory, groups: list[Places], centres: list[Places], own: Places) -> Places:
        """The tree of every node; trees are numbered like their centres, group after group."""
        everywhere = np.concatenate(centres)
        times = timeline([node.time for node in memory.nodes], unit=self.window_unit)
        choice = _Choice(own)
        starts = np.cumsum([0, *map(len, centres)])
        for group, near in zip(groups, _nearest_groups(memory.grid, groups), strict=True):
            trees = np.concatenate([np.arange(starts[other], starts[other + 1]) for other in near])
            cosines = similarity(memory.grid[group], memory.grid[everywhere[trees]])
            close = np.abs(times[group][:, None] - times[everywhere[trees]]) <= self.window
            choice.offer(group, trees, self.beta * cosines + (1 - self.beta) * close)
        if len(groups) > 1:
            self._offer_centres_near_in_time(memory.grid, times, everywhere, choice)
        choice.tree[everywhere] = np.arange(len(everywhere))
        return choice.tree

    def _offer_centres_near_in_time(
        self, grid: Grid, times: NDArray[np.float64], centres: Places, choice: _Choice
    ) -> None:
        order = np.argsort(times[centres], kind="stable")
        first = np.searchsorted(times[centres][order], times - self.window, side="left")
        end = np.searchsorted(times[centres][order], times + self.window, side="right")
        for step in range(int((end - first).max())):
            reached = np.flatnonzero(first + step < end)
            for rows in np.array_split(reached, math.ceil(len(reached) / _ROWS_AT_ONCE)):
                trees = order[first[rows] + step]
                cosines = np.einsum("nd,nd->n", grid[rows], grid[centres[trees]])
                choice.offer_each(rows, trees, self.beta * cosines + (1 - self.beta))


class _Choice:
    """The best tree so far of every node; ties go to the node's own cluster, then to the lowest tree."""

    def __init__(self, own: Places) -> None:
        self.tree = own.copy()
        self._own = own
        self._best = np.full(len(own), -np.inf)

    def offer(self, rows: Places, trees: Places, union: NDArray[np.float64]) -> None:
        """Scores [rows, trees], the trees in ascending order, the rows' own among them."""
        best = union.max(axis=1)
        stays = union[np.arange(len(rows)), np.searchsorted(trees, self._own[rows])] == best
        self.tree[rows] = np.where(stays, self._own[rows], trees[union.argmax(axis=1)])
        self._best[rows] = best

    def offer_each(self, rows: Places, trees: Places, union: NDArray[np.float64]) -> None:
        """One more tree for each of `rows`, with scores [rows]."""
        equal = (union == self._best[rows]) & (self.tree[rows] != self._own[rows]) & (trees < self.tree[rows])
        better = (union > self._best[rows]) | equal
        self.tree[rows[better]] = trees[better]
        self._best[rows[better]] = union[better]


def _nearest_groups(grid: Grid, groups: list[Places]) -> list[Places]:
    """For each group the numbers of those with the most similar means, itself included, ascending."""
    means = np.stack([mean_vector(grid[group]) for group in groups])
    closeness = similarity(means, means)
    np.fill_diagonal(closeness, np.inf)
    return list(np.sort(np.argsort(-closeness, axis=1, kind="stable")[:, :_NEIGHBOURS], axis=1))


def cluster_count(nodes: int, alpha: float, *, rounding: str) -> int:
    """K = alpha N, rounded, at least 1 and at most N.

    The product is rounded to nine digits first, so that 0.1 * 30 is 3 and 0.29 * 100 is 29.
    """
    return min(nodes, max(1, _ROUNDINGS[rounding](round(alpha * nodes, 9))))
