"""Bootstrap intervals clustered on units."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.core.intervals import clustered_interval

VALUES = [0.0, 1.0, 0.5, 1.0, 0.0, 0.25]
UNITS = ["a", "a", "b", "b", "c", "c"]


def test_equal_data_give_equal_bounds() -> None:
    assert clustered_interval(VALUES, UNITS) == clustered_interval(VALUES, UNITS)


@pytest.mark.parametrize("units", [[], ["a"], ["a", "a", "a"]])
def test_fewer_than_two_units_have_no_interval(units: list[str]) -> None:
    assert clustered_interval([1.0] * len(units), units) is None


def test_the_interval_holds_the_mean() -> None:
    bounds = clustered_interval(VALUES, UNITS)
    assert bounds is not None
    assert bounds[0] <= np.mean(VALUES) <= bounds[1]
    assert bounds[0] < bounds[1]


def test_equal_values_leave_no_width() -> None:
    assert clustered_interval([0.5] * 6, UNITS) == (0.5, 0.5)


def test_units_are_drawn_whole() -> None:
    # Within each unit the values differ, between units they do not: drawing questions would give a width.
    assert clustered_interval([0.0, 1.0] * 3, UNITS) == (0.5, 0.5)


def test_a_unit_with_more_questions_weighs_more() -> None:
    values, units = [0.0] * 9 + [1.0], ["a"] * 9 + ["b"]
    bounds = clustered_interval(values, units)
    assert bounds == (0.0, 1.0)
    heavier = clustered_interval([*values, 1.0], [*units, "c"])
    assert heavier is not None
    assert heavier[0] == 0


def test_the_order_of_questions_does_not_count() -> None:
    order = np.random.default_rng(0).permutation(6)
    assert clustered_interval([VALUES[i] for i in order], [UNITS[i] for i in order]) == clustered_interval(
        VALUES, UNITS
    )


def test_independent_units_give_the_interval_of_the_normal_law() -> None:
    values = np.random.default_rng(1).normal(size=400)
    bounds = clustered_interval(values.tolist(), [f"u{i}" for i in range(400)])
    assert bounds is not None
    half = 1.96 * values.std() / 20
    assert bounds == pytest.approx((values.mean() - half, values.mean() + half), abs=0.015)
