"""Maximum spanning forests (Section 3.2 of the EventTree paper), and how they change when nodes merge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]
"""Edges (i < j) in rows in (i, j) order, shape [edges, 2]."""


class SpanningForest:
    """The maximum spanning forest of a complete graph while its nodes merge.

    `weights` [n, n] is symmetric and stays the caller's; -inf marks an edge that must not be used, and every edge of
    a node that is gone. Edges are compared by weight, then by (i, j), lowest first: a strict order, so the forest is
    unique, and the one that is kept up to date equals the one computed afresh.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self._alive = np.ones(len(weights), dtype=bool)
        self.edges: Edges = maximum_spanning_forest(weights)

    def merged(self, kept: int, gone: int) -> None:
        """Follow a merge: `weights` holds the new row and column of `kept`, and -inf in those of `gone`.

        Only three kinds of edges can be in the new forest: those of the old one between other nodes, the heaviest
        that reconnect what the two nodes held together, and those of the new node.
        """
        self._alive[gone] = False
        touched = ((self.edges == kept) | (self.edges == gone)).any(axis=1)
        forest = self._reconnected(self.edges[~touched], without=kept)
        others = np.flatnonzero(self._weights[kept] > -np.inf)
        others = others[others != kept]
        star = np.column_stack((np.minimum(others, kept), np.maximum(others, kept)))
        self.edges = _kruskal(self._weights, np.concatenate((forest, star)))

    def refused(self, first: int, second: int) -> None:
        """Follow a failed merge: `weights` holds -inf for the edge between the two nodes."""
        lost = (self.edges == (min(first, second), max(first, second))).all(axis=1)
        self.edges = _in_order(self._reconnected(self.edges[~lost], without=None), len(self._weights))

    def relabelled(self, weights: NDArray[np.float64], kept: NDArray[np.int64]) -> None:
        """Go on with `weights` of only the nodes `kept` [m], ascending: all that are alive."""
        self._weights = weights
        self._alive = self._alive[kept]
        self.edges = np.searchsorted(kept, self.edges)

    def _reconnected(self, edges: Edges, *, without: int | None) -> Edges:
        """Part of a maximum spanning forest, made whole: Boruvka's algorithm on its components.

        The node `without` is left out. The largest component need not look for an edge, and so its rows are not read.
        """
        nodes = int(self._alive.sum()) - (without is not None)
        if len(edges) >= nodes - 1:
            return edges
        labels = _components(edges, len(self._weights))
        absent = ~self._alive
        if without is not None:
            absent[without] = True
        labels[absent] = -1
        largest = int(np.bincount(labels[~absent]).argmax())
        rows = np.flatnonzero(~absent & (labels != largest))
        weights = self._weights[rows]
        weights[:, absent] = -np.inf
        found = [edges]
        while len(rows):
            weights[labels[rows][:, None] == labels] = -np.inf
            mine = [labels[rows] == label for label in np.unique(labels[rows])]
            best = [edge for own in mine if (edge := _heaviest(weights[own], rows[own])) is not None]
            if not best:
                break
            for first, second in best:
                if labels[first] != labels[second]:
                    found.append(np.array([[first, second]]))
                    _join(labels, labels[first], labels[second], largest)
            open_ended = labels[rows] != largest
            rows, weights = rows[open_ended], weights[open_ended]
        return np.concatenate(found)


def maximum_spanning_forest(weights: NDArray[np.float64]) -> Edges:
    """The maximum spanning forest of a complete graph, computed afresh: Prim's algorithm, O(n^2).

    `weights` [n, n] and the order of edges are as in `SpanningForest`; the diagonal is ignored.
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


def _kruskal(weights: NDArray[np.float64], edges: Edges) -> Edges:
    """The maximum spanning forest of the graph that has only these edges, given in any order."""
    codes = _code(edges[:, 0], edges[:, 1], len(weights))
    order = np.lexsort((codes, -weights[edges[:, 0], edges[:, 1]]))
    parent = list(range(len(weights)))
    taken = []
    for place, first, second in zip(order.tolist(), *edges[order].T.tolist(), strict=True):
        low, high = _root(parent, first), _root(parent, second)
        if low != high:
            parent[low] = high
            taken.append(place)
    chosen = np.array(taken, dtype=np.int64)
    return edges[chosen[np.argsort(codes[chosen])]]


def _components(edges: Edges, count: int) -> NDArray[np.int64]:
    """A label for each of `count` nodes, equal within a component."""
    parent = list(range(count))
    for first, second in edges.tolist():
        parent[_root(parent, first)] = _root(parent, second)
    return np.array([_root(parent, place) for place in range(count)])


def _root(parent: list[int], place: int) -> int:
    while parent[place] != place:
        parent[place] = parent[parent[place]]
        place = parent[place]
    return place


def _heaviest(weights: NDArray[np.float64], rows: NDArray[np.int64]) -> tuple[int, int] | None:
    """The first edge, in the order of `SpanningForest`, of the nodes `rows` [m] with `weights` [m, n]; None if none."""
    top = weights.max()
    if top == -np.inf:
        return None
    tied, others = np.nonzero(weights == top)
    best = np.argmin(_code(rows[tied], others, weights.shape[1]))
    first, second = int(rows[tied[best]]), int(others[best])
    return min(first, second), max(first, second)


def _join(labels: NDArray[np.int64], first: int, second: int, largest: int) -> None:
    """Give two components one label; the largest component keeps its own."""
    kept, gone = (second, first) if second == largest else (first, second)
    labels[labels == gone] = kept


def _in_order(edges: Edges, count: int) -> Edges:
    return edges[np.argsort(_code(edges[:, 0], edges[:, 1], count))]


def _code(first: NDArray[np.int64] | int, second: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """A number that orders edges by (i, j)."""
    return np.asarray(np.minimum(first, second) * count + np.maximum(first, second))
