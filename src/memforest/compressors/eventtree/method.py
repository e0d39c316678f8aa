"""EventTree: partition into events, then merge along maximum spanning trees, most similar first, hubs late."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from memforest.compressors.clustering import INITIALISATIONS, KMeansRule, bounded_groups
from memforest.compressors.eventtree.partition import CLUSTER_ROUNDINGS, UnionRule
from memforest.compressors.eventtree.scan import ScanRule
from memforest.compressors.eventtree.tree import EdgeScore, RandomTree, ShrinkingTree, Tree
from memforest.compressors.pool import Pool
from memforest.compressors.quotas import ceil_per_group, largest_remainder
from memforest.core.checks import require
from memforest.core.errors import MethodError
from memforest.core.order import TIME_UNITS
from memforest.core.outcomes import MergeFailed, MergeOutcome
from memforest.core.protocols import Reduction, Waves
from memforest.core.seeding import generator
from memforest.core.types import Memory, target_count
from memforest.core.vectors import on_grid

PARTITIONS = ("union", "scan")
EDGE_RULES = ("max_tree", "min_tree", "random")
DEGREES = ("raw", "max_norm", "none")
QUOTAS = ("largest_remainder", "ceil_per_tree", "global")
FAILURES = ("next_pair", "abort")
_SPLIT_SEED = 0


class EventTree:
    """Section 3 of the EventTree paper, its ablations, and its released code.

    partition: union (`partition.UnionRule`, with alpha, cluster_rounding, kmeans_*, beta, window, window_unit and
    exact_up_to) or scan (`scan.ScanRule`, with scan_size and scan_threshold). eta, degree and edge_rule: which pair
    of a tree merges next (`tree.EdgeScore`); edge_rule=random merges random pairs of a tree. quota: how many nodes a
    tree keeps: largest_remainder or ceil_per_tree (`quotas`), or global (one order over all trees: the best pair of
    any, so waves hold one pair). tree_limit: a tree of more nodes is split into groups of similar ones, to bound
    memory. on_failure: what follows a failed merge, next_pair or abort.
    """

    def __init__(
        self,
        *,
        partition: str,
        alpha: float,
        cluster_rounding: str,
        kmeans_initialisation: str,
        kmeans_starts: int,
        kmeans_iterations: int,
        kmeans_tolerance: float,
        beta: float,
        window: float,
        window_unit: str,
        exact_up_to: int,
        scan_size: int,
        scan_threshold: float,
        eta: float,
        degree: str,
        edge_rule: str,
        quota: str,
        tree_limit: int,
        on_failure: str,
    ) -> None:
        _among("partition", partition, PARTITIONS)
        _among("cluster_rounding", cluster_rounding, CLUSTER_ROUNDINGS)
        _among("kmeans_initialisation", kmeans_initialisation, INITIALISATIONS)
        _among("window_unit", window_unit, TIME_UNITS)
        _among("degree", degree, DEGREES)
        _among("edge_rule", edge_rule, EDGE_RULES)
        _among("quota", quota, QUOTAS)
        _among("on_failure", on_failure, FAILURES)
        require(0 < alpha <= 1, f"compressor.alpha, clusters per node, must be in (0, 1], got {alpha}")
        require(kmeans_starts >= 1, f"compressor.kmeans_starts must be at least 1, got {kmeans_starts}")
        require(kmeans_iterations >= 1, f"compressor.kmeans_iterations must be at least 1, got {kmeans_iterations}")
        require(kmeans_tolerance >= 0, f"compressor.kmeans_tolerance must be at least 0, got {kmeans_tolerance}")
        require(0 <= beta <= 1, f"compressor.beta must be in [0, 1], got {beta}")
        require(window >= 0, f"compressor.window, in window_unit, must be at least 0, got {window}")
        require(exact_up_to >= 2, f"compressor.exact_up_to, a number of nodes, must be at least 2, got {exact_up_to}")
        require(scan_size >= 1, f"compressor.scan_size, a number of nodes, must be at least 1, got {scan_size}")
        require(-1 <= scan_threshold <= 1, f"compressor.scan_threshold must be in [-1, 1], got {scan_threshold}")
        require(0 <= eta <= 1, f"compressor.eta must be in [0, 1], got {eta}")
        require(tree_limit >= 3, f"compressor.tree_limit, a number of nodes, must be at least 3, got {tree_limit}")
        kmeans = KMeansRule(kmeans_initialisation, kmeans_starts, kmeans_iterations, kmeans_tolerance)
        self._partition = (
            ScanRule(size=scan_size, threshold=scan_threshold)
            if partition == "scan"
            else UnionRule(alpha, cluster_rounding, kmeans, beta, window, window_unit, exact_up_to)
        )
        self._edge_rule = edge_rule
        self._edge_score = EdgeScore(eta=eta, degree=degree, edge_rule=edge_rule)
        self._quota = quota
        self._tree_limit = tree_limit
        self._on_failure = on_failure

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """One merge per tree and wave; when M is below the number of trees, merging goes on across trees."""
        target = target_count(count=len(memory), ratio=ratio)
        if target == len(memory):
            return Reduction(nodes=memory.nodes)
        random = generator(seed=seed, purpose=f"eventtree/{memory.id}")
        pool = Pool(memory.nodes)
        events = self._partition.partition(memory, seed=seed)
        trees = self._grow(pool, [event.tolist() for event in events], random)
        sizes = [len(tree) for tree in trees]
        if self._quota == "global":
            yield from self._shrink_globally(pool, trees, target)
        else:
            ceil = self._quota == "ceil_per_tree"
            quota = ceil_per_group(sizes, ratio) if ceil else largest_remainder(sizes, target)
            target = sum(quota) if ceil else target
            yield from self._shrink(pool, trees, quota)
        yield from self._shrink_across(pool, target, random)
        details = {
            "trees": len(events),
            "largest_tree": max(map(len, events)),
            "split_trees": sum(len(event) > self._tree_limit for event in events),
        }
        return Reduction(nodes=pool.nodes, target=target, details=details)

    def _grow(self, pool: Pool, groups: Sequence[Sequence[int]], random: np.random.Generator) -> Sequence[Tree]:
        """A tree for each group of places, several for one that is too large."""
        parts = [part for group in groups for part in self._bounded(pool, group)]
        if self._edge_rule == "random":
            return [
                RandomTree(pool, part, random=child)
                for part, child in zip(parts, random.spawn(len(parts)), strict=True)
            ]
        return [ShrinkingTree(pool, part, edge_score=self._edge_score) for part in parts]

    def _bounded(self, pool: Pool, places: Sequence[int]) -> list[list[int]]:
        if len(places) <= self._tree_limit:
            return [list(places)]
        grid = on_grid(np.stack([pool[place].vector for place in places]))
        groups = bounded_groups(grid, largest=self._tree_limit, seed=_SPLIT_SEED)
        return [np.asarray(places)[group].tolist() for group in groups]

    def _shrink(self, pool: Pool, trees: Sequence[Tree], quota: Sequence[int]) -> Waves:
        """Merge the best pair of every tree above its quota, again and again; a tree without a pair left stops."""
        active = [(tree, kept) for tree, kept in zip(trees, quota, strict=True) if len(tree) > kept]
        while active:
            picks = [(tree, kept, best[1]) for tree, kept in active if (best := tree.best())]
            if picks:
                outcomes = yield tuple(pool.pair(*pair) for _, _, pair in picks)
                for (tree, _, pair), outcome in zip(picks, outcomes, strict=True):
                    self._settle(pool, tree, pair, outcome)
            active = [(tree, kept) for tree, kept, _ in picks if len(tree) > kept]
        return Reduction(nodes=())

    def _shrink_globally(self, pool: Pool, trees: Sequence[Tree], target: int) -> Waves:
        """Merge the best pair of all trees, again and again; equal scores go to the lower tree."""
        heads = [(-best[0], number, best[1]) for number, tree in enumerate(trees) if (best := tree.best())]
        heapq.heapify(heads)
        while len(pool) > target and heads:
            _, number, pair = heapq.heappop(heads)
            (outcome,) = yield (pool.pair(*pair),)
            self._settle(pool, trees[number], pair, outcome)
            if best := trees[number].best():
                heapq.heappush(heads, (-best[0], number, best[1]))
        return Reduction(nodes=())

    def _shrink_across(self, pool: Pool, target: int, random: np.random.Generator) -> Waves:
        """Trees over what is left, whatever tree it came from, until M nodes are left or no merge succeeds."""
        while len(pool) > target:
            before = len(pool)
            trees = self._grow(pool, [pool.places], random)
            yield from self._shrink(pool, trees, largest_remainder([len(tree) for tree in trees], target))
            if len(pool) == before:
                break
        return Reduction(nodes=())

    def _settle(self, pool: Pool, tree: Tree, pair: tuple[int, int], outcome: MergeOutcome) -> None:
        if self._on_failure == "abort" and isinstance(outcome, MergeFailed):
            asked = pool.pair(*pair)
            raise MethodError(
                f"merging {asked.older.id} and {asked.newer.id} failed ({outcome.reason}) and "
                "compressor.on_failure=abort; remove the cause, or set compressor.on_failure=next_pair"
            )
        tree.settle(*pair, outcome)


def _among(setting: str, value: str, known: Sequence[str]) -> None:
    require(value in known, f"compressor.{setting} must be one of {', '.join(known)}; got {value!r}")
