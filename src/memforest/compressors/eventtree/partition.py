"""Semantic-temporal partition: KMeans plus time (Section 3.1, Equations 1 to 4 of the EventTree paper)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from memforest.compressors.clustering import kmeans
from memforest.core.order import chronological_ranks
from memforest.core.types import Memory
from memforest.core.vectors import similarity


def partition(memory: Memory, *, alpha: float, beta: float, window: int, seed: int) -> list[list[int]]:
    """Places of the nodes of each EventTree, ascending; every place in exactly one tree.

    K = max(1, floor(alpha N)) clusters; the node nearest to a cluster's centre is its centre node and stays. Any
    other node j goes to the centre i with the largest u = beta g + (1 - beta) l, where g is the cosine of the two
    nodes and l is 1 if their ranks on the timeline differ by at most `window`. Ties go to the node's own cluster,
    then to the lowest.
    """
    clusters = kmeans(memory, clusters=cluster_count(len(memory), alpha), seed=seed)
    centres = np.array([clusters.nearest(cluster) for cluster in range(clusters.count)])
    ranks = chronological_ranks([node.time for node in memory.nodes])
    near = np.abs(ranks[:, None] - ranks[centres][None, :]) <= window
    union = beta * similarity(memory.grid, memory.grid[centres]) + (1 - beta) * near
    assigned = _assign(union, clusters.labels)
    assigned[centres] = np.arange(len(centres))
    return [[int(place) for place in np.flatnonzero(assigned == tree)] for tree in range(len(centres))]


def cluster_count(nodes: int, alpha: float) -> int:
    """K = max(1, floor(alpha N)); the tiny term keeps products such as 0.1 * 30 from falling below their value."""
    return min(nodes, max(1, math.floor(alpha * nodes + 1e-9)))


def _assign(union: NDArray[np.float64], own: NDArray[np.int64]) -> NDArray[np.int64]:
    best = union.max(axis=1)
    stays = union[np.arange(len(union)), own] == best
    return np.where(stays, own, union.argmax(axis=1))


def quotas(sizes: list[int], target: int) -> list[int]:
    """Nodes that each tree keeps: shares of `target` by largest remainder, at least 1 and at most the tree's size.

    Sums to max(target, number of trees). Ties go to the lower tree. Remainders are whole numbers, so that equal ones
    are equal.
    """
    total = sum(sizes)
    kept = [max(1, size * target // total) for size in sizes]
    goal = max(target, len(sizes))

    def lacking(tree: int) -> int:
        """How much the tree's share exceeds what it keeps, times `total`."""
        return sizes[tree] * target - kept[tree] * total

    while sum(kept) < goal:
        kept[max((tree for tree in range(len(sizes)) if kept[tree] < sizes[tree]), key=lacking)] += 1
    while sum(kept) > goal:
        # `min` takes the first of equals, so the higher tree is named first: it is the one to give.
        kept[min((tree for tree in reversed(range(len(sizes))) if kept[tree] > 1), key=lacking)] -= 1
    return kept
