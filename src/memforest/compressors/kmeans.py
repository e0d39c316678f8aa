"""KMeans: cluster into M clusters and keep the node nearest to each centre."""

from __future__ import annotations

import numpy as np

from memforest.compressors.clustering import Clusters, kmeans
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, target_count


class KMeansPruning:
    """Appendix A.1 of the EventTree paper."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Drops nodes; merges nothing."""
        yield from ()
        target = target_count(count=len(memory), ratio=ratio)
        if target == len(memory):
            return Reduction(nodes=memory.nodes)
        clusters = kmeans(memory.grid, clusters=target, seed=seed)
        kept = sorted(_representatives(clusters, target))
        return Reduction(nodes=tuple(memory.nodes[place] for place in kept), details={"clusters": clusters.count})


def _representatives(clusters: Clusters, target: int) -> list[int]:
    """The nearest node of each cluster; coinciding vectors leave fewer clusters than M, then the second nearest, ..."""
    depth = np.empty(len(clusters.labels), dtype=np.int64)
    for cluster in range(clusters.count):
        members = np.flatnonzero(clusters.labels == cluster)
        depth[members[np.argsort(clusters.distances[members], kind="stable")]] = np.arange(len(members))
    return [int(place) for place in np.argsort(depth, kind="stable")[:target]]
