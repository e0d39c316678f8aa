"""Confidence intervals by a bootstrap clustered on units: questions about one memory are not independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
LEVEL = 0.95


def clustered_interval(values: Sequence[float], clusters: Sequence[str]) -> tuple[float, float] | None:
    """Bounds of the 95 % interval of the mean of `values`; units are drawn with replacement, with all their values.

    None for fewer than two units. The draws are the same in every call, so equal data give equal bounds.
    """
    names = sorted(set(clusters))
    if len(names) < 2:
        return None
    place = {name: index for index, name in enumerate(names)}
    index = np.array([place[name] for name in clusters])
    sums = np.bincount(index, weights=np.asarray(values, dtype=np.float64), minlength=len(names))
    counts = np.bincount(index, minlength=len(names))
    draws = np.random.default_rng(0).integers(len(names), size=(RESAMPLES, len(names)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
