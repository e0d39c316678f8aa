"""EventTree: partition into events, then merge along maximum spanning trees, most similar first, hubs late."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.compressors.eventtree.partition import partition, quotas
from memforest.compressors.eventtree.tree import ShrinkingTree
from memforest.compressors.pool import Pool
from memforest.core.checks import require
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, target_count


class EventTree:
    """Section 3 of the EventTree paper with exactly M nodes left.

    alpha: clusters per node; beta: weight of the cosine against nearness in time; window: ranks on the timeline that
    count as near; eta: weight of the similarity against the degree in the spanning tree.
    """

    def __init__(self, *, alpha: float, beta: float, window: int, eta: float) -> None:
        require(0 < alpha <= 1, f"compressor.alpha, clusters per node, must be in (0, 1], got {alpha}")
        require(0 <= beta <= 1, f"compressor.beta must be in [0, 1], got {beta}")
        require(window >= 0, f"compressor.window, a number of ranks, must be at least 0, got {window}")
        require(0 <= eta <= 1, f"compressor.eta must be in [0, 1], got {eta}")
        self._alpha = alpha
        self._beta = beta
        self._window = window
        self._eta = eta

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """One merge per tree and wave; when M is below the number of trees, merging goes on across trees."""
        target = target_count(count=len(memory), ratio=ratio)
        if target == len(memory):
            return Reduction(nodes=memory.nodes)
        parts = partition(memory, alpha=self._alpha, beta=self._beta, window=self._window, seed=seed)
        pool = Pool(memory.nodes)
        trees = [ShrinkingTree(pool, places, eta=self._eta) for places in parts]
        yield from _shrink(trees, quotas([len(tree) for tree in trees], target))
        if len(pool) > target:
            yield from _shrink([ShrinkingTree(pool, pool.places, eta=self._eta)], [target])
        return Reduction(nodes=pool.nodes, details={"trees": len(parts), "largest_tree": max(map(len, parts))})


def _shrink(trees: Sequence[ShrinkingTree], quota: Sequence[int]) -> Waves:
    """Merge the best pair of every tree above its quota, again and again; a tree without a pair left stops."""
    active = [(tree, kept) for tree, kept in zip(trees, quota, strict=True) if len(tree) > kept]
    while active:
        picks = [(tree, kept, pair) for tree, kept in active if (pair := tree.best_pair())]
        if picks:
            outcomes = yield tuple(tree.pair(pair) for tree, _, pair in picks)
            for (tree, _, pair), outcome in zip(picks, outcomes, strict=True):
                tree.settle(*pair, outcome)
        active = [(tree, kept) for tree, kept, _ in picks if len(tree) > kept]
    return Reduction(nodes=())
