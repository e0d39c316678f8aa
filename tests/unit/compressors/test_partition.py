"""Quotas and the semantic-temporal partition against slow versions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memforest.compressors.clustering import kmeans
from memforest.compressors.eventtree.partition import cluster_count, partition, quotas
from memforest.core.types import Memory
from memforest.core.vectors import on_grid, similarity
from tests.builders import DAY, START, memory, node
from tests.unit.compressors.grids import memories


@st.composite
def sizes_and_target(draw: st.DrawFn) -> tuple[list[int], int]:
    sizes = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12))
    return sizes, draw(st.integers(1, sum(sizes)))


def by_largest_remainder(sizes: Sequence[int], target: int) -> list[int]:
    """Exact shares, floored and bounded; then one node at a time to or from the tree that is furthest off."""
    shares = [Fraction(size * target, sum(sizes)) for size in sizes]
    kept = [min(size, max(1, math.floor(share))) for size, share in zip(sizes, shares, strict=True)]
    places = range(len(sizes))
    while sum(kept) < max(target, len(sizes)):
        lacking = [place for place in places if kept[place] < sizes[place]]
        kept[max(lacking, key=lambda place: (shares[place] - kept[place], -place))] += 1
    while sum(kept) > max(target, len(sizes)):
        plenty = [place for place in places if kept[place] > 1]
        kept[max(plenty, key=lambda place: (kept[place] - shares[place], place))] -= 1
    return kept


@given(sizes_and_target())
def test_quotas_sum_to_the_target_or_the_number_of_trees(case: tuple[list[int], int]) -> None:
    sizes, target = case
    assert sum(quotas(sizes, target)) == max(target, len(sizes))


@given(sizes_and_target())
def test_a_quota_is_at_least_one_and_at_most_the_size(case: tuple[list[int], int]) -> None:
    sizes, target = case
    assert all(1 <= kept <= size for kept, size in zip(quotas(sizes, target), sizes, strict=True))


@given(sizes_and_target())
def test_a_quota_is_its_share_rounded_up_or_down_unless_a_tree_would_vanish(case: tuple[list[int], int]) -> None:
    sizes, target = case
    shares = [Fraction(size * target, sum(sizes)) for size in sizes]
    if min(shares) >= 1:
        for kept, share in zip(quotas(sizes, target), shares, strict=True):
            assert kept in (math.floor(share), math.ceil(share))


@settings(max_examples=300)
@given(sizes_and_target())
def test_quotas_follow_the_largest_remainder(case: tuple[list[int], int]) -> None:
    sizes, target = case
    remainders = {size: size * target % sum(sizes) for size in sizes}
    assume(len(set(remainders.values())) == len(remainders))
    assert quotas(*case) == by_largest_remainder(*case)


@pytest.mark.parametrize(("sizes", "target"), [([1, 10, 26, 30, 3], 60)])
def test_equal_remainders_go_to_the_lower_tree(sizes: list[int], target: int) -> None:
    assert quotas(sizes, target) == by_largest_remainder(sizes, target)


@pytest.mark.parametrize(
    ("sizes", "target", "expected"),
    [
        ([10, 10, 10], 15, [5, 5, 5]),
        ([3, 3, 3], 5, [2, 2, 1]),
        ([20, 1, 1], 11, [9, 1, 1]),
        ([5, 5], 1, [1, 1]),
        ([7], 3, [3]),
    ],
)
def test_quotas_of_small_forests(sizes: list[int], target: int, expected: list[int]) -> None:
    assert quotas(sizes, target) == expected


@pytest.mark.parametrize(
    ("nodes", "alpha", "expected"),
    [
        (39, 0.05, 1),
        (40, 0.05, 2),
        (59, 0.05, 2),
        (60, 0.05, 3),
        (100, 0.29, 29),
        (1, 0.05, 1),
        (3, 1.0, 3),
        (3, 2.0, 3),
    ],
)
def test_clusters_are_alpha_n_rounded_down(nodes: int, alpha: float, expected: int) -> None:
    assert cluster_count(nodes, alpha) == expected


def literal(of: Memory, *, alpha: float, beta: float, window: int, seed: int) -> list[list[int]]:
    """Equations 1 to 4, node by node, given the clusters."""
    clusters = kmeans(of, clusters=cluster_count(len(of), alpha), seed=seed)
    centres = [clusters.nearest(cluster) for cluster in range(clusters.count)]
    places = range(len(of))
    latest, times = next((item.time for item in of.nodes if item.time is not None), None), []
    for item in of.nodes:
        latest = latest if item.time is None else item.time
        times.append(latest)
    order = sorted(places, key=lambda place: (times[place] or 0.0, place))
    rank = {place: number for number, place in enumerate(order)}
    trees: list[list[int]] = [[] for _ in centres]
    for place in places:
        if place in centres:
            trees[centres.index(place)].append(place)
            continue
        own = int(clusters.labels[place])
        scores = [
            beta * float(similarity(on_grid(of.nodes[place].vector)[None], on_grid(of.nodes[centre].vector))[0])
            + (1 - beta) * (1.0 if abs(rank[place] - rank[centre]) <= window else 0.0)
            for centre in centres
        ]
        best = own if scores[own] == max(scores) else scores.index(max(scores))
        trees[best].append(place)
    return trees


@settings(max_examples=60, deadline=None)
@given(
    memories(largest=14),
    st.sampled_from([0.05, 0.2, 0.5, 1.0]),
    st.sampled_from([0.0, 0.2, 0.8, 1.0]),
    st.integers(0, 5),
    st.integers(0, 3),
)
def test_the_partition_is_the_literal_one(of: Memory, alpha: float, beta: float, window: int, seed: int) -> None:
    parts = partition(of, alpha=alpha, beta=beta, window=window, seed=seed)
    assert parts == literal(of, alpha=alpha, beta=beta, window=window, seed=seed)


@settings(max_examples=40, deadline=None)
@given(memories(largest=14), st.sampled_from([0.05, 0.3, 0.7]), st.integers(0, 3))
def test_every_node_stands_in_exactly_one_tree(of: Memory, alpha: float, seed: int) -> None:
    parts = partition(of, alpha=alpha, beta=0.8, window=5, seed=seed)
    assert sorted(place for part in parts for place in part) == list(range(len(of)))
    assert all(part and part == sorted(part) for part in parts)


def test_centre_nodes_stay_even_where_another_centre_is_more_similar() -> None:
    # Rounding leaves no vector quite of length 1; here it is made large.
    of = memory([node("short", vector=[0.5, 0.0]), node("long", vector=[1.0, 0.0])])
    assert sorted(partition(of, alpha=1.0, beta=1.0, window=0, seed=0)) == [[0], [1]]


@pytest.mark.parametrize("seed", range(3))
def test_ties_go_to_the_nodes_own_cluster(seed: int) -> None:
    of = memory(60, seed=seed)
    clusters = kmeans(of, clusters=6, seed=seed)
    parts = partition(of, alpha=0.1, beta=0.0, window=60, seed=seed)
    assert parts == [np.flatnonzero(clusters.labels == tree).tolist() for tree in range(6)]


@pytest.mark.parametrize("seed", range(3))
def test_beta_1_is_pure_cosine_whatever_the_times(seed: int) -> None:
    of = memory(60, seed=seed)
    shuffled = memory(
        [
            node(item.id, vector=item.vector, time=float(time))
            for item, time in zip(of.nodes, np.random.default_rng(seed).permutation(60), strict=True)
        ]
    )
    parts = partition(of, alpha=0.1, beta=1.0, window=5, seed=seed)
    assert parts == partition(shuffled, alpha=0.1, beta=1.0, window=0, seed=seed)
    clusters = kmeans(of, clusters=6, seed=seed)
    centres = [clusters.nearest(tree) for tree in range(6)]
    cosines = similarity(of.grid, of.grid[centres])
    for tree, part in enumerate(parts):
        assert all(cosines[place, tree] == cosines[place].max() for place in part if place not in centres)


def test_the_window_counts_ranks_not_seconds() -> None:
    of = memory(60)
    stretched = memory([node(item.id, vector=item.vector, time=START + DAY * n**3) for n, item in enumerate(of.nodes)])
    parts = partition(of, alpha=0.1, beta=0.5, window=5, seed=0)
    assert partition(stretched, alpha=0.1, beta=0.5, window=5, seed=0) == parts
    assert partition(of, alpha=0.1, beta=0.5, window=6, seed=0) != parts


def test_the_window_reaches_just_its_ranks_to_both_sides() -> None:
    of = memory(60)
    clusters = kmeans(of, clusters=6, seed=0)
    centres = [clusters.nearest(tree) for tree in range(6)]
    parts = partition(of, alpha=0.1, beta=0.0, window=2, seed=0)
    owner = {place: tree for tree, part in enumerate(parts) for place in part}
    for place in set(range(60)) - set(centres):
        near = [tree for tree, centre in enumerate(centres) if abs(centre - place) <= 2]
        assert owner[place] in (near or range(6))
        assert near or owner[place] == clusters.labels[place]
