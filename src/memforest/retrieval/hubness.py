"""Hubs: nodes that are similar to everything, and so stand among the hits of questions that they do not answer.

Every number here is computed from exact similarities in a fixed order, so a memory has the same hubness however it
came about and on any machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.types import Memory
from memforest.core.vectors import Grid, mean_vector, similarity

HUBNESS = ("none", "mean", "local")
_ROWS = 512
"""Nodes compared with all others at once: 512 rows of 8 bytes are 41 MB for 10,000 nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubCorrection:
    """What is taken off a node's similarity to any query: correction (lambda) times its hubness h.

    hubness: none; mean (similarity to the mean vector of the memory; at lambda 1 the scores are those of a query from
    which the mean is subtracted); local (mean similarity to the `neighbours` nodes most similar to it).
    """

    hubness: str
    correction: float
    neighbours: int

    def __post_init__(self) -> None:
        require(self.hubness in HUBNESS, f"retriever.hubness must be one of {', '.join(HUBNESS)}; got {self.hubness!r}")
        require(
            0 <= self.correction < math.inf, f"retriever.correction must be a number from 0 on, got {self.correction}"
        )
        require(self.neighbours >= 1, f"retriever.neighbours must be at least 1, got {self.neighbours}")

    def offsets(self, memory: Memory) -> NDArray[np.float64]:
        """lambda h of every node, shape [nodes]."""
        if self.hubness == "mean":
            return self.correction * mean_hubness(memory.grid)
        if self.hubness == "local":
            return self.correction * local_hubness(memory.grid, neighbours=self.neighbours)
        return np.zeros(len(memory))


def mean_hubness(grid: Grid) -> NDArray[np.float64]:
    """Similarity of each node to the mean of all, shape [nodes]: its mean similarity to the memory, itself included.

    The sum of grid vectors is exact, and the mean is put back on the grid: the result is exact, and within 1e-7 of
    the mean of the similarities. It takes O(nodes * dimension).
    """
    return similarity(grid, mean_vector(grid)) if len(grid) else np.zeros(0)


def local_hubness(grid: Grid, *, neighbours: int) -> NDArray[np.float64]:
    """Mean similarity of each node to its nearest other nodes, shape [nodes]; 0 for a node that is alone.

    All other nodes count where there are fewer than `neighbours`. Similarities are added from the smallest up, one
    after the other. It takes O(nodes^2 * dimension).
    """
    taken = min(neighbours, len(grid) - 1)
    if taken < 1:
        return np.zeros(len(grid))
    return np.concatenate(
        [_nearest_mean(grid, start, min(start + _ROWS, len(grid)), taken) for start in range(0, len(grid), _ROWS)]
    )


def _nearest_mean(grid: Grid, start: int, stop: int, taken: int) -> NDArray[np.float64]:
    """Local hubness of the nodes from `start` to `stop`."""
    similarities = similarity(grid[start:stop], grid)
    similarities[np.arange(stop - start), np.arange(start, stop)] = -np.inf
    nearest = np.sort(np.partition(similarities, -taken, axis=1)[:, -taken:], axis=1)
    return np.asarray(np.cumsum(nearest, axis=1)[:, -1] / taken)
