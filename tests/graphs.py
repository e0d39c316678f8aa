"""Small memories with a graph for tests: two characters, a voice each, a face of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memforest.core.graph import Entity, MemoryGraph
from memforest.core.types import CLIP_SECONDS, Memory, MemoryNode
from tests.builders import node, unit_vectors

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
