"""No compression: the identity, whatever the ratio."""

from __future__ import annotations

from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory


class NoCompression:
    """Keeps every node."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """The memory as it is."""
        yield from ()
        return Reduction(nodes=memory.nodes, target=len(memory))
