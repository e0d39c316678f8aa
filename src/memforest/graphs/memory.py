"""From a video's graph to what a memory carries of it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import numpy as np

from memforest.core.graph import Entity, MemoryGraph
from memforest.core.types import CLIP_SECONDS, Json, MemoryNode, Segment
from memforest.core.vectors import Vector
from memforest.core.video import ENTITY_TYPES, GraphNode, GraphVectors, VideoGraph
from memforest.graphs.raw import Row


def text_node(
    node: GraphNode, *, vector: Vector, truncated: bool = False, metadata: Mapping[str, Json] | None = None
) -> MemoryNode:
    """A text as a memory has it: its id in the graph is its only source, the start of its clip its time."""
    id, time = str(node.id), None if node.clip is None else node.clip * CLIP_SECONDS
    return MemoryNode(
        id=id,
        segments=(Segment(text=node.text, sources=(id,), time=time),),
        vector=vector,
        time=time,
        members=(id,),
        kind=node.type,
        truncated=truncated,
        metadata=metadata or {},
    )


def memory_graph(graph: VideoGraph, *, equivalences: Sequence[MemoryNode], texts: Container[str] = ()) -> MemoryGraph:
    """Faces, voices, `equivalences`, and the edges between them and the other texts with the ids `texts`."""
    entities = tuple(
        Entity(id=str(node.id), kind="face" if node.type == "img" else "voice")
        for node in graph.nodes
        if node.type in ENTITY_TYPES
    )
    fixed = {entity.id for entity in entities} | {node.id for node in equivalences}
    edges = ((str(first), str(second), weight) for first, second, weight in graph.edges)
    kept = tuple(edge for edge in edges if all(end in fixed or end in texts for end in edge[:2]))
    return MemoryGraph(entities=entities, edges=kept, equivalences=tuple(equivalences))


def told_graph(graph: VideoGraph) -> MemoryGraph:
    """Who is who in a video, as `core.characters` reads it, without any vector."""
    nothing = np.zeros(0, dtype=np.float32)
    return memory_graph(
        graph, equivalences=[text_node(node, vector=nothing) for node in graph.texts if node.is_equivalence]
    )


def mean_row(vectors: GraphVectors, id: int) -> Row | None:
    """A node's own vector, or the mean of its several, shape [dimension]; None where it has none."""
    rows = vectors.get(id)
    return None if rows is None else np.asarray(rows.mean(axis=0, dtype=np.float64), dtype=np.float32)
