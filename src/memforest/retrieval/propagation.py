"""Anchor-guided propagation retrieval (AGPR, Section 3.3 of the EventTree paper), as a pure function."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def propagate(
    scores: NDArray[np.float64],
    times: NDArray[np.float64],
    *,
    anchors: int,
    gamma: float,
    include_self: bool,
) -> NDArray[np.float64]:
    """Fused scores v = gamma s + (1 - gamma) p of candidates, shape [candidates].

    `scores` are similarities in descending order, `times` the candidates' time coordinates; the first `anchors` of
    them are the anchors, and p_j = mean over anchors a of exp(-|t_j - t_a|). With `include_self` an anchor is one of
    its own anchors, at distance 0; without, its mean is over the others, and 0 when there are none.
    """
    nearness = np.exp(-np.abs(times[:, None] - times[None, :anchors]))
    counted = np.full(len(times), float(anchors))
    if not include_self:
        np.fill_diagonal(nearness, 0.0)
        counted[:anchors] = max(1, anchors - 1)
    return np.asarray(gamma * scores + (1 - gamma) * (nearness.sum(axis=1) / counted))


def half_up(value: float) -> int:
    """Rounded to the nearest integer, halves upwards, also those that a product such as 0.29 * 50 falls short of."""
    return math.floor(value + 0.5 + 1e-9)
