"""Maximum spanning forests (Section 3.2 of the EventTree paper), and how they change when nodes merge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]
"""Edges (i < j) in rows, in any order, shape [edges, 2]."""


class SpanningForest:
    """The maximum spanning forest of a complete graph while its nodes merge.

    `weights` [n, n] is symmetric and stays the caller's; -inf marks an edge that must not be used, and every edge of
    a node that is gone. Edges are compared by weight, then by (i, j), lowest first: a strict order, so the forest is
    unique, and the one that is kept up to date equals the one computed afresh.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self.edges: Edges = maximum_spanning_forest(weights)
        self._neighbours = _neighbours(self.edges, len(weights))

    def merged(self, kept: int, gone: int) -> None:
        """Follow a merge: `weights` holds the new row and column of `kept`, and -inf in those of `gone`.

        Only three kinds of edges can be in the new forest: those of the old one between other nodes, the heaviest
        that reconnect what the two nodes held together, and those of the new node.
        """
        roots = (self._neighbours[kept] | self._neighbours[gone]) - {kept, gone}
        for node in (kept, gone):
            for neighbour in self._neighbours[node]:
                self._neighbours[neighbour].discard(node)
            self._neighbours[node] = set()
        touched = ((self.edges == kept) | (self.edges == gone)).any(axis=1)
        forest = self._reconnected(self.edges[~touched], roots, without=kept)
        candidates = self._with_star(forest, kept)
        taken = _kruskal(self._weights, candidates)
        for first, second in candidates[: len(forest)][~taken[: len(forest)]].tolist():
            self._neighbours[first].discard(second)
            self._neighbours[second].discard(first)
        for edge in candidates[len(forest) :][taken[len(forest) :]].tolist():
            self._link(*edge)
        self.edges = candidates[taken]

    def refused(self, first: int, second: int) -> None:
        """Follow a failed merge: `weights` holds -inf for the edge between the two nodes."""
        if second not in self._neighbours[first]:
            return
        self._neighbours[first].discard(second)
        self._neighbours[second].discard(first)
        lost = (self.edges == (min(first, second), max(first, second))).all(axis=1)
        self.edges = self._reconnected(self.edges[~lost], {first, second}, without=None)

    def relabelled(self, weights: NDArray[np.float64], kept: NDArray[np.int64]) -> None:
        """Go on with `weights` of only the nodes `kept` [m], ascending: all that are alive."""
        self._weights = weights
        self.edges = np.searchsorted(kept, self.edges)
        self._neighbours = _neighbours(self.edges, len(weights))

    def _link(self, first: int, second: int) -> None:
        self._neighbours[first].add(second)
        self._neighbours[second].add(first)

    def _with_star(self, forest: Edges, new: int) -> Edges:
        """Edges of a forest and of the node `new`, but those of the node that are the lightest of a triangle."""
        star = self._weights[new].copy()
        star[new] = -np.inf
        heavy = self._weights[forest[:, 0], forest[:, 1]]
        first, second = star[forest[:, 0]], star[forest[:, 1]]
        star[forest[first < np.minimum(second, heavy), 0]] = -np.inf
        star[forest[second < np.minimum(first, heavy), 1]] = -np.inf
        others = np.flatnonzero(star > -np.inf)
        spokes = np.column_stack((np.minimum(others, new), np.maximum(others, new)))
        return np.concatenate((forest, spokes))

    def _reconnected(self, edges: Edges, roots: set[int], *, without: int | None) -> Edges:
        """Part of a maximum spanning forest with the edges that join its components of `roots` again (Boruvka).

        Each root is in a component of its own. The node `without` is left out. The component that is found last, as a
        rule the largest, does not look for an edge, and so its rows are not read.
        """
        labels = self._labels(sorted(roots))
        rows = np.flatnonzero(labels)
        weights = self._weights[rows]
        if without is not None:
            weights[:, without] = -np.inf
        found = [edges]
        while len(rows):
            weights[labels[rows][:, None] == labels] = -np.inf
            best = _heaviest_of_each(weights, rows, labels[rows])
            taken, labels = _joined(best, labels)
            if not taken.any():
                break
            found.append(best[taken])
            for edge in best[taken].tolist():
                self._link(*edge)
            open_ended = labels[rows] != 0
            rows, weights = rows[open_ended], weights[open_ended]
        return np.concatenate(found)

    def _labels(self, roots: list[int]) -> NDArray[np.int64]:
        """1, 2, ... for the components of all roots but one, 0 elsewhere: the search goes on in all of them, node by
        node in turn, until one is left, so that the largest is not walked through."""
        labels = np.zeros(len(self._weights), dtype=np.int64)
        searches = [(label, [root], {root}) for label, root in enumerate(roots, 1)]
        while len(searches) > 1:
            for search in list(searches):
                label, stack, seen = search
                fresh = self._neighbours[stack.pop()] - seen
                stack.extend(fresh)
                seen |= fresh
                if not stack and len(searches) > 1:
                    labels[list(seen)] = label
                    searches.remove(search)
        return labels


