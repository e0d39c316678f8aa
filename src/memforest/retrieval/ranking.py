"""Scores of all nodes -> a ranking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import Hits, Memory


def by_score(memory: Memory, scores: NDArray[np.float64], *, k: int) -> Hits:
    """All nodes by falling score, shape [nodes]; equal scores keep insertion order."""
    return ranking(memory, falling(scores), scores, k=k)


def ranking(memory: Memory, order: NDArray[np.intp], scores: NDArray[np.float64], *, k: int) -> Hits:
    """Nodes in the order of their places in `order`, with the scores of those places; both have shape [nodes]."""
    return Hits(memory=memory, order=tuple(order.tolist()), scores=tuple(scores[order].tolist()), k=k)


def falling(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Places by falling score, equal scores in order of place."""
    return np.argsort(-scores, kind="stable")
