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
)
def test_it_is_the_double_loop(rows: list[tuple[float, float]], anchors: int, gamma: float) -> None:
    rows = sorted(rows, key=lambda row: -row[0])
    anchors = min(anchors, len(rows))
    expected = []
    for score, time in rows:
        nearness = 0.0
        for _, anchor in rows[:anchors]:
            nearness += math.exp(-abs(time - anchor))
        expected.append(gamma * score + (1 - gamma) * nearness / anchors)
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    times = np.array([time for _, time in rows], dtype=np.float64)
    assert propagate(scores, times, anchors=anchors, gamma=gamma).tolist() == pytest.approx(expected, abs=1e-12)


def test_an_anchor_is_near_to_itself() -> None:
    fused = propagate(np.array([0.5, 0.4]), np.array([0.0, 3.0]), anchors=1, gamma=0.0)
    assert fused.tolist() == [1.0, math.exp(-3)]


def test_distances_far_apart_count_nothing() -> None:
    fused = propagate(np.array([0.5, 0.4]), np.array([0.0, 86400.0]), anchors=1, gamma=0.9)
    assert fused.tolist() == [0.9 * 0.5 + (1 - 0.9), 0.9 * 0.4]


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.2 * 30, 6), (0.2 * 20, 4), (0.5, 1), (1.5, 2), (2.5, 3), (2.49, 2), (0.49, 0), (0.2 * 12, 2), (0.1 * 35, 4)],
)
def test_halves_go_up(value: float, rounded: int) -> None:
    assert half_up(value) == rounded


def test_halves_go_up_although_the_product_falls_short_of_them() -> None:
    assert half_up(0.29 * 50) == 15
