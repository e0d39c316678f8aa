"""DART: keep the nodes that are least similar to a few random pivots."""

from __future__ import annotations

import numpy as np

from memforest.core.checks import require
from memforest.core.protocols import Reduction, Waves
from memforest.core.seeding import generator
from memforest.core.types import Memory, target_count
from memforest.core.vectors import similarity


class Dart:
    """Appendix A.1 of the EventTree paper: P = max(1, round(pivot_share N)) random pivots, which stay, and the nodes
    of lowest mean cosine to them."""

    def __init__(self, *, pivot_share: float) -> None:
        require(0 < pivot_share <= 1, f"compressor.pivot_share must be in (0, 1], got {pivot_share}")
        self._pivot_share = pivot_share

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Drops nodes; merges nothing. At most M pivots are drawn."""
        yield from ()
        target = target_count(count=len(memory), ratio=ratio)
        if not target:
            return Reduction(nodes=())
        count = min(target, max(1, round(self._pivot_share * len(memory))))
        pivots = generator(seed=seed, purpose=memory.id).choice(len(memory), size=count, replace=False)
        likeness = similarity(memory.grid, memory.grid[pivots]).mean(axis=1)
        likeness[pivots] = -np.inf
        kept = np.sort(np.argsort(likeness, kind="stable")[:target])
        return Reduction(nodes=tuple(memory.nodes[place] for place in kept), details={"pivots": count})
