"""ToMe, DART, KMeans, random pruning and random merging against literal versions of their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memforest.compressors.clustering import kmeans
from memforest.compressors.dart import Dart
from memforest.compressors.kmeans import KMeansPruning
from memforest.compressors.random_merging import RandomMerging
from memforest.compressors.random_pruning import RandomPruning
from memforest.compressors.tome import ToMe
from memforest.core.order import in_time_order
from memforest.core.seeding import generator
from memforest.core.types import Memory, MemoryNode, target_count
from memforest.core.vectors import on_grid, similarity
from tests.builders import memory
from tests.unit.compressors.grids import GRID, drive, gridded, groups, memories, merged

RATIOS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)


def cosine(first: MemoryNode, second: MemoryNode) -> float:
    return float(similarity(on_grid(first.vector)[None], on_grid(second.vector))[0])


def slow_tome(of: Memory, target: int) -> list[MemoryNode]:
    """Rounds of: split alternately, best partner in B for each of A, r best edges, chains one after the other."""
    nodes = list(of.nodes)
    while len(nodes) > target:
        left, right = nodes[::2], nodes[1::2]
        edges = []
        for row, node in enumerate(left):
            cosines = [cosine(node, other) for other in right]
            column = cosines.index(max(cosines))
            edges.append((-cosines[column], row, column))
        current = dict(enumerate(right))
        seat = {column: 2 * column + 1 for column in current}
        gone = set()
        for _, row, column in sorted(edges)[: min(len(nodes) - target, len(nodes) // 2)]:
            pair = (
                in_time_order(left[row], current[column])
                if 2 * row < seat[column]
                else in_time_order(current[column], left[row])
            )
            if pair.newer is left[row]:
                gone.add(seat[column])
                seat[column] = 2 * row
            else:
                gone.add(2 * row)
            current[column] = merged(pair)
        seated = {seat[column]: node for column, node in current.items()}
        nodes = [seated.get(place, node) for place, node in enumerate(nodes) if place not in gone]
    return nodes


@settings(max_examples=80, deadline=None)
@given(memories(largest=13), st.sampled_from(RATIOS))
def test_tome_is_the_literal_one(of: Memory, ratio: float) -> None:
    reduction, _ = drive(ToMe(), of, ratio=ratio)
    assert groups(reduction.nodes) == groups(slow_tome(of, target_count(count=len(of), ratio=ratio)))


def test_tome_merges_each_even_node_with_its_best_odd_one() -> None:
    of = gridded([GRID[row] for row in (0, 1, 1, 0, 5, 3)], [None] * 6)
    reduction, asked = drive(ToMe(), of, ratio=1 / 3)
    assert [{*pair.older.members, *pair.newer.members} for pair in asked] == [{"n00", "n03"}, {"n01", "n02"}]
    assert groups(reduction.nodes) == [{"n01", "n02"}, {"n00", "n03"}, {"n04"}, {"n05"}]


@pytest.mark.parametrize(("ratio", "rounds"), [(0.0, 0), (0.3, 1), (0.5, 1), (0.7, 2), (0.9, 4)])
def test_tome_needs_the_papers_number_of_rounds(ratio: float, rounds: int) -> None:
    reduction, _ = drive(ToMe(), memory(40), ratio=ratio)
    assert reduction.details["rounds"] == rounds


def slow_dart(of: Memory, target: int, pivots: list[int]) -> list[str]:
    """Pivots, then the nodes of the lowest mean cosine to them, ties by insertion."""
    others = [place for place in range(len(of)) if place not in pivots]
    likeness = {p: sum(cosine(of.nodes[p], of.nodes[q]) for q in pivots) / len(pivots) for p in others}
    kept = [*pivots, *sorted(others, key=lambda place: (likeness[place], place))][:target]
    return [of.nodes[place].id for place in sorted(kept)]


@settings(max_examples=60, deadline=None)
@given(memories(largest=14), st.sampled_from(RATIOS), st.sampled_from([0.02, 0.15, 0.5]), st.integers(0, 3))
def test_dart_is_the_literal_one_given_its_pivots(of: Memory, ratio: float, share: float, seed: int) -> None:
    target = target_count(count=len(of), ratio=ratio)
    count = min(target, max(1, round(share * len(of))))
    pivots = generator(seed=seed, purpose=of.id).choice(len(of), size=count, replace=False).tolist()
    reduction, asked = drive(Dart(pivot_share=share), of, ratio=ratio, seed=seed)
    assert not asked
    assert reduction.details["pivots"] == count
    assert [node.id for node in reduction.nodes] == slow_dart(of, target, pivots)


@pytest.mark.parametrize(("nodes", "pivots"), [(1, 1), (49, 1), (60, 1), (76, 2), (300, 6)])
def test_dart_draws_two_percent_as_pivots_but_at_least_one(nodes: int, pivots: int) -> None:
    reduction, _ = drive(Dart(pivot_share=0.02), memory(nodes), ratio=0.5)
    assert reduction.details["pivots"] == pivots


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.9])
def test_kmeans_keeps_the_node_nearest_to_each_centre(ratio: float, seed: int) -> None:
    of = memory(60, seed=seed)
    target = target_count(count=60, ratio=ratio)
    clusters = kmeans(of.grid, clusters=target, seed=seed)
    assert clusters.count == target
    reduction, _ = drive(KMeansPruning(), of, ratio=ratio, seed=seed)
    kept = {node.id for node in reduction.nodes}
    for cluster in range(target):
        rows = np.flatnonzero(clusters.labels == cluster)
        distances = _distances(of, rows)
        nearest = {of.nodes[row].id for row in rows[distances < distances.min() + 1e-9]}
        assert len(kept & nearest) == len(kept & {of.nodes[row].id for row in rows}) == 1


def _distances(of: Memory, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Squared distances of a cluster's nodes to their mean."""
    vectors = of.matrix[rows].astype(np.float64)
    return np.asarray(((vectors - vectors.mean(axis=0)) ** 2).sum(axis=1))


