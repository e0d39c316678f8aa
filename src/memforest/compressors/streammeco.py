"""StreamMeCo: nodes without a face or voice are thinned clip by clip, the others by weight and redundancy."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.compressors.clustering import STANDARD, KMeansRule, kmeans
from memforest.compressors.quotas import rounded_up, spread, trimmed
from memforest.core.checks import require
from memforest.core.errors import DataError
from memforest.core.graph import MemoryGraph
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, clip_of, target_count
from memforest.core.vectors import Grid, mean_vector, normalised, on_grid, similarity

TARGETS = ("exact", "released")

_LEAST_DIFFERENCE = 2.0**-22
"""Of two cosines, each off by up to 1e-7 since vectors are of length 1 only as far as their numbers go. Scaling would
make a difference that is none as large as any."""

Places = list[int]
"""Places of nodes in the memory, ascending."""


class StreamMeCo:
    """The two branches of StreamMeCo on the nodes of a video's graph.

    A node is connected when it has an edge to a face or a voice; of these those stay that rank first by `alpha`
    importance + (1 - alpha) novelty (`_scores`). The others are isolated: in each clip they are clustered
    (ceil(`cluster_ratio` n) clusters, KMeans on unit vectors, the best of `kmeans_starts`), and of each cluster the
    node nearest to the centre stays, then again and again the one that is farthest from all that stay. Isolated nodes
    without a vector stay before all others.

    targets: exact leaves M nodes, spread over the branch of connected nodes and the clips by largest remainder;
    released rounds up in each, as the released code does, and so has a target of its own, with the share
    `isolated_keep` of each clip's nodes and `connected_keep` of the connected ones (None: 1 - ratio).
    """

    def __init__(
        self,
        *,
        targets: str,
        isolated_keep: float | None,
        connected_keep: float | None,
        cluster_ratio: float,
        kmeans_starts: int,
        alpha: float,
    ) -> None:
        require(targets in TARGETS, f"compressor.targets must be one of {', '.join(TARGETS)}; got {targets!r}")
        for name, share in (("isolated_keep", isolated_keep), ("connected_keep", connected_keep)):
            _require_share(f"compressor.{name}", share)
            require(
                share is None or targets == "released",
                f"compressor.{name} needs compressor.targets=released: an exact count follows the ratio alone",
            )
        require(
            0 < cluster_ratio <= 1,
            f"compressor.cluster_ratio, clusters per node, must be in (0, 1], got {cluster_ratio}",
        )
        require(kmeans_starts >= 1, f"compressor.kmeans_starts must be at least 1, got {kmeans_starts}")
        require(0 <= alpha <= 1, f"compressor.alpha must be in [0, 1], got {alpha}")
        self._exact = targets == "exact"
        self._isolated_keep = isolated_keep
        self._connected_keep = connected_keep
        self._cluster_ratio = cluster_ratio
        self._rule = KMeansRule(STANDARD.initialisation, kmeans_starts, STANDARD.iterations, STANDARD.tolerance)
        self._alpha = alpha

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Drops nodes; merges nothing. Raises DataError for a memory without a graph."""
        yield from ()
        graph = memory.graph
        if graph is None:
            raise DataError(f"memory {memory.id} has no graph, and streammeco goes by edges to faces and voices")
        target = target_count(count=len(memory), ratio=ratio)
        connected, clips, bare = _branches(memory, graph)
        kept = set(bare[:target] if self._exact else bare)
        quotas = self._quotas([connected, *clips], ratio=ratio, target=target - len(kept))
        kept.update(self._connected(memory, graph, connected, quotas[0]))
        for places, quota in zip(clips, quotas[1:], strict=True):
            kept.update(self._isolated(memory.grid, places, quota, ratio=ratio, seed=seed))
        return Reduction(
            nodes=tuple(memory.nodes[place] for place in sorted(kept)),
            target=None if self._exact else len(kept),
            details={
                "connected": len(connected),
                "connected_kept": len(kept.intersection(connected)),
                "isolated": len(memory) - len(connected),
                "isolated_kept": len(kept.difference(connected)),
                "clips_with_isolated": len(clips),
            },
        )

    def _quotas(self, groups: Sequence[Places], *, ratio: float, target: int) -> list[int]:
        """How many nodes stay of the connected ones, and of each clip's isolated ones."""
        sizes = [len(group) for group in groups]
        if self._exact:
            filled = iter(spread([size for size in sizes if size], target))
            return [next(filled) if size else 0 for size in sizes]
        ratios = [_ratio(self._connected_keep, ratio), *[_ratio(self._isolated_keep, ratio)] * (len(groups) - 1)]
        return [rounded_up(size, removed) if size else 0 for size, removed in zip(sizes, ratios, strict=True)]

    def _connected(self, memory: Memory, graph: MemoryGraph, places: Places, quota: int) -> Places:
        """The places with the best scores, of equals the earlier ones."""
        if quota >= len(places):
            return places
        weights = [sum(graph.of(memory.nodes[place]).values()) for place in places]
        scores = _scores(np.array(weights, dtype=np.float64), memory.grid[places], alpha=self._alpha)
        return [places[row] for row in np.argsort(-scores, kind="stable")[:quota]]

    def _isolated(self, grid: Grid, places: Places, quota: int, *, ratio: float, seed: int) -> Places:
        """The places that one clip keeps of its isolated nodes."""
        if quota >= len(places):
            return places
        vectors = grid[places]
        rows = self._clusters(vectors, seed=seed)
        sizes = [len(members) for members in rows]
        quotas = (
            spread(sizes, quota) if self._exact else trimmed(sizes, _ratio(self._isolated_keep, ratio), target=quota)
        )
        chosen = [
            members[pick]
            for members, count in zip(rows, quotas, strict=True)
            for pick in _farthest_first(vectors[members], count)
        ]
        # With fewer places than clusters the released code gives each cluster one, and keeps the first of all.
        return [places[row] for row in sorted(chosen)[:quota]]

    def _clusters(self, vectors: Grid, *, seed: int) -> list[NDArray[np.intp]]:
        """The rows of each cluster of one clip's isolated nodes."""
        count = math.ceil(self._cluster_ratio * len(vectors))
        if count == 1:
            return [np.arange(len(vectors))]
        clusters = kmeans(vectors, clusters=count, seed=seed, rule=self._rule)
        return [np.flatnonzero(clusters.labels == cluster) for cluster in range(clusters.count)]


