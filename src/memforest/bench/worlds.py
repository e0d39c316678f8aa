"""Memories for measurements: random vectors of any number, drawn the same every time, and what real data there is."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from memforest.core.graph import Entity, MemoryGraph
from memforest.core.seeding import generator
from memforest.core.types import CLIP_SECONDS, Memory, MemoryNode, Segment
from memforest.core.vectors import Matrix, Vector, normalised

DIMENSION = 384
_NODES_OF_A_TOPIC = 20
_NODES_OF_A_MOMENT = 10
_TOPICS = 40
_FACES, _ENTITIES = 3, 43
_TEXTS_OF_A_CLIP = 30
_TEXTS_OF_AN_EQUIVALENCE = 48


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


def robot_like(count: int, *, dimension: int) -> Memory:
    """The memory of a video of a robot's benchmark: 30 texts a clip, vectors around 40 topics, two thirds of the texts
    linked to one of 40 voices or three faces, as many episodic as semantic, and one in 48 an equivalence."""
    random = _random("robot-like")
    topics = random.normal(size=(_TOPICS, dimension)) + random.normal(size=dimension)
    vectors = normalised(topics[random.integers(0, _TOPICS, size=count)] + 1.5 * random.normal(size=(count, dimension)))
    entities = tuple(Entity(str(number), "face" if number < _FACES else "voice") for number in range(_ENTITIES))
    texts = [_text_of_a_video(place, vector) for place, vector in enumerate(vectors)]
    linked = [(str(random.integers(_ENTITIES)), text.id, 1.0) for text in texts if random.random() < 2 / 3]
    told = tuple(text for place, text in enumerate(texts) if _tells(place))
    nodes = tuple(text for place, text in enumerate(texts) if not _tells(place))
    graph = MemoryGraph(entities=entities, edges=tuple(linked), equivalences=told)
    return Memory(id="video", nodes=nodes, source_level="node", clock="video", graph=graph)


def _text_of_a_video(place: int, vector: Vector) -> MemoryNode:
    voice = _FACES + place % (_ENTITIES - _FACES)
    text = (
        f"Equivalence: <face_{place % _FACES}>, <voice_{voice}>" if _tells(place) else f"<voice_{voice}> does {place}"
    )
    time = place // _TEXTS_OF_A_CLIP * CLIP_SECONDS
    id = str(_ENTITIES + place)
    kind = "episodic" if place % _TEXTS_OF_A_CLIP < _TEXTS_OF_A_CLIP / 2 else "semantic"
    return MemoryNode(id=id, segments=(Segment(text, (id,), time),), vector=vector, time=time, members=(id,), kind=kind)


def _tells(place: int) -> bool:
    return place % _TEXTS_OF_AN_EQUIVALENCE == 0


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
