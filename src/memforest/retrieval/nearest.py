"""Nodes by falling similarity, the first of them found by a store of vectors.

A store that computes in float32 can put nodes of almost equal similarity into the wrong order, and equal ones into
any. Its answer is therefore taken as candidates: their similarities are computed exactly, and more candidates are
asked for until no other node can be among the first, whatever float32 did to it. The ranking is then the exact one,
ties included, whichever store found it; for the same reason a store cannot change a result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import Memory, Query
from memforest.retrieval.ranking import falling
from memforest.retrieval.stores import Store, open_store

_LARGEST = 2048
"""Candidates; no GPU index of faiss gives more. Where they do not decide it, all nodes are candidates."""


class Nearest:
    """A memory made ready for ranking by similarity; `index` names the store, exact needs none."""

    def __init__(self, memory: Memory, *, index: str) -> None:
        self._store = (
            open_store(index, vectors=memory.matrix, payloads=[{}] * len(memory))
            if index != "exact" and len(memory)
            else None
        )

    def ranked(self, query: Query, similarities: NDArray[np.float64], *, count: int) -> NDArray[np.intp]:
        """All places by falling similarity, shape [nodes], equal ones in order of place; the store is asked for the
        first `count`, since what comes after them is needed only for whole rankings."""
        if self._store is None:
            return falling(similarities)
        first = certain_nearest(self._store, query, similarities, count=count)
        rest = np.setdiff1d(np.arange(len(similarities)), first)
        return np.concatenate([first, rest[falling(similarities[rest])]])


def certain_nearest(store: Store, query: Query, similarities: NDArray[np.float64], *, count: int) -> NDArray[np.intp]:
    """Places of the `count` most similar nodes, exactly as `falling(similarities)` begins.

    similarities: the exact ones, shape [nodes], of which those of the candidates are read. In float32 the last
    candidate is at least as similar as any node that is none, so an exact similarity above the last candidate's by
    more than twice the error of float32 is above that of all others.
    """
    error = float32_error(len(query.vector))
    asked = 2 * count + 16
    while asked < min(len(similarities), _LARGEST):
        candidates = np.unique(store.nearest(vector=query.vector, count=asked, owner=None))
        best = candidates[falling(similarities[candidates])]
        if len(best) > count and similarities[best[count - 1]] > similarities[best[-1]] + 2 * error:
            return best[:count]
        asked *= 2
    return falling(similarities)[:count]


def float32_error(dimension: int) -> float:
    """How far a cosine that was computed in float32 can be from the exact one: a sum of `dimension` products in any
    order is off by at most dimension 2^-24 for vectors of length 1 (Cauchy-Schwarz); a store may also scale both
    vectors to length 1 again, which is off by no more, and the grid rounds by less than 2^-23."""
    return 4 * (dimension + 4) * 2.0**-24
