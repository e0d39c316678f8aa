"""Stores of vectors, which find those nearest to a query: exact, faiss, and Qdrant's local mode.

All but `exact` compute in float32, where equal similarities can come out unequal; `retrieval.nearest` makes exact
rankings of their answers.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.errors import MissingExtraError
from memforest.core.vectors import Matrix, Vector, on_grid, similarity
from memforest.retrieval.ranking import falling

OWNER = "user_id"
"""The key of a payload that says whose vector it is, as Mem0 calls it."""

Payload = Mapping[str, str]
"""What is stored beside a vector."""


class Store(Protocol):
    """Vectors in rows with their payloads, made ready for search."""

    def nearest(self, *, vector: Vector, count: int, owner: str | None) -> NDArray[np.intp]:
        """Rows of the `count` vectors nearest to `vector`, best first; of all, or of those of `owner`."""


class ExactStore:
    """Exact similarities to all rows; of equal ones the first come first."""

    def __init__(self, vectors: Matrix, payloads: Sequence[Payload]) -> None:
        self._grid = on_grid(vectors)
        self._rows = _rows_of_owners(payloads)

    def nearest(self, *, vector: Vector, count: int, owner: str | None) -> NDArray[np.intp]:
        """See `Store`."""
        similarities = similarity(self._grid, on_grid(vector))
        if owner is None:
            return falling(similarities)[:count]
        rows = self._rows[owner]
        return rows[falling(similarities[rows])[:count]]


class FaissStore:
    """faiss' flat index of inner products, on the processor or on a GPU."""

    def __init__(self, vectors: Matrix, payloads: Sequence[Payload], *, on_gpu: bool) -> None:
        import faiss

        self._faiss: Any = faiss
        self._index = self._faiss.IndexFlatIP(vectors.shape[1])
        if on_gpu:
            if not hasattr(faiss, "StandardGpuResources"):
                raise MissingExtraError(
                    "retriever.index=faiss_gpu needs a faiss that was built for GPUs; install it with: "
                    "pip uninstall faiss-cpu && pip install 'memforest[gpu]'"
                )
            self._resources = self._faiss.StandardGpuResources()
            self._index = self._faiss.index_cpu_to_gpu(self._resources, 0, self._index)
        self._index.add(np.ascontiguousarray(vectors))
        self._rows = _rows_of_owners(payloads)

    def nearest(self, *, vector: Vector, count: int, owner: str | None) -> NDArray[np.intp]:
        """See `Store`."""
        rows = self._rows.get(owner) if owner is not None else None
        filtered = {"params": self._faiss.SearchParameters(sel=self._faiss.IDSelectorBatch(rows))} if owner else {}
        count = min(count, self._index.ntotal if rows is None else len(rows))
        _, found = self._index.search(vector[np.newaxis], count, **filtered)
        return np.asarray(found[0], dtype=np.intp)


class QdrantLocalStore:
    """Qdrant's local mode in memory, laid out as Mem0 lays it out: one collection, cosine, payloads, UUIDs as ids.

    It filters in a Python loop over all points, and scales and scores all vectors, so a search takes time in proportion
    to the whole collection, whoever's vectors are asked for. Its mode on disk searches the same arrays in memory.
    """

    _COLLECTION = "mem0"

    def __init__(self, vectors: Matrix, payloads: Sequence[Payload]) -> None:
        from qdrant_client import QdrantClient, models

        self._models = models
        self._client = QdrantClient(":memory:")
        self._client.create_collection(
            self._COLLECTION,
            vectors_config=models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE),
        )
        ids = [str(UUID(int=row)) for row in range(len(vectors))]
        self._client.upsert(
            self._COLLECTION,
            models.Batch(ids=list(ids), vectors=vectors.tolist(), payloads=[dict(payload) for payload in payloads]),
        )

    def nearest(self, *, vector: Vector, count: int, owner: str | None) -> NDArray[np.intp]:
        """See `Store`."""
        found = self._client.query_points(
            self._COLLECTION, query=vector.tolist(), query_filter=self._only(owner), limit=count
        )
        return np.array([UUID(str(point.id)).int for point in found.points], dtype=np.intp)

    def _only(self, owner: str | None) -> Any:
        if owner is None:
            return None
        condition = self._models.FieldCondition(key=OWNER, match=self._models.MatchValue(value=owner))
        return self._models.Filter(must=[condition])


_STORES: Mapping[str, Callable[[Matrix, Sequence[Payload]], Store]] = {
    "exact": ExactStore,
    "faiss": lambda vectors, payloads: FaissStore(vectors, payloads, on_gpu=False),
    "faiss_gpu": lambda vectors, payloads: FaissStore(vectors, payloads, on_gpu=True),
    "qdrant_local": QdrantLocalStore,
}
_PACKAGES = {"faiss": ("faiss", "faiss"), "faiss_gpu": ("faiss", "gpu"), "qdrant_local": ("qdrant_client", "qdrant")}
"""By store: the module that it imports, and the extra that brings it."""


def check_store(name: str) -> None:
    """Raises ConfigError for a store that does not exist, MissingExtraError for one whose package is absent."""
    require(name in _STORES, f"retriever.index must be one of {', '.join(_STORES)}; got {name!r}")
    module, extra = _PACKAGES.get(name, ("numpy", ""))
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(
            f"retriever.index={name} needs {module}; install it with: pip install 'memforest[{extra}]'"
        )


def open_store(name: str, *, vectors: Matrix, payloads: Sequence[Payload]) -> Store:
    """A store of `vectors`, shape [count, dimension], at least one; raises as `check_store` does."""
    check_store(name)
    return _STORES[name](vectors, payloads)


def _rows_of_owners(payloads: Sequence[Payload]) -> Mapping[str, NDArray[np.intp]]:
    rows: dict[str, list[int]] = {}
    for row, payload in enumerate(payloads):
        if OWNER in payload:
            rows.setdefault(payload[OWNER], []).append(row)
    return {owner: np.array(own, dtype=np.intp) for owner, own in rows.items()}
