"""The maximum spanning forest, computed and followed, against Kruskal's algorithm with a stable sort."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memforest.compressors.eventtree.spanning import SpanningForest, maximum_spanning_forest

LEVELS = (-np.inf, -0.5, 0.0, 0.25, 1.0)


def in_order(edges: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Edges by (i, j)."""
    return sorted((first, second) for first, second in edges.tolist())


def kruskal(weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Edges by falling weight, then (i, j); each is taken if it joins two components."""
    component = list(range(len(weights)))
    taken = []
    for i, j in sorted(combinations(range(len(weights)), 2), key=lambda edge: (-weights[edge], edge)):
        if weights[i, j] > -np.inf and component[i] != component[j]:
            taken.append((i, j))
            component = [component[i] if label == component[j] else label for label in component]
    return sorted(taken)


@st.composite
def tied_weights(draw: st.DrawFn) -> NDArray[np.float64]:
    """Symmetric weights of few levels, so that most are ties and some edges are forbidden."""
    count = draw(st.integers(0, 9))
    weights = np.zeros((count, count))
    for i, j in combinations(range(count), 2):
        weights[i, j] = weights[j, i] = draw(st.sampled_from(LEVELS))
    return weights


@given(tied_weights())
def test_it_is_kruskals_forest_with_ties_and_forbidden_edges(weights: NDArray[np.float64]) -> None:
    assert in_order(maximum_spanning_forest(weights)) == kruskal(weights)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_it_is_kruskals_tree_without_ties(seed: int, count: int) -> None:
    half = np.random.default_rng(seed).normal(size=(count, count))
    weights = half + half.T
    assert in_order(maximum_spanning_forest(weights)) == kruskal(weights)


@given(tied_weights(), st.floats(allow_nan=False, allow_infinity=False))
def test_the_diagonal_is_ignored(weights: NDArray[np.float64], value: float) -> None:
    changed = weights.copy()
    np.fill_diagonal(changed, value)
    assert in_order(maximum_spanning_forest(changed)) == in_order(maximum_spanning_forest(weights))


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_nodes_have_no_edges(count: int) -> None:
    assert maximum_spanning_forest(np.zeros((count, count))).shape == (0, 2)


def test_all_edges_forbidden_leave_no_edges() -> None:
    assert maximum_spanning_forest(np.full((4, 4), -np.inf)).shape == (0, 2)


def test_equal_weights_make_a_star_around_the_first_node() -> None:
    assert in_order(maximum_spanning_forest(np.ones((4, 4)))) == [(0, 1), (0, 2), (0, 3)]


def level() -> st.SearchStrategy[float]:
    return st.sampled_from((-0.5, 0.0, 0.25, 1.0))


def follow(weights: NDArray[np.float64], draw: st.DataObject, values: st.SearchStrategy[float]) -> None:
    """Merge and refuse until one node is left; the forest must be Kruskal's after every step."""
    forest = SpanningForest(weights)
    alive = list(range(len(weights)))
    while len(alive) > 1:
        first, second = draw.draw(st.sampled_from(list(combinations(alive, 2))))
        if weights[first, second] > -np.inf and draw.draw(st.integers(0, 3)) == 0:
            weights[first, second] = weights[second, first] = -np.inf
            forest.refused(second, first)
        else:
            kept, gone = draw.draw(st.permutations([first, second]))
            alive.remove(gone)
            for other in alive:
                weights[kept, other] = weights[other, kept] = draw.draw(values)
            weights[gone, :] = weights[:, gone] = -np.inf
            forest.merged(kept, gone)
            if draw.draw(st.booleans()):
                rows = np.array(alive)
                weights = weights[np.ix_(rows, rows)]
                forest.relabelled(weights, rows)
                alive = list(range(len(alive)))
        assert in_order(forest.edges) == kruskal(weights)


@settings(max_examples=150, deadline=None)
@given(tied_weights(), st.data())
def test_a_followed_forest_is_the_one_computed_afresh_with_ties(
    weights: NDArray[np.float64], data: st.DataObject
) -> None:
    follow(weights, data, level())


def random_weights(count: int, seed: int) -> NDArray[np.float64]:
    half = np.random.default_rng(seed).normal(size=(count, count))
    return np.asarray(half + half.T)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 24), st.integers(0, 2**32 - 1), st.data())
def test_a_followed_forest_is_the_one_computed_afresh_without_ties(count: int, seed: int, data: st.DataObject) -> None:
    follow(random_weights(count, seed), data, st.floats(-1, 1))


@pytest.mark.parametrize("hub", [0, 7, 14])
def test_losing_a_hub_reconnects_all_that_hung_on_it(hub: int) -> None:
    weights = np.random.default_rng(hub).uniform(0, 0.5, size=(15, 15))
    weights = weights + weights.T
    weights[hub, :] = weights[:, hub] = 2.0
    forest = SpanningForest(weights)
    assert all(hub in edge for edge in forest.edges)
    kept = (hub + 1) % 15
    weights[kept, :] = weights[:, kept] = -1.0
    weights[hub, :] = weights[:, hub] = -np.inf
    forest.merged(kept, hub)
    assert in_order(forest.edges) == kruskal(weights)
