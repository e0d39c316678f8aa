"""Orders of nodes: insertion, chronological, and the one rule for the place of a merged node."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import MemoryNode, Pair, Segment


def filled_times(times: Sequence[float | None]) -> NDArray[np.float64]:
    """Times with gaps filled, always finite: an absent time means input order.

    A node without a time takes the latest time given before it (the first given time at the beginning); when no node
    has a time, the places themselves are the times.
    """
    given = np.array(times, dtype=np.float64)  # None becomes NaN
    known = np.flatnonzero(~np.isnan(given))
    if not len(known):
        return np.arange(len(times), dtype=np.float64)
    latest = np.full(len(times), known[0])
    latest[known] = known
    return np.asarray(given[np.maximum.accumulate(latest)])


def chronological_ranks(times: Sequence[float | None]) -> NDArray[np.int64]:
    """Rank of each node on the timeline, 0..N-1; equal times keep input order."""
    order = np.argsort(filled_times(times), kind="stable")
    ranks = np.empty(len(times), dtype=np.int64)
    ranks[order] = np.arange(len(times))
    return ranks


def in_order_of_time(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Segments sorted by their filled times; equal times keep their order."""
    try:
        # The same order, sooner, where all have a time: it counts when one node swallows thousands.
        return tuple(sorted(segments, key=attrgetter("time")))
    except TypeError:
        if all(segment.time is None for segment in segments):
            return tuple(segments)
        order = np.argsort(filled_times([segment.time for segment in segments]), kind="stable")
        return tuple(map(segments.__getitem__, order.tolist()))


def in_time_order(first: MemoryNode, second: MemoryNode) -> Pair:
    """The pair with the older node first; `first` stands first in insertion order and wins ties."""
    swap = first.time is not None and second.time is not None and second.time < first.time
    return Pair(older=second, newer=first) if swap else Pair(older=first, newer=second)
