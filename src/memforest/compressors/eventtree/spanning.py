"""Maximum spanning trees (Section 3.2 of the EventTree paper)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def maximum_spanning_forest(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Edges (i < j) of the maximum spanning forest of a complete graph, in (i, j) order, shape [edges, 2].

    `weights` [n, n] is symmetric; -inf marks an edge that must not be used, and the diagonal is ignored. Edges are
    compared by weight, then by (i, j), lowest first: a strict order, so the tree is unique and equals Kruskal's with
    a stable sort. Prim's algorithm, O(n^2).
    """
    count = len(weights)
    edges: list[tuple[int, int]] = []
    outside = np.ones(count, dtype=bool)
    best = np.full(count, -np.inf)
    parent = np.full(count, -1)
    places = np.arange(count)
    for _ in range(count):
        candidates = np.where(outside, best, -np.inf)
        top = candidates.max()
        if top == -np.inf:
            new = int(np.argmax(outside))
        else:
            tied = np.flatnonzero(candidates == top)
            new = int(tied[np.argmin(_code(parent[tied], tied, count))])
            edges.append((min(new, int(parent[new])), max(new, int(parent[new]))))
        outside[new] = False
        row = weights[new]
        better = outside & (
            (row > best)
            | ((row == best) & (row > -np.inf) & (_code(new, places, count) < _code(parent, places, count)))
        )
        best[better] = row[better]
        parent[better] = new
    return np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)


def _code(first: NDArray[np.int64] | int, second: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """A number that orders edges by (i, j)."""
    return np.asarray(np.minimum(first, second) * count + np.maximum(first, second))
