"""Propagation and rounding against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.retrieval.propagation import half_up, propagate

finite = st.floats(-1, 1)


@given(
    st.lists(st.tuples(finite, st.floats(-50, 50)), max_size=12),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    st.booleans(),
)
def test_it_is_the_double_loop(rows: list[tuple[float, float]], anchors: int, gamma: float, include_self: bool) -> None:
    rows = sorted(rows, key=lambda row: -row[0])
    anchors = min(anchors, len(rows))
    expected = []
    for place, (score, time) in enumerate(rows):
        counted = [anchor for anchor in range(anchors) if include_self or anchor != place]
        nearness = sum(math.exp(-abs(time - rows[anchor][1])) for anchor in counted) / max(1, len(counted))
        expected.append(gamma * score + (1 - gamma) * nearness)
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    times = np.array([time for _, time in rows], dtype=np.float64)
    fused = propagate(scores, times, anchors=anchors, gamma=gamma, include_self=include_self)
    assert fused.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("include_self", "nearness"), [(True, [1.0, math.exp(-3)]), (False, [0.0, math.exp(-3)])])
def test_an_anchor_is_near_to_itself_if_it_is_included(include_self: bool, nearness: list[float]) -> None:
    fused = propagate(np.array([0.5, 0.4]), np.array([0.0, 3.0]), anchors=1, gamma=0.0, include_self=include_self)
    assert fused.tolist() == nearness


def test_without_itself_an_anchor_is_as_near_as_the_others_are() -> None:
    fused = propagate(np.ones(3), np.array([0.0, 0.0, 3.0]), anchors=3, gamma=0.0, include_self=False)
    assert fused.tolist() == pytest.approx([(1 + math.exp(-3)) / 2, (1 + math.exp(-3)) / 2, math.exp(-3)])


def test_distances_far_apart_count_nothing() -> None:
    fused = propagate(np.array([0.5, 0.4]), np.array([0.0, 86400.0]), anchors=1, gamma=0.9, include_self=True)
    assert fused.tolist() == [0.9 * 0.5 + (1 - 0.9), 0.9 * 0.4]


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.2 * 30, 6), (0.2 * 20, 4), (0.5, 1), (1.5, 2), (2.5, 3), (2.49, 2), (0.49, 0), (0.2 * 12, 2), (0.1 * 35, 4)],
)
def test_halves_go_up(value: float, rounded: int) -> None:
    assert half_up(value) == rounded


def test_halves_go_up_although_the_product_falls_short_of_them() -> None:
    assert half_up(0.29 * 50) == 15
