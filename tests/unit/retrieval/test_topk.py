"""Exact cosine search."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.core.types import Query
from memforest.retrieval.topk import TopK
from tests.builders import axis, memory, node, unit_vectors


@pytest.mark.parametrize("seed", range(3))
def test_nodes_come_by_falling_cosine(seed: int) -> None:
    of, vector = memory(40, seed=seed), unit_vectors(1, seed=seed + 50)[0]
    hits = TopK(index="exact").index(memory=of).search(query=Query(text="?", vector=vector), k=5)
    cosines = [float(np.dot(item.vector.astype(float), vector.astype(float))) for item in of.nodes]
    assert list(hits.order) == sorted(range(40), key=lambda place: -cosines[place])
    assert hits.scores == pytest.approx(sorted(cosines, reverse=True), abs=1e-6)


def test_equal_cosines_keep_insertion_order() -> None:
    of = memory([node(f"n{place}", vector=axis(place % 2)) for place in range(6)])
    hits = TopK(index="exact").index(memory=of).search(query=Query(text="?", vector=axis(1)), k=2)
    assert hits.order == (1, 3, 5, 0, 2, 4)
    assert [hit.id for hit in hits.nodes] == ["n1", "n3"]
