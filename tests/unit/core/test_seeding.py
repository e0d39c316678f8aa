"""Random generators by seed and purpose."""

from __future__ import annotations

import pytest

from memforest.core.seeding import generator

PINNED = [988186848, 2094635715, 1834189342, 1345773989]


def draws(seed: int, purpose: str) -> list[int]:
    return [int(value) for value in generator(seed=seed, purpose=purpose).integers(2**31, size=4)]


def test_equal_arguments_give_equal_numbers_whatever_was_drawn_before() -> None:
    first = draws(0, "conversation")
    draws(0, "another")
    assert draws(0, "conversation") == first


@pytest.mark.parametrize(("seed", "purpose"), [(1, "conversation"), (0, "conversation2"), (0, "")])
def test_another_seed_or_purpose_gives_other_numbers(seed: int, purpose: str) -> None:
    assert draws(seed, purpose) != draws(0, "conversation")


def test_the_numbers_are_pinned_across_processes() -> None:
    assert draws(0, "pinned") == PINNED
