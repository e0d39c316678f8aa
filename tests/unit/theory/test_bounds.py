"""The paper's inequalities on vectors that merge, against loops over all merges and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from memforest.core.vectors import Grid, normalised, on_grid
from memforest.theory.bounds import Inequality, MemoryBounds, memory_bounds
from memforest.theory.summary import ROUNDING, summarise_bounds
from memforest.theory.trace import Trace
from tests.builders import unit_vectors
from tests.unit.theory.test_minima import slow_minima
from tests.unit.theory.traces import random_trace, weights

ALWAYS = ("equation_14", "cauchy_schwarz")


@dataclass
class Case:
    """One merge and one question, as the paper writes it."""

    s_i: float
    s_j: float
    s_l: float
    lam: float
    rho: float
    rho_made: float


def questions_of(seed: int, count: int = 5, dimension: int = 4) -> Grid:
    return on_grid(unit_vectors(count, dimension=dimension, seed=seed + 999))


def evidence_of(trace: Trace, count: int = 5, seed: int = 0) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).random((trace.nodes, count)) < 0.3


def measure(
    trace: Trace, questions: Grid, weight: float = 0.5, evidence: NDArray[np.bool_] | None = None
) -> MemoryBounds:
    held = np.zeros((trace.nodes, len(questions)), dtype=bool) if evidence is None else evidence
    return memory_bounds(trace, questions=questions, evidence=held, older_weight=weights(trace, weight))


def cases(trace: Trace, questions: Grid, weight: float) -> list[list[Case]]:
    """Slow and obvious: merges in rows, questions in columns."""
    rows = []
    for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
        a, b, c = trace.grid[older], trace.grid[newer], trace.grid[made]
        row = []
        for q in questions:
            i, j, lam = (a, b, weight) if q @ a >= q @ b else (b, a, 1 - weight)
            row.append(Case(float(q @ i), float(q @ j), float(q @ c), lam, float(i @ j), float(i @ c)))
        rows.append(row)
    return rows


def exceeded(inequality: Inequality) -> NDArray[np.bool_]:
    return inequality.left > inequality.right + ROUNDING


def apart(rho: float) -> float:
    return float(np.sqrt(max(0.0, 2 - 2 * rho)))


every_trace = given(
    nodes=st.integers(2, 9),
    seed=st.integers(0, 10_000),
    weight=st.sampled_from([0.5, 0.2, 0.9]),
    encoded=st.booleans(),
)


@every_trace
def test_losses_and_bounds_are_those_of_loops(nodes: int, seed: int, weight: float, encoded: bool) -> None:
    trace = random_trace(nodes=nodes, merges=nodes - 1, seed=seed, weight=None if encoded else weight)
    questions = questions_of(seed)
    found = measure(trace, questions, weight).inequalities
    flat = [case for row in cases(trace, questions, weight) for case in row]
    loss = [case.s_i - case.s_l for case in flat]
    expected = {
        "equation_13": (loss, [(1 - case.lam) * (case.s_i - case.s_j) for case in flat]),
        "equation_14": ([case.s_i - case.s_j for case in flat], [apart(case.rho) for case in flat]),
        "equation_15": (loss, [(1 - case.lam) * apart(case.rho) for case in flat]),
        "cauchy_schwarz": (loss, [apart(case.rho_made) for case in flat]),
    }
    negative = [case.lam * case.s_i + (1 - case.lam) * case.s_j < 0 for case in flat]
    for name, (left, right) in expected.items():
        assert np.allclose(found[name].left, left), name
        assert np.allclose(found[name].right, right, atol=1e-4), name
        assert found[name].negative_sum.tolist() == negative, name


@every_trace
def test_sums_are_those_of_loops(nodes: int, seed: int, weight: float, encoded: bool) -> None:
    trace = random_trace(nodes=nodes, merges=nodes - 2, seed=seed, weight=None if encoded else weight)
    questions = questions_of(seed)
    found = measure(trace, questions, weight)
    if not trace.merges:
        assert "equation_32_live" not in found.inequalities
        return
    rows, minima = cases(trace, questions, weight), slow_minima(trace)
    columns = list(zip(*rows, strict=True))
    largest = max(1 - case.lam for row in rows for case in row)
    losses = [sum(case.s_i - case.s_l for case in column) for column in columns]
    before = [sum(q @ row for row in trace.grid[: trace.nodes]) for q in questions]
    after = [sum(q @ trace.grid[row] for row in trace.left) for q in questions]
    live = trace.merges * largest * apart(minima[-1])
    merged = trace.merges * largest * apart(min(row[0].rho for row in rows))
    steps = [
        sum((1 - case.lam) * apart(rho) for case, rho in zip(column, minima[1:], strict=True)) for column in columns
    ]
    drop = np.subtract(before, after)
    expected: dict[str, tuple[ArrayLike, ArrayLike]] = {
        "equation_30": (losses, steps),
        "equation_32_live": (losses, live),
        "equation_32_merged": (losses, merged),
        "equation_33_live": (drop, live),
        "equation_33_merged": (drop, merged),
        "vacuous": (before, live),
    }
    for name, (left, right) in expected.items():
        assert np.allclose(found.inequalities[name].left, left), name
        assert np.allclose(found.inequalities[name].right, right, atol=1e-4), name
    assert np.allclose(found.sums["losses"] + found.sums["vanished"], drop)


@every_trace
def test_what_holds_for_all_vectors_is_never_exceeded(nodes: int, seed: int, weight: float, encoded: bool) -> None:
    trace = random_trace(nodes=nodes, merges=nodes - 1, seed=seed, weight=None if encoded else weight)
    found = measure(trace, questions_of(seed), weight).inequalities
    assert not any(exceeded(found[name]).any() for name in ALWAYS)


@given(
    nodes=st.integers(2, 12),
    seed=st.integers(0, 10_000),
    weight=st.floats(0.05, 0.95),
    dimension=st.integers(2, 64),
)
def test_equations_13_to_15_hold_for_interpolated_vectors_unless_their_sum_is_negative(
    nodes: int, seed: int, weight: float, dimension: int
) -> None:
    trace = random_trace(nodes=nodes, merges=nodes - 1, seed=seed, weight=weight, dimension=dimension)
    found = measure(trace, questions_of(seed, dimension=dimension), weight).inequalities
    for name in ("equation_13", "equation_15"):
        assert not (exceeded(found[name]) & ~found[name].negative_sum).any(), name
    turned = found["equation_13"]
    assert (turned.left >= turned.right - ROUNDING)[turned.negative_sum].all()


def two_merged(older: Sequence[float], newer: Sequence[float], made: Sequence[float]) -> Trace:
    grid = on_grid(normalised(np.array([older, newer, made])))
    return Trace(grid, np.array([0]), np.array([1]), np.array([2]))


def test_a_negative_sum_breaks_equations_13_and_15_of_the_paper() -> None:
    """Parts at right angles, the question on the side of i: s_i = sin(22.5 degrees) = -s_l."""
    trace = two_merged([1, 0], [0, 1], [1, 1])
    question = on_grid(normalised((trace.grid[0] - trace.grid[2])[None]))
    found = measure(trace, question).inequalities
    loss = 2 * np.sin(np.pi / 8)
    for name in ("equation_13", "equation_15"):
        assert found[name].left == pytest.approx([loss], abs=1e-6)
        assert exceeded(found[name]).tolist() == [True], name
        assert found[name].negative_sum.tolist() == [True], name
    assert found["equation_15"].right == pytest.approx([np.sqrt(2) / 2], abs=1e-6)
    assert found["cauchy_schwarz"].right == pytest.approx([loss], abs=1e-6)
    summary = summarise_bounds([measure(trace, question)])
    assert summary["negative_sums"] == 1
    assert summary["inequalities"]["equation_15"]["exceeded_with_negative_sum"] == 1


def test_a_re_encoded_vector_far_from_its_parts_is_counted() -> None:
    trace = two_merged([1, 0.1, 0], [1, -0.1, 0], [0, 0, 1])
    questions = on_grid(np.array([[1, 0, 0], [0, 0, 1]], dtype=np.float32))
    item = summarise_bounds([measure(trace, questions)])["inequalities"]["equation_15"]
    assert (item["cases"], item["exceeded"], item["exceeded_with_negative_sum"]) == (2, 1, 0)
    assert item["exceeded_share"] == 0.5
    assert item["largest_excess"] == pytest.approx(1 / np.sqrt(1.01) - 0.1 / np.sqrt(1.01), abs=1e-5)


@every_trace
def test_losses_of_evidence_are_those_of_the_part_that_holds_it(
    nodes: int, seed: int, weight: float, encoded: bool
) -> None:
    trace = random_trace(nodes=nodes, merges=nodes - 1, seed=seed, weight=None if encoded else weight)
    questions, evidence = questions_of(seed), evidence_of(trace, seed=seed)
    found = measure(trace, questions, weight, evidence).inequalities["evidence"]
    behind = [{row} for row in range(trace.nodes)]
    left, right = [], []
    for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
        behind.append(behind[older] | behind[newer])
        for number, q in enumerate(questions):
            holding = [
                (float(q @ trace.grid[part]), 1 - lam)
                for part, lam in ((older, weight), (newer, 1 - weight))
                if any(evidence[row, number] for row in behind[part])
            ]
            if holding:
                similar, share = max(holding, key=lambda item: item[0])
                left.append(similar - float(q @ trace.grid[made]))
                right.append(share * apart(float(trace.grid[older] @ trace.grid[newer])))
    assert np.allclose(found.left, left)
    assert np.allclose(found.right, right, atol=1e-4)


@every_trace
def test_originals_are_compared_with_what_stands_for_them(nodes: int, seed: int, weight: float, encoded: bool) -> None:
    trace = random_trace(nodes=nodes, merges=nodes // 2, seed=seed, weight=None if encoded else weight)
    questions, evidence = questions_of(seed), evidence_of(trace, seed=seed)
    found = measure(trace, questions, weight, evidence).standing
    expected: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for row in range(trace.nodes):
        now = row
        for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
            now = int(made) if now in (older, newer) else now
        for number, q in enumerate(questions):
            pair = float(q @ trace.grid[row]), float(q @ trace.grid[now])
            expected[bool(evidence[row, number])].append(pair)
    for name, holds in (("evidence", True), ("other", False)):
        assert np.allclose(found[name], np.array(expected[holds]).reshape(-1, 2)), name