def _neighbours(edges: Edges, count: int) -> list[set[int]]:
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for first, second in edges.tolist():
        neighbours[first].add(second)
        neighbours[second].add(first)
    return neighbours


def maximum_spanning_forest(weights: NDArray[np.float64]) -> Edges:
    """The maximum spanning forest of a complete graph, computed afresh: Prim's algorithm, O(n^2).

    `weights` [n, n] and the order of edges are as in `SpanningForest`; the diagonal is ignored.
    """
    count = len(weights)
    edges: list[tuple[int, int]] = []
    places = np.arange(count)
    outside = np.ones(count, dtype=bool)
    best = np.full(count, -np.inf)
    parent = np.zeros(count, dtype=np.int64)
    for _ in range(count):
        # Nodes inside have -inf in `best`, and so has a node outside that nothing inside can reach.
        new = int(best.argmax())
        if best[new] == -np.inf:
            new = int(outside.argmax())
        else:
            tied = np.flatnonzero(best == best[new])
            if len(tied) > 1:
                new = int(tied[np.argmin(_code(parent[tied], tied, count))])
            edges.append((min(new, int(parent[new])), max(new, int(parent[new]))))
        outside[new] = False
        best[new] = -np.inf
        row = np.where(outside, weights[new], -np.inf)
        better = row > best
        equal = np.flatnonzero((row == best) & outside & (row > -np.inf))
        better[equal[_code(new, places[equal], count) < _code(parent[equal], places[equal], count)]] = True
        np.copyto(best, row, where=better)
        parent[better] = new
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def _kruskal(weights: NDArray[np.float64], edges: Edges) -> NDArray[np.bool_]:
    """Which of these edges, given in any order, are in the maximum spanning forest of the graph that has only them."""
    order = np.lexsort((edges[:, 0] * len(weights) + edges[:, 1], -weights[edges[:, 0], edges[:, 1]]))
    parent = list(range(len(weights)))
    taken = np.zeros(len(edges), dtype=bool)
    positions = []
    ends = edges[order, 0].tolist(), edges[order, 1].tolist()
    for position, low, high in zip(order.tolist(), *ends, strict=True):
        # The roots of both, found here rather than by a call: this loop is most of the work of a merge.
        first, second = low, high
        while parent[first] != first:
            parent[first] = first = parent[parent[first]]
        while parent[second] != second:
            parent[second] = second = parent[parent[second]]
        if first != second:
            parent[first] = second
            positions.append(position)
    taken[positions] = True
    return taken


def _heaviest_of_each(weights: NDArray[np.float64], rows: NDArray[np.int64], labels: NDArray[np.int64]) -> Edges:
    """For each component the first edge, in the order of `SpanningForest`, of its nodes; none where all are -inf.

    `weights` [m, n] are those of the nodes `rows` [m], whose components are `labels` [m].
    """
    # Of equally heavy edges of one node, the one to the lowest other node is the first.
    others = weights.argmax(axis=1)
    heavy = weights[np.arange(len(rows)), others]
    order = np.lexsort((_code(rows, others, weights.shape[1]), -heavy, labels))
    first = np.ones(len(order), dtype=bool)
    first[1:] = labels[order][1:] != labels[order][:-1]
    best = order[first & (heavy[order] > -np.inf)]
    return np.column_stack((np.minimum(rows[best], others[best]), np.maximum(rows[best], others[best])))


def _joined(edges: Edges, labels: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which edges join two components, one after the other, and the labels then; the lower label stays."""
    parent = list(range(int(labels.max()) + 1))
    taken = np.zeros(len(edges), dtype=bool)
    for position, (first, second) in enumerate(labels[edges].tolist()):
        low, high = sorted((_root(parent, first), _root(parent, second)))
        taken[position] = low != high
        parent[high] = low
    return taken, np.array([_root(parent, label) for label in range(len(parent))])[labels]


def _root(parent: list[int], label: int) -> int:
    while parent[label] != label:
        parent[label] = label = parent[parent[label]]
    return label


def _code(first: NDArray[np.int64] | int, second: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """A number that orders edges by (i, j)."""
    return np.asarray(np.minimum(first, second) * count + np.maximum(first, second))
