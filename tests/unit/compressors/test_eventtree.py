"""EventTree as a whole: a slow version of the method, nesting of ratios, and M below the number of trees."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.eventtree.method import EventTree
from memforest.compressors.eventtree.partition import partition, quotas
from memforest.core.order import in_time_order
from memforest.core.types import Memory, MemoryNode, target_count
from tests.builders import memory
from tests.unit.compressors.grids import drive, groups, memories, merged
from tests.unit.compressors.test_shrinking_tree import afresh

RATIOS = (0.0, 0.3, 0.5, 0.7, 0.9)


def literal(of: Memory, *, alpha: float, eta: float, ratio: float, seed: int) -> tuple[MemoryNode, ...]:
    """Tree after tree, everything recomputed after every merge; then all trees as one."""
    target = target_count(count=len(of), ratio=ratio)
    live = dict(enumerate(of.nodes))

    def shrink(places: list[int], kept: int) -> list[int]:
        while len(places) > kept:
            best = afresh([live[place] for place in places], set(), eta)
            assert best is not None
            first, second = places[best[0]], places[best[1]]
            pair = in_time_order(live[first], live[second])
            stays = first if live[first] is pair.newer else second
            goes = second if stays == first else first
            live[stays] = merged(pair)
            del live[goes]
            places = [place for place in places if place != goes]
        return places

    if target < len(of):
        parts = partition(of, alpha=alpha, seed=seed, beta=0.8, window=5)
        for places, kept in zip(parts, quotas([len(part) for part in parts], target), strict=True):
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
    reduction, _ = drive(EventTree(alpha=alpha, eta=eta, beta=0.8, window=5), of, ratio=ratio, seed=seed)
    expected = literal(of, alpha=alpha, eta=eta, ratio=ratio, seed=seed)
    assert groups(reduction.nodes) == groups(expected)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_higher_ratio_merges_on_where_a_lower_one_stopped(alpha: float, seed: int) -> None:
    of = memory(60, seed=seed)
    compressor = EventTree(alpha=alpha, eta=0.99, beta=0.8, window=5)
    sizes = [len(part) for part in partition(of, alpha=alpha, seed=seed, beta=0.8, window=5)]
    ratios = (0.2, 0.3, 0.5, 0.7)
    kept = [quotas(sizes, target_count(count=60, ratio=ratio)) for ratio in ratios]
    assert all(more >= less for above, below in pairwise(kept) for more, less in zip(above, below, strict=True))
    results = [groups(drive(compressor, of, ratio=ratio, seed=seed)[0].nodes) for ratio in ratios]
    for finer, coarser in pairwise(results):
        assert all(any(group <= other for other in coarser) for group in finer)


@pytest.mark.parametrize("ratio", [0.6, 0.9, 0.98])
def test_whole_trees_merge_with_each_other_when_m_is_below_their_number(ratio: float) -> None:
    of = memory(60)
    parts = partition(of, alpha=0.5, seed=0, beta=0.8, window=5)
    target = target_count(count=60, ratio=ratio)
    assert target < len(parts)
    reduction, _ = drive(EventTree(alpha=0.5, eta=0.99, beta=0.8, window=5), of, ratio=ratio)
    assert len(reduction.nodes) == target
    for part in parts:
        members = {of.nodes[place].id for place in part}
        assert any(members <= group for group in groups(reduction.nodes))


def test_no_pair_crosses_trees_while_m_is_above_their_number() -> None:
    of = memory(60)
    parts = partition(of, alpha=0.1, seed=0, beta=0.8, window=5)
    tree = {of.nodes[place].id: number for number, part in enumerate(parts) for place in part}
    _, asked = drive(EventTree(alpha=0.1, eta=0.99, beta=0.8, window=5), of, ratio=0.7)
    assert asked
    for pair in asked:
        assert len({tree[member] for member in (*pair.older.members, *pair.newer.members)}) == 1


def test_trees_keep_their_quota() -> None:
    of = memory(60)
    parts = partition(of, alpha=0.1, seed=0, beta=0.8, window=5)
    reduction, _ = drive(EventTree(alpha=0.1, eta=0.99, beta=0.8, window=5), of, ratio=0.5)
    per_tree = [sum(bool(part & group) for group in groups(reduction.nodes)) for part in _ids(of, parts)]
    assert per_tree == quotas([len(part) for part in parts], 30)
    assert reduction.details["trees"] == len(parts)


def _ids(of: Memory, parts: list[list[int]]) -> list[frozenset[str]]:
    return [frozenset(of.nodes[place].id for place in part) for part in parts]
