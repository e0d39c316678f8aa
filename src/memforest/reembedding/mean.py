"""A merged node gets the normalised mean of its members' vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.core.outcomes import MergeFailed
from memforest.core.protocols import Carried, Embedder, Merge, MergedVector
from memforest.core.types import MemoryNode, Pair
from memforest.core.vectors import Grid, on_grid
from memforest.reembedding.directions import directed


class MeanReembedding:
    """e = normalise(sum of the members' vectors): the same whatever the order of merging, and no text is embedded.

    A node carries the sum of its members' grid vectors. Sums of multiples of 2**-25 are exact in double precision up
    to 2**27 unit vectors, so each merge is one addition. An original node that stands for several members, as in a
    memory that was compressed before, counts once for each.
    """

    def carried(self, *, pair: Pair, older: Carried, newer: Carried) -> Carried:
        """The exact sum, float64, shape [dimension]."""
        return _sum(pair.older, older) + _sum(pair.newer, newer)

    def embed(self, *, merges: Sequence[Merge], embedder: Embedder) -> Sequence[MergedVector | MergeFailed]:
        """Fails for opposite vectors, whose mean has no direction."""
        means = np.stack([_mean(merge) for merge in merges])
        return directed(means, pairs=[merge.pair for merge in merges])


def _sum(node: MemoryNode, carried: Carried) -> Grid:
    return on_grid(node.vector) * len(node.members) if carried is None else carried


def _mean(merge: Merge) -> Grid:
    assert merge.carried is not None
    return np.asarray(merge.carried / (len(merge.pair.older.members) + len(merge.pair.newer.members)))
