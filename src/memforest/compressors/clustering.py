"""KMeans as this project uses it: scikit-learn, one initialisation, one thread, unit vectors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.types import Memory


@dataclass(frozen=True, eq=False)
class Clusters:
    """`labels` [nodes] from 0 without gaps, numbered by first appearance of the fitted centres; `distances` [nodes]
    are squared distances to the own centre. There are fewer clusters than asked for when vectors coincide."""

    labels: NDArray[np.int64]
    distances: NDArray[np.float64]

    @property
    def count(self) -> int:
        """Number of clusters, none of them empty."""
        return int(self.labels.max()) + 1

    def nearest(self, cluster: int) -> int:
        """The node nearest to the centre; the lowest place wins ties."""
        members = np.flatnonzero(self.labels == cluster)
        return int(members[np.argmin(self.distances[members])])


def kmeans(memory: Memory, *, clusters: int, seed: int) -> Clusters:
    """Cluster a memory's unit vectors. Needs 1 <= clusters <= nodes."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Fewer distinct vectors than clusters is met below, not an accident.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(n_clusters=clusters, n_init=1, random_state=seed).fit(memory.grid)
    _, labels = np.unique(fitted.labels_, return_inverse=True)
    offsets = memory.grid - fitted.cluster_centers_[fitted.labels_]
    # Rounded, so that nodes that are equally near, such as the two of a pair, tie instead of differing by noise.
    distances = np.round(np.einsum("nd,nd->n", offsets, offsets), 9)
    return Clusters(labels=labels.astype(np.int64), distances=distances)
