"""Memories for measurements: random vectors of any number, drawn the same every time, and what real data there is."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from memforest.core.seeding import generator
from memforest.core.types import Memory, MemoryNode, Segment
from memforest.core.vectors import Matrix, normalised

DIMENSION = 384
_NODES_OF_A_TOPIC = 20
_NODES_OF_A_MOMENT = 10


def unrelated(count: int) -> Memory:
    """Vectors in random directions."""
    return _memory(normalised(_random("unrelated").normal(size=(count, DIMENSION))))


def topical(count: int) -> Memory:
    """Topics of about 20 nodes each; two nodes of a topic have a cosine of about 0.6."""
    random = _random("topical")
    topics = random.normal(size=(max(1, count // _NODES_OF_A_TOPIC), DIMENSION)).astype(np.float32)
    vectors = topics[random.integers(0, len(topics), size=count)]
    vectors += 0.8 * random.normal(size=vectors.shape).astype(np.float32)
    return _memory(normalised(vectors))


def near_duplicates(count: int) -> Memory:
    """Vectors whose cosines all lie within 1e-6 of 1."""
    random = _random("near duplicates")
    noise = random.normal(size=(count, DIMENSION)) * 1e-3 / np.sqrt(DIMENSION)
    return _memory(normalised(normalised(random.normal(size=DIMENSION)) + noise))


def real_dataset(*, small: bool) -> str:
    """`locomo` where its file is found; `sample` elsewhere, and for tests."""
    found = Path(os.environ.get("MEMFOREST_DATA", "data"), "locomo", "locomo10.json").is_file()
    return "locomo" if found and not small else "sample"


def _random(purpose: str) -> np.random.Generator:
    return generator(seed=0, purpose=f"bench/{purpose}")


def _memory(vectors: Matrix) -> Memory:
    nodes = tuple(
        MemoryNode(
            id=f"n{place}",
            segments=(Segment(f"memory {place}", (f"n{place}",), float(place // _NODES_OF_A_MOMENT)),),
            vector=vector,
            time=float(place // _NODES_OF_A_MOMENT),
            members=(f"n{place}",),
        )
        for place, vector in enumerate(vectors)
    )
    return Memory(id="bench", nodes=nodes)
