"""Segments of two nodes as one sequence."""

from __future__ import annotations

import numpy as np

from memforest.core.order import filled_times
from memforest.core.types import Pair, Segment


def joined(pair: Pair) -> tuple[Segment, ...]:
    """Segments of both nodes in time order; equal and absent times keep the older node's first."""
    segments = (*pair.older.segments, *pair.newer.segments)
    order = np.argsort(filled_times([segment.time for segment in segments]), kind="stable")
    return tuple(segments[place] for place in order)
