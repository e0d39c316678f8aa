"""Orders of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.order import chronological_ranks, filled_times, in_order_of_time, in_time_order
from memforest.core.types import Segment
from tests.builders import node

TIMES = st.lists(st.none() | st.integers(0, 5).map(float), max_size=12)


@pytest.mark.parametrize(
    ("times", "filled"),
    [
        ([], []),
        ([3.0, 5.0], [3, 5]),
        ([3.0, None, 5.0, None], [3, 3, 5, 5]),
        ([None, None, 4.0], [4, 4, 4]),
        ([None, None, None], [0, 1, 2]),
        ([None], [0]),
    ],
)
def test_gaps_take_the_time_before_them(times: list[float | None], filled: list[float]) -> None:
    assert filled_times(times).tolist() == filled


@given(TIMES)
def test_filled_times_are_those_of_one_pass(times: list[float | None]) -> None:
    latest = next((time for time in times if time is not None), None)
    expected = []
    for place, time in enumerate(times):
        latest = latest if time is None else time
        expected.append(place if latest is None else latest)
    assert filled_times(times).tolist() == expected


@given(TIMES)
def test_segments_are_in_the_order_of_their_filled_times(times: list[float | None]) -> None:
    segments = [Segment(str(place), (), time) for place, time in enumerate(times)]
    filled = filled_times(times)
    expected = sorted(range(len(times)), key=lambda place: (filled[place], place))
    assert in_order_of_time(segments) == tuple(segments[place] for place in expected)


@given(TIMES)
def test_filled_times_are_finite_and_keep_given_ones(times: list[float | None]) -> None:
    filled = filled_times(times)
    assert np.isfinite(filled).all()
    assert all(time is None or time == found for time, found in zip(times, filled, strict=True))


@pytest.mark.parametrize(
    ("times", "ranks"),
    [
        ([], []),
        ([5.0, 3.0, 4.0], [2, 0, 1]),
        ([1.0, 1.0, 0.0, 1.0], [1, 2, 0, 3]),
        ([None, None, None], [0, 1, 2]),
        ([2.0, None, 1.0], [1, 2, 0]),
    ],
)
def test_ranks_follow_time_and_then_input_order(times: list[float | None], ranks: list[int]) -> None:
    assert chronological_ranks(times).tolist() == ranks


@given(TIMES)
def test_ranks_are_a_permutation_that_sorts_the_times(times: list[float | None]) -> None:
    ranks, filled = chronological_ranks(times), filled_times(times)
    assert sorted(ranks.tolist()) == list(range(len(times)))
    keys = sorted((rank, filled[place], place) for place, rank in enumerate(ranks.tolist()))
    assert [(time, place) for _, time, place in keys] == sorted((time, place) for _, time, place in keys)


@pytest.mark.parametrize(
    ("first", "second", "older"),
    [(1.0, 2.0, "a"), (2.0, 1.0, "b"), (1.0, 1.0, "a"), (None, 1.0, "a"), (1.0, None, "a"), (None, None, "a")],
)
def test_the_older_of_a_pair_is_earlier_in_time_then_in_input(
    first: float | None, second: float | None, older: str
) -> None:
    made = in_time_order(node("a", time=first), node("b", time=second))
    assert (made.older.id, made.newer.id) == (("a", "b") if older == "a" else ("b", "a"))
