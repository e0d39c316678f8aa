"""Balanced: one order over the whole memory in which length costs similarity, merged in rounds."""

from __future__ import annotations

import math

import numpy as np

from memforest.compressors.balanced.matching import Matching
from memforest.compressors.pool import Pool
from memforest.core.checks import require
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, MemoryNode, target_count
from memforest.core.vectors import mean_vector, similarity


class Balanced:
    """Merges the pairs with the largest cosine(i, j) - size_penalty (words_i + words_j) / mean words.

    size_penalty: cosine that a node of the memory's mean length costs; round_share: share of the merges still to do
    that one round does at once; drop: share of the nodes to remove that are dropped instead of merged, those first
    that have the highest mean similarity to the memory. With drop = 0 nothing is lost.
    """

    def __init__(self, *, size_penalty: float, round_share: float, drop: float) -> None:
        require(0 <= size_penalty <= 1e6, f"compressor.size_penalty, a cosine, must be in [0, 1e6], got {size_penalty}")
        require(0 < round_share <= 1, f"compressor.round_share must be in (0, 1], got {round_share}")
        require(0 <= drop <= 1, f"compressor.drop, a share of the nodes to remove, must be in [0, 1], got {drop}")
        self._size_penalty = size_penalty
        self._round_share = round_share
        self._drop = drop

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """One wave per round; after failed merges the next best pairs are in the next round."""
        target = target_count(count=len(memory), ratio=ratio)
        pool = Pool(_without_hubs(memory, count=round(self._drop * (len(memory) - target))))
        rounds = 0
        if len(pool) > target:
            matching = Matching(pool, cost_per_word=self._cost_per_word(memory))
            while len(pool) > target and (
                pairs := matching.best_pairs(limit=math.ceil(self._round_share * (len(pool) - target)))
            ):
                outcomes = yield tuple(pool.pair(*pair) for pair in pairs)
                matching.settle(pairs, outcomes)
                rounds += 1
        return Reduction(nodes=pool.nodes, details={"rounds": rounds})

    def _cost_per_word(self, memory: Memory) -> float:
        words = sum(node.words for node in memory.nodes)
        return self._size_penalty * len(memory) / words if words else 0.0


def _without_hubs(memory: Memory, *, count: int) -> tuple[MemoryNode, ...]:
    """All nodes but the `count` most similar to the whole memory; of equally similar ones the older goes.

    The mean similarity of a node is its similarity to the mean vector, which is exact too once it is on the grid.
    """
    if not count:
        return memory.nodes
    likeness = similarity(memory.grid, mean_vector(memory.grid))
    kept = np.sort(np.argsort(-likeness, kind="stable")[count:])
    return tuple(memory.nodes[place] for place in kept)
