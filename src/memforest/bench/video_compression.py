"""How long each method takes for the memory of one long video, without a model."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from memforest.bench.figures import Figure
from memforest.compression import compress
from memforest.config.folder import options
from memforest.core.graph import Entity, MemoryGraph
from memforest.core.seeding import generator
from memforest.core.types import CLIP_SECONDS, Memory, MemoryNode, Segment
from memforest.core.vectors import normalised

TEXTS, DIMENSION, RATIO = 2_400, 3_072, 0.5
"""A long robot video, and the vectors of the model that M3-Agent embeds texts with."""

SAME = ("none", "random")
"""Options that compress nothing, or are another one."""

_TOPICS, _ENTITIES, _TEXTS_OF_A_CLIP, _LINKED = 40, 40, 31, 0.6


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


def robot_like(count: int, *, dimension: int) -> Memory:
    """A video's memory in the sizes of real ones: 31 texts a clip, as many episodic as semantic, vectors around 40
    topics, and edges from three of five texts to one of 40 voices."""
    random = generator(seed=0, purpose="bench/robot-like")
    topics = random.normal(size=(_TOPICS, dimension))
    vectors = normalised(topics[random.integers(_TOPICS, size=count)] + random.normal(size=(count, dimension)))
    nodes = tuple(_text(place, vector) for place, vector in enumerate(vectors))
    edges = tuple((str(random.integers(_ENTITIES)), node.id, 1.0) for node in nodes if random.random() < _LINKED)
    entities = tuple(Entity(str(number), "voice") for number in range(_ENTITIES))
    graph = MemoryGraph(entities=entities, edges=edges)
    return Memory(id="video", nodes=nodes, source_level="node", clock="video", graph=graph)


def _text(place: int, vector: np.ndarray) -> MemoryNode:
    id, time = str(_ENTITIES + place), place // _TEXTS_OF_A_CLIP * CLIP_SECONDS
    text = f"<voice_{place % _ENTITIES}> does what the text with the number {place} says"
    kind = "episodic" if place % _TEXTS_OF_A_CLIP < _TEXTS_OF_A_CLIP / 2 else "semantic"
    return MemoryNode(id=id, segments=(Segment(text, (id,), time),), vector=vector, time=time, members=(id,), kind=kind)
