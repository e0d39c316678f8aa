"""What every way of re-embedding in conf/reembedding must do."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.core.protocols import Merge, MergedVector, Reembedding
from memforest.core.types import Pair
from tests.contracts.support import EMBEDDER, component, compress, content, plain, usable, using

every_reembedding = pytest.mark.parametrize("option", usable("reembedding"))


def merges(reembedding: Reembedding, count: int) -> list[Merge]:
    """Neighbours of a plain memory, merged by two."""
    nodes = plain(2 * count).nodes
    pairs = [Pair(*nodes[place : place + 2]) for place in range(0, 2 * count, 2)]
    return [Merge(pair, pair.segments, reembedding.carried(pair=pair, older=None, newer=None)) for pair in pairs]


def vectors(reembedding: Reembedding, asked: list[Merge]) -> list[bytes]:
    made = reembedding.embed(merges=asked, embedder=EMBEDDER)
    return [item.vector.tobytes() for item in made if isinstance(item, MergedVector)]


@every_reembedding
def test_vectors_have_length_1_and_the_embedders_dimension(option: str) -> None:
    reembedding: Reembedding = component("reembedding", option)
    for made in reembedding.embed(merges=merges(reembedding, 20), embedder=EMBEDDER):
        assert isinstance(made, MergedVector)
        assert made.vector.shape == (EMBEDDER.dimension,)
        assert made.vector.dtype == np.float32
        assert np.linalg.norm(made.vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)
        assert isinstance(made.truncated, bool)


@every_reembedding
def test_a_vector_does_not_depend_on_the_merges_beside_it(option: str) -> None:
    reembedding: Reembedding = component("reembedding", option)
    asked = merges(reembedding, 20)
    together = vectors(reembedding, asked)
    assert len(together) == len(asked)
    assert together == [vectors(reembedding, [merge])[0] for merge in asked]
    assert together[::-1] == vectors(reembedding, asked[::-1])


@pytest.mark.parametrize("compressor", using("merger"))
def test_the_choice_matters_for_every_compressor_that_merges(compressor: str) -> None:
    made = [
        content(compress(compressor, [plain(60)], ratio=0.7, reembedding=option)[0].memory)
        for option in usable("reembedding")
    ]
    assert all(first != second for place, first in enumerate(made) for second in made[:place])


@pytest.mark.parametrize("compressor", sorted(set(usable("compressor")) - set(using("merger"))))
def test_the_choice_does_not_matter_for_the_others(compressor: str) -> None:
    made = [
        content(compress(compressor, [plain(60)], ratio=0.7, reembedding=option)[0].memory)
        for option in usable("reembedding")
    ]
    assert all(other == made[0] for other in made)
