"""Orders of nodes: insertion, chronological, and the one rule for the place of a merged node."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import CLIP_SECONDS, MemoryNode, Pair, Segment

TIME_UNITS = ("rank", "dense_rank", "clip", "seconds")


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


def timeline(times: Sequence[float | None], *, unit: str) -> NDArray[np.float64]:
    """Coordinate of each node on the timeline, one of TIME_UNITS, shape [nodes].

    rank: 0..N-1, equal times in input order; dense_rank: rank among the distinct times; clip: 30 s of a video;
    seconds.
    """
    if unit == "rank":
        return chronological_ranks(times).astype(np.float64)
    filled = filled_times(times)
    if unit == "dense_rank":
        return np.unique(filled, return_inverse=True)[1].astype(np.float64)
    return np.floor(filled / CLIP_SECONDS) if unit == "clip" else filled


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
