"""How many nodes trees keep, against a slow version."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memforest.compressors.quotas import ceil_per_group, largest_remainder, rounded_up, spread, trimmed


@st.composite
def sizes_and_target(draw: st.DrawFn) -> tuple[list[int], int]:
    sizes = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12))
    return sizes, draw(st.integers(1, sum(sizes)))


def slow_largest_remainder(sizes: Sequence[int], target: int) -> list[int]:
    """Exact shares, floored and bounded; then one node at a time to or from the tree that is furthest off."""
    shares = [Fraction(size * target, sum(sizes)) for size in sizes]
    kept = [min(size, max(1, math.floor(share))) for size, share in zip(sizes, shares, strict=True)]
    places = range(len(sizes))
    while sum(kept) < max(target, len(sizes)):
        lacking = [place for place in places if kept[place] < sizes[place]]
        kept[max(lacking, key=lambda place: (shares[place] - kept[place], -place))] += 1
    while sum(kept) > max(target, len(sizes)):
        plenty = [place for place in places if kept[place] > 1]
        kept[max(plenty, key=lambda place: (kept[place] - shares[place], place))] -= 1
    return kept


@given(sizes_and_target())
def test_quotas_sum_to_the_target_or_the_number_of_trees(case: tuple[list[int], int]) -> None:
    sizes, target = case
    assert sum(largest_remainder(sizes, target)) == max(target, len(sizes))


@given(sizes_and_target())
def test_a_quota_is_at_least_one_and_at_most_the_size(case: tuple[list[int], int]) -> None:
    sizes, target = case
    assert all(1 <= kept <= size for kept, size in zip(largest_remainder(sizes, target), sizes, strict=True))


@given(sizes_and_target())
def test_a_quota_is_its_share_rounded_up_or_down_unless_a_tree_would_vanish(case: tuple[list[int], int]) -> None:
    sizes, target = case
    shares = [Fraction(size * target, sum(sizes)) for size in sizes]
    if min(shares) >= 1:
        for kept, share in zip(largest_remainder(sizes, target), shares, strict=True):
            assert kept in (math.floor(share), math.ceil(share))


@settings(max_examples=300)
@given(sizes_and_target())
def test_quotas_follow_the_largest_remainder(case: tuple[list[int], int]) -> None:
    sizes, target = case
    remainders = {size: size * target % sum(sizes) for size in sizes}
    assume(len(set(remainders.values())) == len(remainders))
    assert largest_remainder(*case) == slow_largest_remainder(*case)


@pytest.mark.parametrize(("sizes", "target"), [([1, 10, 26, 30, 3], 60)])
def test_equal_remainders_go_to_the_lower_tree(sizes: list[int], target: int) -> None:
    assert largest_remainder(sizes, target) == slow_largest_remainder(sizes, target)


@pytest.mark.parametrize(
    ("sizes", "target", "expected"),
    [
        ([10, 10, 10], 15, [5, 5, 5]),
        ([3, 3, 3], 5, [2, 2, 1]),
        ([20, 1, 1], 11, [9, 1, 1]),
        ([5, 5], 1, [1, 1]),
        ([7], 3, [3]),
    ],
)
def test_quotas_of_small_forests(sizes: list[int], target: int, expected: list[int]) -> None:
    assert largest_remainder(sizes, target) == expected


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(0.3, [1, 2, 3, 3, 4, 7]), (0.5, [1, 1, 2, 2, 3, 5]), (0.7, [1, 1, 1, 2, 2, 3])],
)
def test_the_released_rule_rounds_every_tree_up(ratio: float, expected: list[int]) -> None:
    assert ceil_per_group([1, 2, 3, 4, 5, 10], ratio) == expected


@given(sizes_and_target())
def test_shares_may_be_nothing_where_the_target_is_less_than_one_each(case: tuple[list[int], int]) -> None:
    sizes, target = case
    kept = spread(sizes, target)
    assert sum(kept) == target
    assert all(share <= size for share, size in zip(kept, sizes, strict=True))
    assert target < len(sizes) or min(kept) >= 1


def test_nothing_is_spread_over_no_groups() -> None:
    assert spread([], 0) == []
    assert spread([3, 3], 0) == [0, 0]


@pytest.mark.parametrize(
    ("sizes", "ratio", "target", "expected"),
    [
        ([3, 3, 4], 0.5, 5, [2, 2, 1]),
        ([4, 2, 4], 0.5, 4, [1, 1, 2]),
        ([10, 9], 0.3, 14, [7, 7]),
        ([3, 3], 0.9, 1, [1, 1]),
        ([2, 4, 6], 0.5, 3, [1, 1, 1]),
    ],
)
def test_streammecos_rule_takes_from_shares_with_the_smallest_fraction(
    sizes: list[int], ratio: float, target: int, expected: list[int]
) -> None:
    assert trimmed(sizes, ratio, target=target) == expected


@given(sizes_and_target(), st.floats(0, 0.99))
def test_trimmed_shares_sum_to_the_target_and_keep_one_each(case: tuple[list[int], int], ratio: float) -> None:
    sizes, _ = case
    target = rounded_up(sum(sizes), ratio)
    kept = trimmed(sizes, ratio, target=target)
    assert sum(kept) == max(target, len(sizes))
    assert all(1 <= share <= size for share, size in zip(kept, sizes, strict=True))
