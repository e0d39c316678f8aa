"""Small memories with a graph for tests: two characters, a voice each, a face of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memforest.core.graph import Entity, MemoryGraph, tagged
from memforest.core.types import CLIP_SECONDS, Memory, MemoryNode
from tests.builders import WORDS, node, unit_vectors

FACE, VOICE, OTHER = Entity("0", "face"), Entity("1", "voice"), Entity("2", "voice")


def text_node(
    number: int, text: str, *, clip: int | None, kind: str = "episodic", seed: int | None = None
) -> MemoryNode:
    """A text node as the backbone makes it; its vector is drawn by its number."""
    (vector,) = unit_vectors(1, seed=number)
    time = None if clip is None else clip * CLIP_SECONDS
    return replace(node(str(number), text, vector=vector, time=time), kind=kind)


def graph_memory(count: int = 12, *, per_clip: int = 3) -> Memory:
    """`count` texts about the entities in turn, every third semantic; an equivalence in clip 0 and one in clip 2."""
    entities = (FACE, VOICE, OTHER)
    nodes = [
        text_node(
            10 + place,
            f"<{entities[place % 3].tag}> does thing {place}",
            clip=place // per_clip,
            kind="semantic" if place % 3 == 2 else "episodic",
        )
        for place in range(count)
    ]
    told = (
        text_node(90, "Equivalence: <face_0>, <voice_1>", clip=0, kind="semantic"),
        text_node(91, "Equivalence: <face_0>, <voice_2>", clip=2, kind="semantic"),
    )
    edges = [(entities[place % 3].id, one.id, 1.0 + place % 2) for place, one in enumerate(nodes)]
    return carrying(nodes, entities=entities, edges=edges, equivalences=told)


def busy_memory(count: int = 120, *, per_clip: int = 30, clipless: bool = False) -> Memory:
    """Texts of both kinds about several faces and voices or none, with all that is awkward: texts without a vector, a
    tag and, if asked for, a clip; edges between texts, repeated texts, equivalences that say more with every clip."""
    random = np.random.default_rng(count)
    entities = tuple(Entity(str(id), "face" if id % 3 == 0 else "voice") for id in range(9))
    nodes: list[MemoryNode] = []
    edges: list[tuple[str, str, float]] = []
    for place in range(count):
        named = sorted(random.choice(9, size=random.integers(1, 4), replace=False)) if random.random() < 0.5 else []
        tags = " ".join(f"<{entities[id].tag}>" for id in named)
        one = text_node(
            100 + place,
            f"{tags} {random.choice(WORDS)} and {random.choice(WORDS)}".strip(),
            clip=None if clipless and place % 40 == 7 else place // per_clip,
            kind="semantic" if random.random() < 0.4 else "episodic",
        )
        nodes.append(replace(one, vector=np.zeros_like(one.vector)) if place % 30 == 11 else one)
        edges += [(entities[id].id, one.id, float(random.integers(1, 4))) for id in named]
        if place and random.random() < 0.1:
            edges.append((nodes[random.integers(place)].id, one.id, 1.0))
    told = tuple(
        text_node(90_000 + clip, f"Equivalence: <face_{3 * clip}>, <voice_{3 * clip + 1}>", clip=clip, kind="semantic")
        for clip in range(min(3, count // per_clip))
    )
    edges += [(entity, one.id, 1.0) for one in told for entity in tagged(one.text)]
    return carrying(nodes, entities=entities, edges=edges, equivalences=told)


def carrying(
    nodes: Sequence[MemoryNode],
    *,
    entities: Sequence[Entity] = (),
    edges: Sequence[tuple[str, str, float]] = (),
    equivalences: Sequence[MemoryNode] = (),
) -> Memory:
    """A video's memory of `nodes` with a graph."""
    graph = MemoryGraph(entities=tuple(entities), edges=tuple(edges), equivalences=tuple(equivalences))
    return Memory(id="video", nodes=tuple(nodes), source_level="node", clock="video", graph=graph)
