"""Stores of vectors: each finds what it should, and none can change a ranking."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memforest.config.compose import compose_spec
from memforest.core.errors import ConfigError, MissingExtraError
from memforest.core.protocols import Retriever
from memforest.core.types import Hits, Memory, Query
from memforest.core.vectors import Vector, normalised, on_grid, similarity
from memforest.retrieval.nearest import certain_nearest, float32_error
from memforest.retrieval.stores import OWNER, check_store, open_store
from memforest.retrieval.topk import TopK
from tests.builders import axis, memory, node, unit_vectors
from tests.unit.retrieval.test_agpr import agpr

STORES = ("exact", "faiss", "qdrant_local")
every_store = pytest.mark.parametrize("store", STORES)


@every_store
@pytest.mark.parametrize("owner", [None, "ada", "ben"])
def test_the_nearest_are_found_whole_and_by_owner(store: str, owner: str | None) -> None:
    vectors, query = unit_vectors(60, seed=1), unit_vectors(1, seed=2)[0]
    owners = ["ada" if row % 3 else "ben" for row in range(60)]
    found = open_store(store, vectors=vectors, payloads=[{OWNER: name, "data": "text"} for name in owners]).nearest(
        vector=query, count=12, owner=owner
    )
    own = [row for row in range(60) if owner in (None, owners[row])]
    cosines = vectors.astype(float) @ query.astype(float)
    assert found.tolist() == sorted(own, key=lambda row: -cosines[row])[:12]


@every_store
@pytest.mark.parametrize("owner", [None, "ada"])
def test_more_than_there_are_gives_all(store: str, owner: str | None) -> None:
    opened = open_store(store, vectors=unit_vectors(5), payloads=[{OWNER: "ada"}] * 4 + [{OWNER: "ben"}])
    found = opened.nearest(vector=unit_vectors(1)[0], count=30, owner=owner)
    assert sorted(found.tolist()) == list(range(5 if owner is None else 4))


def hits(retriever: Retriever, of: Memory, vector: Vector, k: int) -> Hits:
    return retriever.index(memory=of).search(query=Query(text="?", vector=vector), k=k)


def same(first: Hits, second: Hits) -> bool:
    return (first.order, first.scores, first.k) == (second.order, second.scores, second.k)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Vectors with copies, with copies that differ in the last bit of float32, and with zeros."""
    distinct = unit_vectors(draw(st.integers(1, 12)), dimension=16, seed=draw(st.integers(0, 99)))
    rows = draw(st.lists(st.integers(0, len(distinct) - 1), min_size=1, max_size=150))
    nudged = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    zero = draw(st.booleans())
    vectors = [
        np.nextafter(distinct[row], np.float32(1)) if nudge else distinct[row]
        for row, nudge in zip(rows, nudged, strict=True)
    ]
    vectors[0] = vectors[0] * (0 if zero else 1)
    return memory([node(f"n{place}", vector=vector, time=float(place // 4)) for place, vector in enumerate(vectors)])


@pytest.mark.parametrize("store", ["faiss", "qdrant_local"])
@settings(max_examples=25, deadline=None)
@given(memories(), st.integers(1, 40), st.integers(0, 9))
def test_no_store_changes_a_hit_a_score_or_the_order(store: str, of: Memory, k: int, seed: int) -> None:
    for vector in (unit_vectors(1, dimension=16, seed=seed)[0], of.nodes[-1].vector):
        assert same(hits(TopK(index=store), of, vector, k), hits(TopK(index="exact"), of, vector, k))
        assert same(hits(agpr(index=store), of, vector, k), hits(agpr(), of, vector, k))


@pytest.mark.parametrize("store", ["faiss", "qdrant_local"])
def test_no_store_changes_a_ranking_of_a_large_memory(store: str) -> None:
    of = memory(3000, dimension=384)
    for vector in unit_vectors(3, dimension=384, seed=5):
        assert same(hits(TopK(index=store), of, vector, 10), hits(TopK(index="exact"), of, vector, 10))


@pytest.mark.parametrize("store", STORES)
def test_an_empty_memory_has_no_hits(store: str) -> None:
    assert hits(TopK(index=store), memory([]), axis(0), 5).order == ()


class Scripted:
    """A store that answers with the first rows of a list, and counts what it was asked for."""

    def __init__(self, answer: Sequence[int]) -> None:
        self.answer = answer
        self.asked: list[int] = []

    def nearest(self, *, vector: Vector, count: int, owner: str | None) -> NDArray[np.intp]:
        assert owner is None
        self.asked.append(count)
        return np.array(self.answer[:count], dtype=np.intp)


def falling_cosines(count: int, step: float) -> tuple[NDArray[np.float64], Query]:
    return 1 - step * np.arange(count, dtype=np.float64), Query(text="?", vector=axis(0, dimension=16))


def test_a_store_is_asked_once_where_its_last_candidate_is_clearly_less_similar() -> None:
    similarities, query = falling_cosines(500, 1e-3)
    store = Scripted(range(500))
    assert certain_nearest(store, query, similarities, count=10).tolist() == list(range(10))
    assert store.asked == [36]


def test_a_store_is_asked_for_more_until_the_first_are_certain() -> None:
    # A gap of more than twice the error opens after 5 error / step candidates, not before.
    similarities, query = falling_cosines(500, float32_error(16) / 30)
    store = Scripted(range(500))
    assert certain_nearest(store, query, similarities, count=10).tolist() == list(range(10))
    assert store.asked == [36, 72]


def test_where_nothing_is_certain_all_nodes_are_candidates() -> None:
    query = Query(text="?", vector=axis(0, dimension=16))
    store = Scripted(range(299, -1, -1))
    assert certain_nearest(store, query, np.ones(300), count=10).tolist() == list(range(10))
    assert store.asked == [36, 72, 144, 288]


def test_a_wrong_order_among_the_candidates_does_not_matter() -> None:
    similarities, query = falling_cosines(500, 1e-3)
    assert certain_nearest(Scripted([*range(35, -1, -1)]), query, similarities, count=10).tolist() == list(range(10))


@pytest.mark.parametrize("dimension", [8, 384, 1536])
def test_float32_is_never_further_off_than_the_bound(dimension: int) -> None:
    random = np.random.default_rng(dimension)
    alike = normalised(1 + 0.01 * random.normal(size=(200, dimension)))
    for vectors in (alike, unit_vectors(200, dimension=dimension)):
        exact = similarity(on_grid(vectors), on_grid(vectors))
        rescaled = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        one_by_one = np.array([np.cumsum(row * vectors[0], dtype=np.float32)[-1] for row in vectors])
        assert np.abs(rescaled @ rescaled.T - exact).max() < float32_error(dimension)
        assert np.abs(one_by_one - exact[0]).max() < float32_error(dimension)


def test_stores_that_do_not_exist_are_refused_by_name() -> None:
    for make in (lambda: TopK(index="hnsw"), lambda: agpr(index="hnsw")):
        with pytest.raises(ConfigError, match=r"retriever\.index must be one of exact, faiss, faiss_gpu, qdrant_local"):
            make()


@pytest.mark.parametrize(
    ("store", "module", "extra"),
    [("faiss", "faiss", "faiss"), ("faiss_gpu", "faiss", "gpu"), ("qdrant_local", "qdrant_client", "qdrant")],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, store: str, module: str, extra: str
) -> None:
    found = importlib.util.find_spec
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == module else found(name))
    with pytest.raises(MissingExtraError, match=rf"needs {module}.*pip install 'memforest\[{extra}\]'"):
        check_store(store)


def test_a_faiss_without_gpus_says_so() -> None:
    with pytest.raises(MissingExtraError, match="built for GPUs"):
        open_store("faiss_gpu", vectors=unit_vectors(3), payloads=[{}] * 3)


def test_a_store_ranks_by_similarity_and_so_not_with_a_correction() -> None:
    with pytest.raises(ConfigError, match=r"retriever\.hubness=local use index=exact"):
        agpr(index="faiss", hubness="local")


@pytest.mark.parametrize("retriever", ["topk", "agpr"])
def test_the_store_is_no_part_of_a_runs_identity(retriever: str) -> None:
    exact, faiss = (
        compose_spec([f"retriever={retriever}", f"retriever.index={store}"]).identity() for store in ("exact", "faiss")
    )
    assert exact == faiss
