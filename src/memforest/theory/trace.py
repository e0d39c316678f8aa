"""What merging did to the vectors of one memory, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.errors import StoreError
from memforest.core.merge_log import MergeLog, Ref
from memforest.core.types import Memory
from memforest.core.vectors import Grid, normalised, on_grid, similarity

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Trace:
    """Rows are the N original nodes in insertion order, then the T merged nodes in the order of merging.

    grid: vectors, [N + T, dimension]; older, newer: the rows that the t-th merge took, [T]; left: the rows that were
    left at the end, [M].
    """

    grid: Grid
    older: Rows
    newer: Rows
    left: Rows

    @property
    def merges(self) -> int:
        """T."""
        return len(self.older)

    @property
    def nodes(self) -> int:
        """N."""
        return len(self.grid) - self.merges

    @property
    def merged(self) -> Rows:
        """The rows that the merges made, [T]."""
        return np.arange(self.nodes, len(self.grid))

    def standing(self) -> Rows:
        """The row that stands for each row at the end, [N + T]; for a pruned one, its own."""
        rows = np.arange(len(self.grid))
        for older, newer, made in reversed(list(zip(self.older, self.newer, self.merged, strict=True))):
            rows[older] = rows[newer] = rows[made]
        return rows


def trace_of(memory: Memory, log: MergeLog) -> Trace:
    """The trace of a log. Raises StoreError when the log is not one of this memory."""
    rows: dict[Ref, int] = {node.id: row for row, node in enumerate(memory.nodes)}
    pairs = []
    for number, merge in enumerate(log.merges):
        if merge.older not in rows or merge.newer not in rows:
            raise StoreError(f"the log of {log.memory} merges a node that {memory.id} does not have")
        pairs.append((rows.pop(merge.older), rows.pop(merge.newer)))
        rows[number] = len(memory) + number
    older, newer = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return Trace(
        grid=np.concatenate([memory.grid, on_grid(np.stack([merge.vector for merge in log.merges]))])
        if log.merges
        else memory.grid,
        older=older,
        newer=newer,
        left=np.array([row for ref, row in rows.items() if ref not in set(log.pruned)], dtype=np.intp),
    )


def paired_similarity(left: Grid, right: Grid) -> NDArray[np.float64]:
    """Exact cosines of rows, [n, dimension] x [n, dimension] -> [n]."""
    return np.array([similarity(*rows) for rows in zip(left, right, strict=True)], dtype=np.float64)


def paired_distance(left: Grid, right: Grid) -> NDArray[np.float64]:
    """Distances of rows, [n]: Equation 23, sqrt(2 - 2 rho) for unit vectors.

    Grid vectors are of length 1 up to rounding only, which the root would enlarge where rho is near 1; so their own
    lengths stand in the place of the 2, and Cauchy-Schwarz holds for them exactly.
    """
    squares = paired_similarity(left, left) + paired_similarity(right, right) - 2 * paired_similarity(left, right)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def sum_shares(trace: Trace, members: NDArray[np.integer]) -> NDArray[np.float64]:
    """The older node's weight in Equation 11 where e_l is the mean of all members' vectors, [T].

    `members` are the numbers of members of the original nodes, [N]. A node's vector is then the sum of its members'
    vectors divided by that sum's length, so what is interpolated are sums, and lambda is the older one's share of both
    lengths. It is not the share of members: vectors that differ more have a shorter sum.
    """
    sums = np.zeros_like(trace.grid)
    sums[: trace.nodes] = trace.grid[: trace.nodes] * members[:, None]
    for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
        sums[made] = sums[older] + sums[newer]
    lengths = np.linalg.norm(sums, axis=1)
    both = lengths[trace.older] + lengths[trace.newer]
    return np.asarray(np.divide(lengths[trace.older], both, out=np.full(trace.merges, 0.5), where=both > 0))


def interpolated(trace: Trace, older_weight: NDArray[np.float64]) -> Grid:
    """Equation 11: what e_l is when it is interpolated, [T, dimension]; of opposite vectors, zeros."""
    weight = older_weight[:, None]
    return on_grid(normalised(weight * trace.grid[trace.older] + (1 - weight) * trace.grid[trace.newer]))
