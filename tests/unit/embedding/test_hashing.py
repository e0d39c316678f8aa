"""Hashed bags of words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.vectors import on_grid, similarity
from memforest.embedding.hashing import Hashing

EMBEDDER = Hashing(buckets=64)
TEXTS = st.lists(st.text("ab c", max_size=12), max_size=6)


@given(TEXTS)
def test_a_vector_does_not_depend_on_the_texts_beside_it(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts=texts)
    assert together.vectors.shape == (len(texts), 64)
    for row, text in enumerate(texts):
        assert np.array_equal(together.vectors[row], EMBEDDER.embed(texts=[text]).vectors[0])


def test_vectors_have_length_one_and_texts_without_words_are_zero() -> None:
    vectors = EMBEDDER.embed(texts=["some words", "", " .,! "]).vectors
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0])


def test_case_and_order_of_words_do_not_count() -> None:
    first, second = EMBEDDER.embed(texts=["The red boat", "boat RED the!"]).vectors
    assert np.array_equal(first, second)


def test_shared_words_make_texts_similar() -> None:
    grid = on_grid(EMBEDDER.embed(texts=["red boat harbour", "red boat island", "violin lesson today"]).vectors)
    cosines = similarity(grid, grid)
    assert cosines[0, 1] > 0.5 > abs(cosines[0, 2])


def test_nothing_is_truncated() -> None:
    assert not EMBEDDER.embed(texts=["word " * 10_000]).truncated.any()


def test_identity_and_dimension_follow_the_buckets() -> None:
    assert (EMBEDDER.identity, EMBEDDER.dimension) == ("hashing-64", 64)
    assert Hashing(buckets=32).identity != EMBEDDER.identity


def test_places_are_pinned_across_processes() -> None:
    vector = EMBEDDER.embed(texts=["violin"]).vectors[0]
    assert np.flatnonzero(vector).tolist() == [19]
