"""Partition without the global score: windows along the timeline (Appendix A.3 of the EventTree paper)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.order import chronological_ranks
from memforest.core.types import Memory
from memforest.core.vectors import similarity


@dataclass(frozen=True, slots=True)
class ScanRule:
    """Nodes in chronological order stand in disjoint windows of `size`, the last one perhaps shorter.

    A window whose mean cosine to the window before it is above `threshold` joins its tree; any other begins one.
    """

    size: int
    threshold: float

    def partition(self, memory: Memory, *, seed: int) -> list[NDArray[np.int64]]:
        """Places of the nodes of each EventTree, ascending. Nothing is drawn; `seed` has no effect."""
        order = np.argsort(chronological_ranks([node.time for node in memory.nodes]))
        windows = np.split(order, np.arange(self.size, len(order), self.size))
        trees = [[windows[0]]]
        for before, window in itertools.pairwise(windows):
            if similarity(memory.grid[before], memory.grid[window]).mean() > self.threshold:
                trees[-1].append(window)
            else:
                trees.append([window])
        return [np.sort(np.concatenate(tree)) for tree in trees]