def test_of_two_equally_near_nodes_the_first_one_survives() -> None:
    for seed in range(5):
        of = memory(60, seed=seed)
        clusters = kmeans(of.grid, clusters=30, seed=seed)
        for cluster in range(clusters.count):
            rows = np.flatnonzero(clusters.labels == cluster)
            if len(rows) == 2:
                assert clusters.nearest()[cluster] == rows[0]


def test_kmeans_takes_further_nodes_where_vectors_coincide() -> None:
    of = gridded([GRID[row] for row in (0, 0, 0, 0, 1, 1, 1, 1)], [None] * 8)
    reduction, _ = drive(KMeansPruning(), of, ratio=0.5)
    assert Counter(node.vector.tobytes() for node in reduction.nodes) == {GRID[0].tobytes(): 2, GRID[1].tobytes(): 2}


def test_random_pruning_keeps_every_node_about_equally_often() -> None:
    of, draws = memory(20), 400
    kept = Counter(
        node.id for seed in range(draws) for node in drive(RandomPruning(), of, ratio=0.5, seed=seed)[0].nodes
    )
    spread = 5 * (draws * 0.25) ** 0.5
    assert len(kept) == 20
    assert all(abs(times - draws / 2) < spread for times in kept.values())


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_random_merging_keeps_m_targets_apart(ratio: float, seed: int) -> None:
    of = memory(60)
    reduction, asked = drive(RandomMerging(), of, ratio=ratio, seed=seed)
    order = generator(seed=seed, purpose=of.id).permutation(60)
    targets = {of.nodes[place].id for place in order[: target_count(count=60, ratio=ratio)]}
    assert all(len(targets & group) == 1 for group in groups(reduction.nodes))
    for pair in asked:
        sides = [targets & {*side.members} for side in (pair.older, pair.newer)]
        assert sorted(map(len, sides)) == [0, 1]


def test_random_merging_draws_targets_about_equally_often() -> None:
    of, draws = memory(10), 300
    sizes: Counter[int] = Counter()
    for seed in range(draws):
        order = generator(seed=seed, purpose=of.id).permutation(10)
        targets = sorted(int(place) for place in order[:2])
        (group,) = (
            g for g in groups(drive(RandomMerging(), of, ratio=0.8, seed=seed)[0].nodes) if f"n{targets[0]}" in g
        )
        sizes[len(group) - 1] += 1
    mean = sum(size * times for size, times in sizes.items()) / draws
    assert abs(mean - 4) < 5 * (8 * 0.25 / draws) ** 0.5
    assert len(sizes) > 5
