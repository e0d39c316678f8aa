"""The baseline of the benchmark chooses the same pairs as the method."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.bench.published import published_procedure
from memforest.bench.worlds import near_duplicates, topical, unrelated
from memforest.core.types import Memory
from memforest.core.vectors import similarity
from tests.builders import memory
from tests.unit.compressors.grids import drive, eventtree, groups, memories, merged


@settings(max_examples=40, deadline=None)
@given(memories(largest=12), st.sampled_from([0.3, 0.5, 0.9]), st.sampled_from([0.9, 0.99, 1.0]))
def test_one_tree_is_the_published_procedure_with_ties(of: Memory, ratio: float, eta: float) -> None:
    same_choices(of, ratio, eta)


@pytest.mark.parametrize("ratio", [0.5, 0.95])
def test_one_tree_is_the_published_procedure_without_ties(ratio: float) -> None:
    same_choices(memory(80, dimension=64), ratio, 0.99)


def same_choices(of: Memory, ratio: float, eta: float) -> None:
    reduction, _ = drive(eventtree(alpha=1e-6, eta=eta), of, ratio=ratio)
    left = published_procedure(of.nodes, target=len(reduction.nodes), eta=eta, merge=merged)
    assert groups(left) == groups(reduction.nodes)


def test_worlds_are_what_they_say() -> None:
    for world in (unrelated, topical, near_duplicates):
        assert len(world(200)) == 200
        assert world(200).matrix.tobytes() == world(200).matrix.tobytes()
    near = near_duplicates(200)
    assert similarity(near.grid, near.grid).min() > 1 - 1e-5
    assert abs(similarity(unrelated(200).grid, unrelated(200).grid)).mean() < 0.1
