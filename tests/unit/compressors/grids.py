"""Vectors from a small grid, so that equal similarities are common, and merging without an executor."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from memforest.compressors.clustering import STANDARD
from memforest.compressors.eventtree.method import EventTree
from memforest.compressors.eventtree.partition import UnionRule
from memforest.config.folder import settings
from memforest.core.protocols import Compressor, Reduction
from memforest.core.types import Memory, MemoryNode, Pair
from memforest.core.vectors import Vector, normalised
from memforest.pipeline.merged_nodes import merged_id
from tests.builders import DAY, memory, node

GRID = normalised(np.array([[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [-1, 0], [0, 0]], dtype=np.float64))


def merged(pair: Pair) -> MemoryNode:
    """The merged node; of grid vectors its own is a function of its members, again from the grid, else their mean."""
    members = tuple(sorted((*pair.older.members, *pair.newer.members)))
    times = [side.time for side in (pair.older, pair.newer) if side.time is not None]
    from_grid = GRID[zlib.crc32(" ".join(members).encode()) % len(GRID)]
    mean = normalised(pair.older.vector.astype(np.float64) + pair.newer.vector)
    return node(
        merged_id(members),
        vector=from_grid if mean.shape == from_grid.shape else mean,
        time=max(times, default=None),
        members=members,
    )


@st.composite
def memories(draw: st.DrawFn, *, smallest: int = 1, largest: int = 12) -> Memory:
    """A memory of grid vectors; times are given in any order, with ties, or are absent."""
    count = draw(st.integers(smallest, largest))
    rows = draw(st.lists(st.integers(0, len(GRID) - 1), min_size=count, max_size=count))
    days = draw(
        st.one_of(
            st.just([None] * count),
            st.lists(st.integers(0, 3), min_size=count, max_size=count),
            st.lists(st.none() | st.integers(0, 3), min_size=count, max_size=count),
        )
    )
    return gridded([GRID[row] for row in rows], [None if day is None else DAY * day for day in days])


def gridded(vectors: Sequence[Vector], times: Sequence[float | None]) -> Memory:
    """Nodes n00, n01, ... with these vectors and times."""
    return memory(
        [
            node(f"n{place:02d}", vector=vector, time=time)
            for place, (vector, time) in enumerate(zip(vectors, times, strict=True))
        ]
    )


def drive(compressor: Compressor, of: Memory, *, ratio: float, seed: int = 0) -> tuple[Reduction, list[Pair]]:
    """Run a compressor with `merged`: what it leaves, and the pairs it asked for, in order."""
    waves = compressor.compress(memory=of, ratio=ratio, seed=seed)
    asked: list[Pair] = []
    try:
        wave = next(waves)
        while True:
            asked.extend(wave)
            wave = waves.send([merged(pair) for pair in wave])
    except StopIteration as stop:
        reduction: Reduction = stop.value
        return reduction, asked


def groups(nodes: Sequence[MemoryNode]) -> list[frozenset[str]]:
    """Members of each node, in order."""
    return [frozenset(item.members) for item in nodes]


def eventtree(*, preset: str = "memforest", **changes: Any) -> EventTree:
    """EventTree with the settings of a YAML file but for `changes`."""
    raw = {
        key: value for key, value in settings("compressor", preset).items() if key not in ("_target_", "name", "traits")
    }
    return EventTree(**{**raw, **changes})


def union_partition(
    of: Memory,
    *,
    alpha: float = 0.1,
    beta: float = 0.8,
    window: float = 5,
    window_unit: str = "rank",
    exact_up_to: int = 10_000,
    seed: int = 0,
) -> list[list[int]]:
    """The paper's partition as plain lists."""
    rule = UnionRule(alpha, "floor", STANDARD, beta, window, window_unit, exact_up_to)
    return [part.tolist() for part in rule.partition(of, seed=seed)]
