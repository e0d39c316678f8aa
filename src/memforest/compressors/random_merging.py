"""Random merging: M random nodes stay, each other node is merged into a random one of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeOutcome
from memforest.core.protocols import Reduction, Wave, Waves
from memforest.core.seeding import generator
from memforest.core.types import Memory, target_count


class RandomMerging:
    """Appendix A.1 of the EventTree paper. Targets are drawn with replacement; a target that receives several nodes
    takes them one after the other. When a merge fails, the node tries the other targets in random order, and when
    targets are exhausted any random pair."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """One merge per target and wave."""
        target = target_count(count=len(memory), ratio=ratio)
        pool = Pool(memory.nodes)
        random = generator(seed=seed, purpose=memory.id)
        order = random.permutation(len(memory))
        targets, others = sorted(map(int, order[:target])), sorted(map(int, order[target:]))
        choices = {
            node: _choices(first, target, seed=seed, purpose=f"{memory.id}/{node}")
            for node, first in zip(others, random.integers(max(target, 1), size=len(others)), strict=True)
        }
        choice = {node: next(choices[node]) for node in others}
        current = list(targets)
        waiting = others
        while waiting:
            wave: dict[int, int] = {}
            later: list[int] = []
            for node in waiting:
                if choice[node] in wave:
                    later.append(node)
                else:
                    wave[choice[node]] = node
            outcomes = yield tuple(pool.pair(node, current[chosen]) for chosen, node in wave.items())
            for (chosen, node), outcome in zip(wave.items(), outcomes, strict=True):
                place = pool.settle(node, current[chosen], outcome)
                if place is not None:
                    current[chosen] = place
                elif (another := next(choices[node], None)) is not None:
                    choice[node] = another
                    later.append(node)
            waiting = sorted(later)
        while len(pool) > target and (yield from _any_pair_left(pool, random)):
            pass
        return Reduction(nodes=pool.nodes)


def _any_pair_left(pool: Pool, random: np.random.Generator) -> Generator[Wave, Sequence[MergeOutcome], bool]:
    """Merge a random pair that was not refused, whatever its nodes were drawn for. Returns whether there was one."""
    pairs = pool.allowed_pairs()
    for number in random.permutation(len(pairs)):
        first, second = pairs[number]
        (outcome,) = yield (pool.pair(first, second),)
        if pool.settle(first, second, outcome) is not None:
            return True
    return False


def _choices(first: int, targets: int, *, seed: int, purpose: str) -> Iterator[int]:
    """The drawn target, then, should merging into it fail, the others in random order."""
    yield int(first)
    yield from (int(other) for other in generator(seed=seed, purpose=purpose).permutation(targets) if other != first)
