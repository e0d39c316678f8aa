"""Vectors that came with a memory."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.core.errors import ConfigError
from memforest.core.types import Segment
from memforest.embedding.given import GivenVectors
from tests.builders import axis, memory, node

GIVEN = GivenVectors(memory([node(name, name, vector=axis(place)) for place, name in enumerate("abc")]))


def test_a_text_has_the_vector_it_came_with() -> None:
    assert np.array_equal(GIVEN.embed(texts=["c", "a"]).vectors, np.stack([axis(2), axis(0)]))
    assert not GIVEN.embed(texts=["c"]).truncated.any()
    assert GIVEN.embed(texts=[]).vectors.shape == (0, GIVEN.dimension) == (0, 4)


def test_the_first_of_equal_texts_counts_and_every_segment_has_its_nodes_vector() -> None:
    two = (Segment("x", ()), Segment("y", ()))
    given = GivenVectors(memory([node("a", segments=two, vector=axis(1)), node("b", "x", vector=axis(2))]))
    assert np.array_equal(given.embed(texts=["x", "y"]).vectors, np.stack([axis(1), axis(1)]))


def test_a_new_text_has_none() -> None:
    with pytest.raises(ConfigError, match=r"'new' has no given vector.*--embedder minilm"):
        GIVEN.embed(texts=["a", "new"])
