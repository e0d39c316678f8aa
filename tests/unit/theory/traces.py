"""Random traces, merged by interpolation or into vectors of any direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memforest.core.vectors import normalised, on_grid
from memforest.theory.trace import Trace
from tests.builders import unit_vectors


def random_trace(
    *, nodes: int, merges: int, seed: int, dimension: int = 4, weight: float | None = 0.5, copies: int = 0
) -> Trace:
    """Random pairs merge; `weight` is that of the older part, None gives the merged nodes random vectors.

    The last `copies` nodes are copies of the first ones.
    """
    random = np.random.default_rng([seed, nodes, merges])
    grid = list(on_grid(unit_vectors(nodes, dimension=dimension, seed=seed)))
    grid[nodes - copies :] = grid[:copies]
    live = list(range(nodes))
    pairs = []
    for _ in range(merges):
        older, newer = (live.pop(int(random.integers(len(live)))) for _ in range(2))
        between = random.normal(size=dimension) if weight is None else weight * grid[older] + (1 - weight) * grid[newer]
        pairs.append((older, newer))
        live.append(len(grid))
        grid.append(on_grid(normalised(between)))
    older_rows, newer_rows = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return Trace(np.stack(grid), older_rows, newer_rows, np.array(live, dtype=np.intp))


def weights(trace: Trace, weight: float = 0.5) -> NDArray[np.float64]:
    """One weight for all merges."""
    return np.full(trace.merges, weight)
