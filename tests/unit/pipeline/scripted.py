"""Compressors that do what a test says."""

from __future__ import annotations

from collections.abc import Callable

from memforest.core.order import in_time_order
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, MemoryNode

Script = Callable[[Memory], Waves]


class Scripted:
    """A compressor that does what a test says."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """The script's waves."""
        return self._script(memory)


def merging(*places: tuple[int, int]) -> Script:
    """A script that merges pairs of places one after the other; a merged node takes the higher place."""

    def script(of: Memory) -> Waves:
        live = dict(enumerate(of.nodes))
        for first, second in places:
            low, high = sorted((first, second))
            (outcome,) = yield (in_time_order(live[low], live[high]),)
            assert isinstance(outcome, MemoryNode)
            del live[low]
            live[high] = outcome
        return Reduction(nodes=tuple(live[place] for place in sorted(live)))

    return script
