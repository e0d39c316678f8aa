"""EventTree as a whole: a slow version of the method, nesting of ratios, and M below the number of trees."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.eventtree.tree import EdgeScore
from memforest.compressors.quotas import ceil_per_group, largest_remainder
from memforest.core.errors import ConfigError, MethodError
from memforest.core.order import in_time_order
from memforest.core.outcomes import MergeFailed
from memforest.core.types import Memory, MemoryNode, target_count
from memforest.core.vectors import normalised
from tests.builders import memory
from tests.unit.compressors.grids import drive, eventtree, gridded, groups, memories, merged, union_partition
from tests.unit.compressors.test_shrinking_tree import PAPER, afresh

RATIOS = (0.0, 0.3, 0.5, 0.7, 0.9)


def literal(of: Memory, *, alpha: float, eta: float, ratio: float, seed: int) -> tuple[MemoryNode, ...]:
    """Tree after tree, everything recomputed after every merge; then all trees as one."""
    target = target_count(count=len(of), ratio=ratio)
    score = EdgeScore(eta=eta, degree="raw", edge_rule="max_tree")
    live = dict(enumerate(of.nodes))

    def shrink(places: list[int], kept: int) -> list[int]:
        while len(places) > kept:
            best = afresh([live[place] for place in places], set(), score)
            assert best is not None
            first, second = (places[position] for position in best[1])
            pair = in_time_order(live[first], live[second])
            stays = first if live[first] is pair.newer else second
            goes = second if stays == first else first
            live[stays] = merged(pair)
            del live[goes]
            places = [place for place in places if place != goes]
        return places

    if target < len(of):
        parts = union_partition(of, alpha=alpha, seed=seed, beta=0.8, window=5)
        for places, kept in zip(parts, largest_remainder([len(part) for part in parts], target), strict=True):
            shrink(places, kept)
        shrink(sorted(live), target)
    return tuple(live[place] for place in sorted(live))


@settings(max_examples=40, deadline=None)
@given(
    memories(largest=12),
    st.sampled_from([0.05, 0.3, 0.7]),
    st.sampled_from([0.9, 0.99]),
    st.sampled_from(RATIOS),
    st.integers(0, 2),
)
def test_the_result_is_the_slow_methods(of: Memory, alpha: float, eta: float, ratio: float, seed: int) -> None:
    reduction, _ = drive(eventtree(alpha=alpha, eta=eta, beta=0.8, window=5), of, ratio=ratio, seed=seed)
    expected = literal(of, alpha=alpha, eta=eta, ratio=ratio, seed=seed)
    assert groups(reduction.nodes) == groups(expected)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_higher_ratio_merges_on_where_a_lower_one_stopped(alpha: float, seed: int) -> None:
    of = memory(60, seed=seed)
    compressor = eventtree(alpha=alpha, eta=0.99, beta=0.8, window=5)
    sizes = [len(part) for part in union_partition(of, alpha=alpha, seed=seed, beta=0.8, window=5)]
    ratios = (0.2, 0.3, 0.5, 0.7)
    kept = [largest_remainder(sizes, target_count(count=60, ratio=ratio)) for ratio in ratios]
    assert all(more >= less for above, below in pairwise(kept) for more, less in zip(above, below, strict=True))
    results = [groups(drive(compressor, of, ratio=ratio, seed=seed)[0].nodes) for ratio in ratios]
    for finer, coarser in pairwise(results):
        assert all(any(group <= other for other in coarser) for group in finer)


@pytest.mark.parametrize("ratio", [0.6, 0.9, 0.98])
def test_whole_trees_merge_with_each_other_when_m_is_below_their_number(ratio: float) -> None:
    of = memory(60)
    parts = union_partition(of, alpha=0.5, seed=0, beta=0.8, window=5)
    target = target_count(count=60, ratio=ratio)
    assert target < len(parts)
    reduction, _ = drive(eventtree(alpha=0.5, eta=0.99, beta=0.8, window=5), of, ratio=ratio)
    assert len(reduction.nodes) == target
    for part in parts:
        members = {of.nodes[place].id for place in part}
        assert any(members <= group for group in groups(reduction.nodes))


def test_no_pair_crosses_trees_while_m_is_above_their_number() -> None:
    of = memory(60)
    parts = union_partition(of, alpha=0.1, seed=0, beta=0.8, window=5)
    tree = {of.nodes[place].id: number for number, part in enumerate(parts) for place in part}
    _, asked = drive(eventtree(alpha=0.1, eta=0.99, beta=0.8, window=5), of, ratio=0.7)
    assert asked
    for pair in asked:
        assert len({tree[member] for member in (*pair.older.members, *pair.newer.members)}) == 1


def test_trees_keep_their_quota() -> None:
    of = memory(60)
    parts = union_partition(of, alpha=0.1, seed=0, beta=0.8, window=5)
    reduction, _ = drive(eventtree(alpha=0.1, eta=0.99, beta=0.8, window=5), of, ratio=0.5)
    per_tree = [sum(bool(part & group) for group in groups(reduction.nodes)) for part in _ids(of, parts)]
    assert per_tree == largest_remainder([len(part) for part in parts], 30)
    assert reduction.details["trees"] == len(parts)


def _ids(of: Memory, parts: list[list[int]]) -> list[frozenset[str]]:
    return [frozenset(of.nodes[place].id for place in part) for part in parts]


def test_the_released_quota_leaves_more_than_m_and_says_so() -> None:
    of = memory(60)
    sizes = [len(part) for part in union_partition(of)]
    reduction, _ = drive(eventtree(alpha=0.1, quota="ceil_per_tree"), of, ratio=0.5)
    assert reduction.target == len(reduction.nodes) == sum(ceil_per_group(sizes, 0.5)) > 30


@settings(max_examples=40, deadline=None)
@given(memories(largest=12), st.sampled_from([0.2, 0.5]), st.sampled_from(RATIOS))
def test_one_order_over_all_trees_takes_the_best_pair_of_any(of: Memory, alpha: float, ratio: float) -> None:
    target = target_count(count=len(of), ratio=ratio)
    reduction, _ = drive(eventtree(alpha=alpha, quota="global"), of, ratio=ratio)
    live = dict(enumerate(of.nodes))
    trees = union_partition(of, alpha=alpha)
    if target < len(of):
        while len(live) > max(target, len(trees)):
            heads = [(afresh([live[place] for place in tree], set(), PAPER), tree) for tree in trees]
            (_, best), tree = max(((head, tree) for head, tree in heads if head), key=lambda item: item[0][0])
            merge_places(live, tree, (tree[best[0]], tree[best[1]]))
        rest = sorted(live)
        while len(live) > target:
            found = afresh([live[place] for place in rest], set(), PAPER)
            assert found is not None
            merge_places(live, rest, (rest[found[1][0]], rest[found[1][1]]))
    assert groups(reduction.nodes) == groups([live[place] for place in sorted(live)])


def merge_places(live: dict[int, MemoryNode], places: list[int], chosen: tuple[int, int]) -> None:
    """Merge two of a tree's places; the newer part's place stays."""
    first, second = chosen
    pair = in_time_order(live[first], live[second])
    stays = first if live[first] is pair.newer else second
    goes = second if stays == first else first
    live[stays] = merged(pair)
    del live[goes]
    places.remove(goes)


def test_one_order_over_all_trees_is_not_the_quota_of_each() -> None:
    of = memory(60)
    everywhere, _ = drive(eventtree(alpha=0.1, quota="global"), of, ratio=0.5)
    each, _ = drive(eventtree(alpha=0.1), of, ratio=0.5)
    assert len(everywhere.nodes) == len(each.nodes) == 30
    assert groups(everywhere.nodes) != groups(each.nodes)


def test_random_pairs_stay_within_their_tree_and_follow_the_seed() -> None:
    of = memory(60)
    tree = {of.nodes[place].id: number for number, part in enumerate(union_partition(of)) for place in part}
    results = []
    for seed in (0, 0, 1):
        reduction, asked = drive(eventtree(alpha=0.1, edge_rule="random"), of, ratio=0.5, seed=seed)
        results.append(groups(reduction.nodes))
        if seed == 0:
            assert all(tree[pair.older.members[0]] == tree[pair.newer.members[0]] for pair in asked)
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("ratio", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("spread", [0.0, 1e-4, 1.0])
def test_a_tree_above_the_limit_is_split_and_m_stays_exact(ratio: float, spread: float) -> None:
    noise = np.random.default_rng(0).normal(size=(90, 8)) * spread
    of = gridded(list(normalised(np.eye(8)[0] + noise)), [None] * 90)
    reduction, _ = drive(eventtree(alpha=0.01, tree_limit=20), of, ratio=ratio)
    assert len(reduction.nodes) == target_count(count=90, ratio=ratio)
    assert reduction.details["split_trees"] == 1
    assert sorted(member for node in reduction.nodes for member in node.members) == [node.id for node in of.nodes]


def test_a_failed_merge_aborts_when_asked_to() -> None:
    of = memory(20)
    waves = eventtree(on_failure="abort").compress(memory=of, ratio=0.5, seed=0)
    wave = next(waves)
    with pytest.raises(MethodError, match=r"the model was away.*on_failure=next_pair"):
        waves.send([MergeFailed("the model was away") for _ in wave])


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("partition", "clusters"), ("alpha", 0), ("cluster_rounding", "up"), ("kmeans_initialisation", "best"),
        ("kmeans_starts", 0), ("kmeans_iterations", 0), ("kmeans_tolerance", -1), ("beta", 2), ("window", -1),
        ("window_unit", "days"), ("exact_up_to", 1), ("scan_size", 0), ("scan_threshold", 2), ("eta", -1),
        ("degree", "soft"), ("edge_rule", "best"), ("quota", "fair"), ("tree_limit", 2), ("on_failure", "ignore"),
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_named(setting: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"compressor\.{setting}\b"):
        eventtree(**{setting: value})


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("memforest_released_mem0", {"eta": 0.9, "degree": "max_norm", "quota": "ceil_per_tree"}),
        ("memforest_released_m3", {"degree": "max_norm", "quota": "ceil_per_tree", "kmeans_starts": 10}),
        ("memforest_without_global", {"partition": "scan"}),
        ("memforest_without_local", {"beta": 1.0}),
        ("memforest_random_pairs", {"edge_rule": "random"}),
        ("memforest_minimum_tree", {"edge_rule": "min_tree", "degree": "none"}),
        ("memforest_without_degree", {"eta": 1.0}),
    ],
)
def test_a_preset_is_the_method_with_its_settings(preset: str, changes: dict[str, Any]) -> None:
    of = memory(80, dimension=64)
    made, _ = drive(eventtree(preset=preset, alpha=0.1), of, ratio=0.5)
    extra: dict[str, Any] = {"kmeans_initialisation": "d2_sampling", "kmeans_iterations": 30, "kmeans_tolerance": 0.0}
    expected, _ = drive(eventtree(alpha=0.1, **changes, **(extra if preset.endswith("mem0") else {})), of, ratio=0.5)
    assert groups(made.nodes) == groups(expected.nodes)
    assert groups(made.nodes) != groups(drive(eventtree(alpha=0.1), of, ratio=0.5)[0].nodes)
