"""Logs become arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import StoreError
from memforest.core.merge_log import LoggedMerge, MergeLog, Ref
from memforest.core.vectors import normalised, on_grid
from memforest.theory.trace import interpolated, paired_distance, paired_similarity, sum_shares, trace_of
from tests.builders import axis, memory, node, unit_vectors
from tests.unit.theory.traces import random_trace

FOUR = memory([node(name, vector=axis(place)) for place, name in enumerate("abcd")])


def merge(older: Ref, newer: Ref, *, place: int = 0) -> LoggedMerge:
    return LoggedMerge(older, newer, wave=0, kept=None, dropped=(), vector=axis(place), truncated=False)


def log(*merges: LoggedMerge, pruned: tuple[Ref, ...] = ()) -> MergeLog:
    return MergeLog(memory="m", merges=merges, failures=(), pruned=pruned)


def test_a_log_names_rows_of_originals_and_of_earlier_merges() -> None:
    trace = trace_of(FOUR, log(merge("a", "c", place=1), merge(0, "d", place=2)))
    assert (trace.nodes, trace.merges) == (4, 2)
    assert list(zip(trace.older.tolist(), trace.newer.tolist(), strict=True)) == [(0, 2), (4, 3)]
    assert trace.left.tolist() == [1, 5]
    assert np.array_equal(trace.grid, on_grid(np.stack([axis(place) for place in (0, 1, 2, 3, 1, 2)])))
    assert trace.standing().tolist() == [5, 1, 5, 5, 5, 5]


def test_what_was_pruned_is_not_left() -> None:
    trace = trace_of(FOUR, log(merge("a", "b"), pruned=("d", 0)))
    assert trace.left.tolist() == [2]


def test_a_memory_that_merged_nothing_has_a_trace() -> None:
    trace = trace_of(FOUR, log())
    assert (trace.nodes, trace.merges, trace.left.tolist()) == (4, 0, [0, 1, 2, 3])
    assert trace.standing().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("wrong", [merge("a", "x"), merge("a", 0), merge(3, "a")])
def test_the_log_of_another_memory_is_refused(wrong: LoggedMerge) -> None:
    with pytest.raises(StoreError, match="does not have"):
        trace_of(FOUR, log(wrong))


def test_a_node_that_merged_is_not_there_any_more() -> None:
    with pytest.raises(StoreError, match="does not have"):
        trace_of(FOUR, log(merge("a", "b"), merge("a", "c")))


@given(seed=st.integers(0, 1000))
def test_distances_are_those_of_the_differences(seed: int) -> None:
    left, right = (on_grid(unit_vectors(5, seed=seed + shift)) for shift in (0, 1))
    assert np.allclose(paired_distance(left, right), np.linalg.norm(left - right, axis=1))
    assert np.allclose(paired_similarity(left, right), [a @ b for a, b in zip(left, right, strict=True)])
    assert np.allclose(paired_distance(left, right), np.sqrt(2 - 2 * paired_similarity(left, right)))
    assert not paired_distance(left, left).any()


@given(seed=st.integers(0, 1000), weight=st.floats(0.05, 0.95))
def test_interpolated_vectors_are_equation_11(seed: int, weight: float) -> None:
    trace = random_trace(nodes=7, merges=5, seed=seed, weight=weight)
    assert np.array_equal(interpolated(trace, np.full(5, weight)), trace.grid[trace.merged])


@given(seed=st.integers(0, 1000))
def test_means_of_members_interpolate_by_the_lengths_of_their_sums(seed: int) -> None:
    trace = random_trace(nodes=8, merges=6, seed=seed)
    members = np.random.default_rng(seed).integers(1, 4, size=8)
    originals = [[row] for row in range(8)]
    for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
        originals.append(originals[older] + originals[newer])
        trace.grid[made] = on_grid(normalised(members[originals[made]] @ trace.grid[originals[made]]))
    assert np.allclose(interpolated(trace, sum_shares(trace, members)), trace.grid[trace.merged], atol=1e-6)


def test_parts_without_a_direction_share_equally() -> None:
    nothing = memory([node(name, vector=[0.0] * 4) for name in "ab"])
    trace = trace_of(nothing, log(LoggedMerge("a", "b", 0, None, (), np.zeros(4, dtype=np.float32), truncated=False)))
    assert sum_shares(trace, np.ones(2, dtype=np.intp)).tolist() == [0.5]
