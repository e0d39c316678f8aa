"""The published procedure for one EventTree, written well but literally: the baseline of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.core.order import in_time_order
from memforest.core.types import MemoryNode, Pair
from memforest.core.vectors import on_grid, similarity


def published_procedure(
    nodes: Sequence[MemoryNode], *, target: int, eta: float, merge: Callable[[Pair], MemoryNode]
) -> list[MemoryNode]:
    """Until `target` nodes are left: all cosines, Kruskal's maximum spanning tree, degrees, the best edge merges."""
    live = list(nodes)
    while len(live) > target:
        grid = on_grid(np.stack([node.vector for node in live]))
        cosines = similarity(grid, grid)
        edges = _kruskal(cosines)
        degrees = np.bincount(edges.ravel(), minlength=len(live))
        scores = eta * cosines[edges[:, 0], edges[:, 1]] - (1 - eta) * degrees[edges].sum(axis=1)
        # Of equal scores the lowest (i, j) wins, as in the method that is compared.
        tied = edges[scores == scores.max()]
        first, second = tied[np.lexsort((tied[:, 1], tied[:, 0]))[0]].tolist()
        pair = in_time_order(live[first], live[second])
        stays, goes = (first, second) if live[first] is pair.newer else (second, first)
        live[stays] = merge(pair)
        del live[goes]
    return live


def _kruskal(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Edges of the maximum spanning tree, heaviest first: a stable sort of all edges, and union-find."""
    first, second = np.triu_indices(len(weights), 1)
    order = np.argsort(-weights[first, second], kind="stable")
    parent = list(range(len(weights)))
    edges: list[tuple[int, int]] = []
    for low, high in zip(first[order].tolist(), second[order].tolist(), strict=True):
        one, other = low, high
        while parent[one] != one:
            parent[one] = one = parent[parent[one]]
        while parent[other] != other:
            parent[other] = other = parent[parent[other]]
        if one != other:
            parent[one] = other
            edges.append((low, high))
            if len(edges) == len(weights) - 1:
                break
    return np.array(edges, dtype=np.int64)
