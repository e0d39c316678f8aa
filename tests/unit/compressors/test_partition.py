"""The semantic-temporal partition against a slow version."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.clustering import bounded_groups, kmeans
from memforest.compressors.eventtree.partition import cluster_count
from memforest.compressors.eventtree.scan import ScanRule
from memforest.compressors.quotas import largest_remainder
from memforest.core.order import chronological_ranks
from memforest.core.types import Memory
from memforest.core.vectors import on_grid, similarity
from tests.builders import DAY, START, memory, node
from tests.unit.compressors.grids import memories, union_partition


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
    assert cluster_count(nodes, alpha, rounding="floor") == expected


def literal(of: Memory, *, alpha: float, beta: float, window: int, seed: int) -> list[list[int]]:
    """Equations 1 to 4, node by node, given the clusters."""
    clusters = kmeans(of.grid, clusters=cluster_count(len(of), alpha, rounding="floor"), seed=seed)
    centres = clusters.nearest().tolist()
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
    parts = union_partition(of, alpha=alpha, beta=beta, window=window, seed=seed)
    assert parts == literal(of, alpha=alpha, beta=beta, window=window, seed=seed)


@settings(max_examples=40, deadline=None)
@given(memories(largest=14), st.sampled_from([0.05, 0.3, 0.7]), st.integers(0, 3))
def test_every_node_stands_in_exactly_one_tree(of: Memory, alpha: float, seed: int) -> None:
    parts = union_partition(of, alpha=alpha, beta=0.8, window=5, seed=seed)
    assert sorted(place for part in parts for place in part) == list(range(len(of)))
    assert all(part and part == sorted(part) for part in parts)


def test_centre_nodes_stay_even_where_another_centre_is_more_similar() -> None:
    # Rounding leaves no vector quite of length 1; here it is made large.
    of = memory([node("short", vector=[0.5, 0.0]), node("long", vector=[1.0, 0.0])])
    assert sorted(union_partition(of, alpha=1.0, beta=1.0, window=0, seed=0)) == [[0], [1]]


@pytest.mark.parametrize("seed", range(3))
def test_ties_go_to_the_nodes_own_cluster(seed: int) -> None:
    of = memory(60, seed=seed)
    clusters = kmeans(of.grid, clusters=6, seed=seed)
    parts = union_partition(of, alpha=0.1, beta=0.0, window=60, seed=seed)
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
    parts = union_partition(of, alpha=0.1, beta=1.0, window=5, seed=seed)
    assert parts == union_partition(shuffled, alpha=0.1, beta=1.0, window=0, seed=seed)
    clusters = kmeans(of.grid, clusters=6, seed=seed)
    centres = clusters.nearest().tolist()
    cosines = similarity(of.grid, of.grid[centres])
    for tree, part in enumerate(parts):
        assert all(cosines[place, tree] == cosines[place].max() for place in part if place not in centres)


def test_the_window_counts_ranks_not_seconds() -> None:
    of = memory(60)
    stretched = memory([node(item.id, vector=item.vector, time=START + DAY * n**3) for n, item in enumerate(of.nodes)])
    parts = union_partition(of, alpha=0.1, beta=0.5, window=5, seed=0)
    assert union_partition(stretched, alpha=0.1, beta=0.5, window=5, seed=0) == parts
    assert union_partition(of, alpha=0.1, beta=0.5, window=6, seed=0) != parts


def test_the_window_reaches_just_its_ranks_to_both_sides() -> None:
    of = memory(60)
    clusters = kmeans(of.grid, clusters=6, seed=0)
    centres = clusters.nearest().tolist()
    parts = union_partition(of, alpha=0.1, beta=0.0, window=2, seed=0)
    owner = {place: tree for tree, part in enumerate(parts) for place in part}
    for place in set(range(60)) - set(centres):
        near = [tree for tree, centre in enumerate(centres) if abs(centre - place) <= 2]
        assert owner[place] in (near or range(6))
        assert near or owner[place] == clusters.labels[place]


@pytest.mark.parametrize(("rounding", "expected"), [("floor", [2, 2, 1]), ("ceil", [3, 2, 1]), ("round", [2, 2, 1])])
def test_clusters_can_be_rounded_in_three_ways(rounding: str, expected: list[int]) -> None:
    assert [cluster_count(nodes, 0.05, rounding=rounding) for nodes in (47, 40, 1)] == expected


def sessions(days: list[int]) -> Memory:
    """Sixty random nodes with sessions at these days, ten nodes each."""
    return memory(
        [node(n.id, vector=n.vector, time=DAY * days[place // 10]) for place, n in enumerate(memory(60).nodes)]
    )


def test_dense_ranks_count_sessions_whatever_lies_between() -> None:
    even, uneven = sessions([1, 2, 3, 4, 5, 6]), sessions([1, 2, 300, 301, 302, 1000])
    for window in (0, 1):
        parts = union_partition(even, beta=0.2, window=window, window_unit="dense_rank")
        assert parts == union_partition(uneven, beta=0.2, window=window, window_unit="dense_rank")
        assert parts != union_partition(even, beta=0.2, window=window, window_unit="rank")


def test_seconds_count_as_they_are() -> None:
    of = sessions([1, 2, 300, 301, 302, 1000])
    by_day = union_partition(of, beta=0.2, window=DAY, window_unit="seconds")
    assert by_day == union_partition(of, beta=0.2, window=1.5 * DAY, window_unit="seconds")
    assert by_day != union_partition(of, beta=0.2, window=DAY - 1, window_unit="seconds")


def test_clips_are_half_minutes() -> None:
    of = memory([node(n.id, vector=n.vector, time=7.0 * place) for place, n in enumerate(memory(60).nodes)])
    floored = memory([node(n.id, vector=n.vector, time=30.0 * (7 * place // 30)) for place, n in enumerate(of.nodes)])
    parts = union_partition(of, beta=0.2, window=1, window_unit="clip")
    assert parts == union_partition(floored, beta=0.2, window=30, window_unit="seconds")


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(memories(smallest=2, largest=40), st.integers(2, 10), st.sampled_from([0.05, 0.3, 1.0]), st.integers(0, 2))
def test_a_large_memory_is_partitioned_group_by_group(of: Memory, limit: int, alpha: float, seed: int) -> None:
    parts = union_partition(of, alpha=alpha, exact_up_to=limit, seed=seed)
    assert sorted(place for part in parts for place in part) == list(range(len(of)))
    assert all(part and part == sorted(part) for part in parts)
    assert parts == union_partition(of, alpha=alpha, exact_up_to=limit, seed=seed)


def test_a_large_memory_meets_centres_near_in_time_of_any_group() -> None:
    of = memory(300, dimension=16, session_size=1)
    parts = union_partition(of, alpha=0.1, beta=0.0, window=1, exact_up_to=40)
    tree = {place: number for number, part in enumerate(parts) for place in part}
    found = bounded_groups(of.grid, largest=40, seed=0)
    counts = largest_remainder([len(group) for group in found], 30)
    centres = [
        int(centre)
        for group, count in zip(found, counts, strict=True)
        for centre in group[kmeans(of.grid[group], clusters=count, seed=0).nearest()]
    ]
    reached = [place for place in range(300) if place not in centres and {place - 1, place + 1} & set(centres)]
    assert len(reached) > 30
    for place in reached:
        assert abs(centres[tree[place]] - place) == 1


def test_the_numbers_of_clusters_in_groups_add_up_to_k() -> None:
    assert len(union_partition(memory(300, dimension=16), alpha=0.1, exact_up_to=60)) == 30


def drawn_together(of: Memory, size: int, threshold: float) -> list[list[int]]:
    """Appendix A.3, window by window."""
    order = sorted(range(len(of)), key=lambda place: (of.nodes[place].time or 0.0, place))
    windows = [order[start : start + size] for start in range(0, len(order), size)]
    trees = [list(windows[0])]
    for before, window in pairwise(windows):
        cosines = [float(similarity(of.grid[[a]], of.grid[b])[0]) for a in before for b in window]
        if np.mean(cosines) > threshold:
            trees[-1].extend(window)
        else:
            trees.append(list(window))
    return [sorted(tree) for tree in trees]


@pytest.mark.parametrize("size", [1, 5, 7])
@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.1, 1.0])
def test_windows_join_when_they_are_similar(size: int, threshold: float) -> None:
    of = memory(38)
    parts = [part.tolist() for part in ScanRule(size=size, threshold=threshold).partition(of, seed=0)]
    assert parts == drawn_together(of, size, threshold)


@settings(max_examples=40, deadline=None)
@given(memories(), st.integers(1, 6))
def test_windows_follow_the_timeline(of: Memory, size: int) -> None:
    parts = ScanRule(size=size, threshold=1.0).partition(of, seed=0)
    assert sorted(np.concatenate(parts)) == list(range(len(of)))
    ranks = chronological_ranks([item.time for item in of.nodes])
    assert sorted(ranks[np.concatenate(parts)]) == list(range(len(of)))
    assert [sorted(ranks[part]) for part in parts] == [
        list(range(min(ranks[part]), max(ranks[part]) + 1)) for part in parts
    ]


def test_a_mean_cosine_at_the_threshold_begins_a_new_tree() -> None:
    of = memory([node(f"n{place}", vector=[1.0, 0.0]) for place in range(4)])
    assert len(ScanRule(size=2, threshold=1.0).partition(of, seed=0)) == 2
    assert len(ScanRule(size=2, threshold=0.99).partition(of, seed=0)) == 1


@settings(max_examples=60, deadline=None)
@given(memories(smallest=1, largest=40), st.integers(1, 12), st.integers(0, 2))
def test_groups_are_bounded_and_hold_every_place_once(of: Memory, largest: int, seed: int) -> None:
    found = bounded_groups(of.grid, largest=largest, seed=seed)
    assert sorted(np.concatenate(found)) == list(range(len(of)))
    assert all(0 < len(group) <= largest and (np.diff(group) > 0).all() for group in found)


def test_groups_hold_similar_vectors() -> None:
    of = memory(400, dimension=4)
    groups = bounded_groups(of.grid, largest=60, seed=0)
    within = np.mean([similarity(of.grid[group], of.grid[group]).mean() for group in groups])
    assert within > 0.5 > abs(similarity(of.grid, of.grid).mean())
