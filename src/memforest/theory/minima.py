"""The smallest similarity in a memory, merge by merge."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from memforest.core.vectors import similarity
from memforest.theory.trace import Trace

_Entry = tuple[float, int, int]


def minimum_similarities(trace: Trace) -> NDArray[np.float64]:
    """rho_min of all pairs that are live after t merges, [T + 1]; NaN where fewer than two nodes are.

    Every live row keeps the least similar of the live rows before it. A row whose least similar one has gone looks for
    another only when it comes up as the smallest of all: the pairs that matter, and no matrix.
    """
    live = np.zeros(len(trace.grid), dtype=bool)
    live[: trace.nodes] = True
    heap = [entry for row in range(trace.nodes) if (entry := _least_similar(trace, live, row))]
    heapq.heapify(heap)
    minima = [_smallest(trace, live, heap)]
    for older, newer, made in zip(trace.older, trace.newer, trace.merged.tolist(), strict=True):
        live[[older, newer]] = False
        live[made] = True
        if entry := _least_similar(trace, live, made):
            heapq.heappush(heap, entry)
        minima.append(_smallest(trace, live, heap))
    return np.array(minima)


def _least_similar(trace: Trace, live: NDArray[np.bool_], row: int) -> _Entry | None:
    """The similarity of a row to the least similar live one before it, and both rows; None when there is none."""
    before = np.flatnonzero(live[:row])
    if not len(before):
        return None
    similarities = similarity(trace.grid[before], trace.grid[row])
    place = int(np.argmin(similarities))
    return float(similarities[place]), row, int(before[place])


def _smallest(trace: Trace, live: NDArray[np.bool_], heap: list[_Entry]) -> float:
    """The similarity on top of the heap, once what has gone is removed from there."""
    while heap:
        value, row, other = heap[0]
        if live[row] and live[other]:
            return value
        entry = _least_similar(trace, live, row) if live[row] else None
        if entry is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, entry)
    return np.nan
