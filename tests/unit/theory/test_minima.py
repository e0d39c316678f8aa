"""rho_min, against the smallest entry of the whole matrix after each merge."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memforest.core.vectors import similarity
from memforest.theory.minima import minimum_similarities
from memforest.theory.trace import Trace
from tests.unit.theory.traces import random_trace


def slow_minima(trace: Trace) -> NDArray[np.float64]:
    """All pairs of live rows, after every merge."""
    live = set(range(trace.nodes))
    minima = [_minimum(trace, live)]
    for older, newer, made in zip(trace.older.tolist(), trace.newer.tolist(), trace.merged.tolist(), strict=True):
        live = live - {older, newer} | {made}
        minima.append(_minimum(trace, live))
    return np.array(minima)


def _minimum(trace: Trace, live: set[int]) -> float:
    return min((float(similarity(trace.grid[a], trace.grid[b])) for a, b in combinations(live, 2)), default=np.nan)


@given(
    nodes=st.integers(1, 12),
    merged=st.floats(0, 1),
    copies=st.integers(0, 2),
    weight=st.sampled_from([0.5, 0.2, None]),
    seed=st.integers(0, 10_000),
)
def test_minima_are_those_of_all_live_pairs(
    nodes: int, merged: float, copies: int, weight: float | None, seed: int
) -> None:
    merges = round(merged * (nodes - 1))
    trace = random_trace(nodes=nodes, merges=merges, seed=seed, weight=weight, copies=min(copies, nodes // 2))
    assert np.array_equal(minimum_similarities(trace), slow_minima(trace), equal_nan=True)


def test_a_single_node_has_no_minimum() -> None:
    assert np.isnan(minimum_similarities(random_trace(nodes=4, merges=3, seed=0))[-1])


def test_the_minimum_can_rise() -> None:
    """Against the paper: rho_min falls only where a merged node lies further out than its parts."""
    minima = minimum_similarities(random_trace(nodes=12, merges=10, seed=0))
    assert (np.diff(minima) > 0).any()
