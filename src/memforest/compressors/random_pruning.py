"""Random pruning: a uniformly random M of the N nodes survive."""

from __future__ import annotations

from memforest.core.protocols import Reduction, Waves
from memforest.core.seeding import generator
from memforest.core.types import Memory, target_count


class RandomPruning:
    """Appendix A.1 of the EventTree paper."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Drops nodes; merges nothing."""
        yield from ()
        target = target_count(count=len(memory), ratio=ratio)
        random = generator(seed=seed, purpose=memory.id)
        kept = sorted(random.choice(len(memory), size=target, replace=False)) if target else []
        return Reduction(nodes=tuple(memory.nodes[place] for place in kept))