def _branches(memory: Memory, graph: MemoryGraph) -> tuple[Places, list[Places], Places]:
    """Connected nodes; isolated ones by clip, in order of the clips' first nodes; and isolated ones without a vector.

    Nodes without a clip are a group like a clip's.
    """
    connected: Places = []
    clips: Mapping[int | None, Places] = defaultdict(list)
    bare: Places = []
    for place, node in enumerate(memory.nodes):
        if graph.of(node):
            connected.append(place)
        elif node.vector.any():
            clips[clip_of(node)].append(place)
        else:
            bare.append(place)
    return connected, list(clips.values()), bare


def _scores(weights: NDArray[np.float64], vectors: Grid, *, alpha: float) -> NDArray[np.float64]:
    """alpha importance + (1 - alpha) (1 - redundancy) of connected nodes, shape [nodes].

    Importance is the sum of a node's weights to faces and voices, redundancy the sum of its cosines to all connected
    nodes; both are scaled to [0, 1], equal values to 1. The sum of cosines is n times the cosine to the mean vector,
    which is exact.
    """
    redundancy = _scaled(similarity(vectors, mean_vector(vectors)), least=_LEAST_DIFFERENCE)
    return alpha * _scaled(weights) + (1 - alpha) * (1 - redundancy)


def _scaled(values: NDArray[np.float64], *, least: float = 0.0) -> NDArray[np.float64]:
    """Values from 0 to 1; ones where none differ by more than `least`."""
    low, high = values.min(), values.max()
    return np.ones_like(values) if high - low <= least else (values - low) / (high - low)


def _farthest_first(vectors: Grid, count: int) -> list[int]:
    """Rows of `vectors`: the one nearest to the centre, then always the one least similar to the nearest chosen one.

    The centre is the normalised mean; of equals the first row is taken.
    """
    if not count:
        return []
    centre = on_grid(normalised(mean_vector(vectors)))
    cosines = similarity(vectors, vectors)
    chosen = [int(np.argmax(similarity(vectors, centre)))]
    nearest = cosines[chosen[0]].copy()
    while len(chosen) < count:
        nearest[chosen] = np.inf
        chosen.append(int(np.argmin(nearest)))
        np.maximum(nearest, cosines[chosen[-1]], out=nearest)
    return chosen


def _ratio(keep: float | None, ratio: float) -> float:
    return ratio if keep is None else 1 - keep


def _require_share(name: str, value: object) -> None:
    good = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1)
    require(good, f"{name}, the share of nodes that stay, must be in (0, 1] or null, got {value}")
