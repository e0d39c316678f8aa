"""Means of vectors as unit vectors, where they have a direction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.core.outcomes import MergeFailed
from memforest.core.protocols import MergedVector
from memforest.core.types import Pair
from memforest.core.vectors import normalised

NO_DIRECTION = 2.0**-20
"""A mean with no component of this size is what rounding left of opposite vectors."""

OPPOSITE = MergeFailed("opposite vectors")


def directed(means: NDArray[np.float64], *, pairs: Sequence[Pair]) -> list[MergedVector | MergeFailed]:
    """Means [pairs, dimension] scaled to length 1; a failure for a pair whose vectors cancel each other out.

    A zero vector would be similar to nothing, and the merged text never found. Two nodes that have zero vectors
    already, as texts without words can have, lose nothing by merging: they keep theirs.
    """
    vanished = np.abs(means).max(axis=1) < NO_DIRECTION
    vectors = normalised(np.where(vanished[:, None], 0.0, means))
    return [
        OPPOSITE if gone and _has_direction(pair) else MergedVector(vector, truncated=False)
        for vector, gone, pair in zip(vectors, vanished, pairs, strict=True)
    ]


def _has_direction(pair: Pair) -> bool:
    return bool(pair.older.vector.any() or pair.newer.vector.any())
