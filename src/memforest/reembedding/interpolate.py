"""A merged node's vector lies between those of its two parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.core.checks import require
from memforest.core.outcomes import MergeFailed
from memforest.core.protocols import Carried, Embedder, Merge, MergedVector
from memforest.core.types import Pair
from memforest.core.vectors import on_grid
from memforest.reembedding.directions import directed


class InterpolateReembedding:
    """Equation 11 of the EventTree paper: e = normalise(weight e_i + (1 - weight) e_j).

    The paper takes for i the node that is more relevant to a query; when merging there is none, and i is the older
    node. The result depends on the order of merging: what was merged earlier weighs less with every further merge.
    """

    def __init__(self, *, weight: float) -> None:
        require(0 < weight < 1, f"reembedding.weight, that of the older node, must be in (0, 1), got {weight}")
        self._weight = weight

    def carried(self, *, pair: Pair, older: Carried, newer: Carried) -> Carried:
        """Nothing."""

    def embed(self, *, merges: Sequence[Merge], embedder: Embedder) -> Sequence[MergedVector | MergeFailed]:
        """Fails for vectors that cancel each other out, whose mean has no direction."""
        older = on_grid(np.stack([merge.pair.older.vector for merge in merges]))
        newer = on_grid(np.stack([merge.pair.newer.vector for merge in merges]))
        between = self._weight * older + (1 - self._weight) * newer
        return directed(between, pairs=[merge.pair for merge in merges])
