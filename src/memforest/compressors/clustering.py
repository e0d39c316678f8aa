"""KMeans as this project uses it: scikit-learn, one thread, unit vectors; and rough groups of bounded size."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memforest.core.vectors import Grid

if TYPE_CHECKING:
    from sklearn.cluster import KMeans

INITIALISATIONS = ("k-means++", "d2_sampling", "random")
_ROUGH_SAMPLE = 10_000
_ROUGH_CLUSTERS = 50


@dataclass(frozen=True, slots=True)
class KMeansRule:
    """How KMeans is fitted.

    initialisation: k-means++ (the best of several candidates for each centre), d2_sampling (k-means++ with one
    candidate, as first published), or random; starts: fits of which the best is taken; iterations: Lloyd's, at most;
    tolerance: shift of the centres, relative to the variance, below which they stop.
    """

    initialisation: str
    starts: int
    iterations: int
    tolerance: float


STANDARD = KMeansRule("k-means++", starts=1, iterations=300, tolerance=1e-4)


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

    def nearest(self) -> NDArray[np.int64]:
        """For each cluster the node nearest to its centre, the lowest place of equals, shape [clusters]."""
        order = np.lexsort((np.arange(len(self.labels)), self.distances, self.labels))
        return order[np.searchsorted(self.labels[order], np.arange(self.count))]


def kmeans(grid: Grid, *, clusters: int, seed: int, rule: KMeansRule = STANDARD) -> Clusters:
    """Cluster unit vectors [nodes, dimension]. Needs 1 <= clusters <= nodes."""
    fitted = _fit(grid, clusters, seed, rule)
    _, labels = np.unique(fitted.labels_, return_inverse=True)
    offsets = grid - fitted.cluster_centers_[fitted.labels_]
    # Rounded, so that nodes that are equally near, such as the two of a pair, tie instead of differing by noise.
    distances = np.round(np.einsum("nd,nd->n", offsets, offsets), 9)
    return Clusters(labels=labels.astype(np.int64), distances=distances)


def bounded_groups(grid: Grid, *, largest: int, seed: int) -> list[NDArray[np.int64]]:
    """Split vectors [nodes, dimension] into groups of at most `largest`, similar ones together.

    Each group holds ascending places; every place is in one group. One KMeans on a sample splits what is too large,
    again and again; vectors that it cannot tell apart are split in their order.
    """
    pending, done = [np.arange(len(grid))], []
    while pending:
        places = pending.pop()
        if len(places) <= largest:
            done.append(places)
            continue
        labels = _rough_labels(grid[places], min(_ROUGH_CLUSTERS, math.ceil(2 * len(places) / largest)), seed)
        parts = [places[labels == label] for label in np.unique(labels)]
        if max(map(len, parts)) > 0.9 * len(places):
            parts = np.array_split(places, math.ceil(len(places) / largest))
        pending.extend(reversed(parts))
    return done


def _rough_labels(grid: Grid, clusters: int, seed: int) -> NDArray[np.int64]:
    from threadpoolctl import threadpool_limits

    sample = grid[:: math.ceil(len(grid) / _ROUGH_SAMPLE)]
    fitted = _fit(sample, min(clusters, len(sample)), seed, replace(STANDARD, iterations=20))
    with threadpool_limits(limits=1):
        return np.asarray(fitted.predict(grid), dtype=np.int64)


def _fit(grid: Grid, clusters: int, seed: int, rule: KMeansRule) -> KMeans:
    from sklearn.cluster import KMeans, kmeans_plusplus
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    def d2_sampling(vectors: Grid, count: int, random_state: np.random.RandomState) -> Grid:
        return np.asarray(kmeans_plusplus(vectors, count, n_local_trials=1, random_state=random_state)[0])

    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Fewer distinct vectors than clusters is met by the callers, not an accident.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(
            n_clusters=clusters,
            init=d2_sampling if rule.initialisation == "d2_sampling" else rule.initialisation,
            n_init=rule.starts,
            max_iter=rule.iterations,
            tol=rule.tolerance,
            random_state=seed,
        ).fit(grid)
