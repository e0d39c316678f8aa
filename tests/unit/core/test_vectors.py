"""Similarities that are exact: symmetric, equal for equal vectors, whatever kernel or thread computes them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from memforest.core.vectors import Grid, Matrix, normalised, on_grid, similarity
from tests.builders import unit_vectors

DIMENSIONS = (3, 64, 384, 1024)
quick = settings(max_examples=40, deadline=None)


def grid(count: int, dimension: int, seed: int) -> Grid:
    return on_grid(unit_vectors(count, dimension=dimension, seed=seed))


@quick
@given(
    seed=st.integers(0, 10**6), rows=st.integers(1, 70), columns=st.integers(1, 70), size=st.sampled_from(DIMENSIONS)
)
def test_similarity_is_exactly_symmetric(seed: int, rows: int, columns: int, size: int) -> None:
    left, right = grid(rows, size, seed), grid(columns, size, seed + 1)
    assert np.array_equal(similarity(left, right), similarity(right, left).T)


@quick
@given(seed=st.integers(0, 10**6), count=st.integers(1, 70), size=st.sampled_from(DIMENSIONS))
def test_equal_vectors_are_equally_similar_whatever_their_row(seed: int, count: int, size: int) -> None:
    vectors = grid(count, size, seed)
    places = np.random.default_rng(seed).integers(count, size=3 * count)
    whole = similarity(vectors, vectors)
    assert np.array_equal(similarity(vectors[places], vectors), whole[places])


@quick
@given(seed=st.integers(0, 10**6), count=st.integers(1, 70), size=st.sampled_from(DIMENSIONS))
def test_one_query_gets_the_scores_that_it_gets_in_a_batch(seed: int, count: int, size: int) -> None:
    vectors, queries = grid(count, size, seed), grid(5, size, seed + 1)
    batch = similarity(vectors, queries)
    for column, query in enumerate(queries):
        assert np.array_equal(similarity(vectors, query), batch[:, column])


@quick
@given(seed=st.integers(0, 10**6), size=st.sampled_from(DIMENSIONS))
def test_the_order_of_the_dimensions_does_not_count(seed: int, size: int) -> None:
    vectors = grid(20, size, seed)
    shuffled = np.ascontiguousarray(vectors[:, np.random.default_rng(seed).permutation(size)])
    assert np.array_equal(similarity(vectors, vectors), similarity(shuffled, shuffled))


@pytest.mark.parametrize("threads", [2, 4, 16])
def test_the_number_of_blas_threads_does_not_count(threads: int) -> None:
    left, right = grid(700, 384, 1), grid(500, 384, 2)
    with threadpool_limits(1):
        expected = similarity(left, right)
    with threadpool_limits(threads):
        assert np.array_equal(similarity(left, right), expected)


def test_memory_layout_does_not_count() -> None:
    vectors = grid(90, 384, 3)
    padded = np.zeros((180, 384))
    padded[::2] = vectors
    expected = similarity(vectors, vectors)
    for same in (np.asfortranarray(vectors), padded[::2]):
        assert np.array_equal(similarity(same, vectors), expected)


@quick
@given(seed=st.integers(0, 10**6), size=st.sampled_from(DIMENSIONS))
def test_similarity_is_within_a_millionth_of_the_cosine(seed: int, size: int) -> None:
    vectors = unit_vectors(30, dimension=size, seed=seed)
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1)
    cosines = (wide @ wide.T) / np.outer(lengths, lengths)
    assert np.abs(similarity(on_grid(vectors), on_grid(vectors)) - cosines).max() < 1e-6


def test_the_grid_loses_less_than_half_a_step() -> None:
    vectors = unit_vectors(50, dimension=384)
    assert np.abs(on_grid(vectors) - vectors.astype(np.float64)).max() <= 2.0**-26


def test_grid_values_are_whole_steps() -> None:
    steps = grid(50, 384, 5) * 2.0**25
    assert np.array_equal(steps, np.rint(steps))


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e6, 1e30])
def test_normalised_rows_have_length_one_whatever_their_scale(scale: float) -> None:
    rows = np.random.default_rng(0).normal(size=(20, 8)) * scale
    made: Matrix = normalised(rows)
    assert made.dtype == np.float32
    assert np.allclose(np.linalg.norm(made.astype(np.float64), axis=1), 1, atol=1e-6)


def test_a_row_of_zeros_stays_zero() -> None:
    assert normalised(np.zeros((2, 4))).tolist() == [[0] * 4] * 2


@pytest.mark.parametrize("shape", [(0, 4), (0, 0), (2, 0), (0,)])
def test_empty_matrices_keep_their_shape(shape: tuple[int, ...]) -> None:
    assert normalised(np.zeros(shape)).shape == shape
