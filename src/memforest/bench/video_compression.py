"""How long each method takes for the memory of one long video, without a model."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from memforest.bench.figures import Figure
from memforest.bench.worlds import robot_like
from memforest.compression import compress
from memforest.config.folder import options

TEXTS, DIMENSION, RATIO = 2_400, 3_072, 0.5
"""A long robot video, and the vectors of the model that M3-Agent embeds texts with."""

SAME = ("none", "random")
"""Options that compress nothing, or are another one."""


def figures(*, small: bool, say: Callable[[str], None]) -> list[Figure]:
    """Every compressor at 0.5 with concat and mean vectors; `small` is for tests."""
    memory = robot_like(60, dimension=8) if small else robot_like(TEXTS, dimension=DIMENSION)
    compress(robot_like(60, dimension=8), method="memforest", ratio=RATIO)  # imports scikit-learn, which must not count
    found: list[Figure] = []
    for method in options("compressor"):
        if method not in SAME:
            say(method)
            start = perf_counter()
            done = compress(memory, method=method, ratio=RATIO)
            meaning = f"{len(memory):,} texts of a video to {len(done.memory):,}"
            found.append(Figure(method, perf_counter() - start, "s", meaning, at_most=60))
    return found
