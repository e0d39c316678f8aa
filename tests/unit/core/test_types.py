"""The ratio rule, and what a memory refuses."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.core.types import Hits, Segment, target_count
from tests.builders import axis, memory, node, session, unit

RATIOS = (0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.7, 0.9, 0.99, math.nextafter(1, 0))


@pytest.mark.parametrize("ratio", RATIOS)
def test_target_is_the_rounded_share_that_stays_but_at_least_one(ratio: float) -> None:
    for count in [*range(1, 400), 2541, 100_000]:
        assert target_count(count=count, ratio=ratio) == max(1, round((1 - ratio) * count))


@pytest.mark.parametrize(
    ("count", "ratio", "target"),
    [(1, 0.5, 1), (3, 0.5, 2), (5, 0.5, 2), (7, 0.5, 4), (10, 0.3, 7), (10, 0.7, 3), (1, 0.99, 1), (254, 0.5, 127)],
)
def test_halves_round_to_even(count: int, ratio: float, target: int) -> None:
    assert target_count(count=count, ratio=ratio) == target


@given(count=st.integers(1, 10**6), ratio=st.floats(0, 1, exclude_max=True))
def test_target_is_within_one_half_of_the_exact_share(count: int, ratio: float) -> None:
    target = target_count(count=count, ratio=ratio)
    exact = (1 - Fraction(ratio)) * count
    assert 1 <= target <= count
    assert target == 1 or abs(target - exact) <= Fraction(1, 2) + Fraction(1, 10**6)


@given(count=st.integers(0, 10**6))
def test_ratio_zero_keeps_every_node(count: int) -> None:
    assert target_count(count=count, ratio=0) == count


@pytest.mark.parametrize("ratio", RATIOS)
def test_nothing_stays_of_nothing(ratio: float) -> None:
    assert target_count(count=0, ratio=ratio) == 0


@pytest.mark.parametrize("ratio", [1, -0.1, 1.5, math.inf, -math.inf, math.nan])
def test_a_ratio_outside_its_range_is_refused_with_its_value(ratio: float) -> None:
    with pytest.raises(DataError, match=rf"share of nodes removed and must be in \[0, 1\), got {ratio}"):
        target_count(count=10, ratio=ratio)


def test_repeated_ids_are_refused_by_name() -> None:
    with pytest.raises(DataError, match="memory m: the id 'a' occurs twice"):
        memory([node("a"), node("b"), node("a")])


def test_vectors_of_different_lengths_are_refused_with_both_shapes() -> None:
    with pytest.raises(DataError, match=r"memory m: node 'b' has a vector of shape \(3,\), 'a' one of \(4,\)"):
        memory([node("a", vector=axis(0)), node("b", vector=axis(0, dimension=3))])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_vectors_that_are_not_finite_are_refused_by_node(value: float) -> None:
    with pytest.raises(DataError, match="memory m: the vector of node 'b' holds NaN or infinity"):
        memory([node("a"), node("b", vector=[0, value, 0, 1])])


def test_the_vectors_of_a_memory_cannot_be_written_to() -> None:
    made = memory(3)
    for array in (made.nodes[0].vector, made.matrix, made.grid):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("value", [memory(1), node("a"), unit(), session(1), Segment("text", ())])
def test_values_cannot_be_changed(value: Any) -> None:
    first = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, first, "other")


def test_the_matrix_holds_the_vectors_in_the_order_of_the_nodes() -> None:
    made = memory(5)
    assert np.array_equal(made.matrix, [item.vector for item in made.nodes])


def test_an_empty_memory_has_an_empty_matrix() -> None:
    empty = memory([])
    assert len(empty) == 0
    assert empty.matrix.shape == (0, 0)


def test_a_node_joins_its_segments_and_names_each_source_once() -> None:
    made = node("a", segments=(Segment("one two", ("t1", "t2")), Segment("three", ("t2", "t3"))))
    assert (made.text, made.sources, made.words) == ("one two three", ("t1", "t2", "t3"), 3)


def test_hits_are_the_first_k_of_the_ranking() -> None:
    made = memory(3)
    hits = Hits(memory=made, order=(2, 0, 1), scores=(0.9, 0.5, 0.1), k=2)
    assert [item.id for item in hits.nodes] == ["n2", "n0"]


def test_the_turns_of_a_unit_stand_in_the_order_of_its_sessions() -> None:
    assert [turn.id for turn in unit([session(1), session(2)]).turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]


def test_metadata_cannot_be_changed() -> None:
    metadata = node("a").metadata
    with pytest.raises(TypeError):
        metadata["x"] = 1  # type: ignore[index]
