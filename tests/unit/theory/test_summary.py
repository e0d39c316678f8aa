"""Measurements of several memories as numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from memforest.theory.bounds import MemoryBounds, memory_bounds
from memforest.theory.summary import summarise_bounds
from tests.unit.theory.test_bounds import exceeded, questions_of
from tests.unit.theory.traces import random_trace, weights


def measured(seed: int, *, nodes: int = 8, merges: int = 5, questions: int = 3) -> MemoryBounds:
    trace = random_trace(nodes=nodes, merges=merges, seed=seed, weight=None)
    evidence = np.random.default_rng(seed).random((nodes, questions)) < 0.3
    return memory_bounds(trace, questions=questions_of(seed, questions), evidence=evidence, older_weight=weights(trace))


def test_every_pair_weighs_the_same() -> None:
    memories = [measured(0), measured(1, nodes=4, merges=2, questions=1)]
    item = summarise_bounds(memories)["inequalities"]["equation_15"]
    parts = [memory.inequalities["equation_15"] for memory in memories]
    losses = [value for part in parts for value in part.left]
    assert item["cases"] == len(losses) == 5 * 3 + 2 * 1
    assert item["mean"] == pytest.approx(sum(losses) / len(losses), abs=1e-6)
    assert item["largest"] == pytest.approx(max(losses), abs=1e-6)
    assert item["exceeded"] == sum(int(exceeded(part).sum()) for part in parts) > 0
    assert item["tightness"] == pytest.approx(item["mean"] / item["mean_bound"], abs=1e-5)


def test_rises_and_falls_are_counted_within_memories() -> None:
    memories = [measured(0), measured(1)]
    steps = summarise_bounds(memories)["steps"]
    rho = [(a, b) for memory in memories for a, b in zip(memory.rho[:-1], memory.rho[1:], strict=True)]
    minima = [(a, b) for memory in memories for a, b in zip(memory.minima[:-1], memory.minima[1:], strict=True)]
    for name, pairs in (("merged_pair", rho), ("minimum", minima)):
        assert steps[name]["steps"] == len(pairs)
        assert steps[name]["rises"] == sum(b > a for a, b in pairs)
        assert steps[name]["falls"] == sum(b < a for a, b in pairs)


def test_lineage_compares_a_merge_with_those_that_made_its_parts() -> None:
    trace = random_trace(nodes=6, merges=5, seed=3)
    found = memory_bounds(
        trace, questions=questions_of(0), evidence=np.zeros((6, 5), dtype=bool), older_weight=weights(trace)
    )
    expected = [
        (found.rho[part - 6], found.rho[number])
        for number in range(5)
        for part in (trace.older[number], trace.newer[number])
        if part >= 6
    ]
    assert len(expected) == 4
    assert found.lineage.tolist() == [list(pair) for pair in expected]


def test_memories_that_merged_nothing_change_no_number() -> None:
    idle = measured(5, nodes=1, merges=0)
    one, two = summarise_bounds([measured(0)]), summarise_bounds([idle, measured(0), idle])
    assert (two.pop("memories"), one.pop("memories")) == (3, 1)
    assert one == two


def test_a_memory_of_one_node_left_has_no_minimum_and_no_bound_by_it() -> None:
    summary = summarise_bounds([measured(0, nodes=4, merges=3)])
    assert summary["inequalities"]["equation_32_live"]["cases"] == 0
    assert summary["inequalities"]["equation_32_live"]["mean"] is None
    assert summary["inequalities"]["equation_32_merged"]["cases"] == 3
    assert summary["inequalities"]["equation_27"]["cases"] == 2 * 3
    assert summary["minimum_last"]["mean"] is None


def test_a_summary_is_json_without_questions_and_without_evidence_too() -> None:
    for memory in (measured(0, questions=0), measured(0)):
        json.dumps(summarise_bounds([memory]), allow_nan=False)
