"""Memories as bytes: `memories.jsonl` and `vectors.npy`.

The first holds a header line per memory, then its nodes, then the equivalences of its graph, whose entities and edges
stand in the header; the second a row per node and equivalence in the same order."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memforest.core.files import json_line, lines_of
from memforest.core.graph import Entity, MemoryGraph
from memforest.core.types import Memory, MemoryNode, Segment
from memforest.core.vectors import Matrix, Vector

TEXTS = "memories.jsonl"
VECTORS = "vectors.npy"


def dump_memories(memories: Sequence[Memory]) -> dict[str, bytes]:
    """Equal memories give equal bytes."""
    lines = [json_line(record) for memory in memories for record in _records(memory)]
    vectors = [rows for memory in memories for rows in _matrices(memory) if len(rows)]
    stacked = np.concatenate(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)
    buffer = io.BytesIO()
    np.save(buffer, stacked, allow_pickle=False)
    return {TEXTS: "".join(line + "\n" for line in lines).encode(), VECTORS: buffer.getvalue()}


def load_memories(files: Mapping[str, bytes]) -> list[Memory]:
    """The memories that `dump_memories` was given."""
    vectors = iter(np.load(io.BytesIO(files[VECTORS]), allow_pickle=False))
    records = [json.loads(line) for line in lines_of(files[TEXTS].decode())]
    memories = []
    start = 0
    while start < len(records):
        header = records[start]
        end = start + 1 + header["nodes"]
        nodes = tuple(_node(record, next(vectors)) for record in records[start + 1 : end])
        graph = None
        if "graph" in header:
            start, end = end, end + header["graph"]["equivalences"]
            graph = _graph(header["graph"], [_node(record, next(vectors)) for record in records[start:end]])
        memories.append(
            Memory(
                id=header["memory"],
                nodes=nodes,
                source_level=header["source_level"],
                clock=header["clock"],
                graph=graph,
            )
        )
        start = end
    return memories


def _records(memory: Memory) -> Iterator[dict[str, Any]]:
    yield {
        "memory": memory.id,
        "nodes": len(memory),
        "source_level": memory.source_level,
        "clock": memory.clock,
        **({} if memory.graph is None else {"graph": _graph_record(memory.graph)}),
    }
    for node in (*memory.nodes, *_equivalences(memory)):
        yield {
            "id": node.id,
            "segments": [[segment.text, list(segment.sources), segment.time] for segment in node.segments],
            "time": node.time,
            "members": list(node.members),
            "kind": node.kind,
            "truncated": node.truncated,
            "metadata": dict(node.metadata),
        }


def _equivalences(memory: Memory) -> tuple[MemoryNode, ...]:
    return () if memory.graph is None else memory.graph.equivalences


def _matrices(memory: Memory) -> tuple[Matrix, Matrix]:
    """Vectors of a memory's nodes and of its equivalences."""
    told = [node.vector for node in _equivalences(memory)]
    return memory.matrix, np.stack(told) if told else memory.matrix[:0]


def _graph_record(graph: MemoryGraph) -> dict[str, Any]:
    return {
        "entities": [[entity.id, entity.kind] for entity in graph.entities],
        "edges": [list(edge) for edge in graph.edges],
        "equivalences": len(graph.equivalences),
    }


def _graph(record: Mapping[str, Any], equivalences: Sequence[MemoryNode]) -> MemoryGraph:
    return MemoryGraph(
        entities=tuple(Entity(id, kind) for id, kind in record["entities"]),
        edges=tuple((first, second, weight) for first, second, weight in record["edges"]),
        equivalences=tuple(equivalences),
    )


def _node(record: Mapping[str, Any], vector: Vector) -> MemoryNode:
    return MemoryNode(
        id=record["id"],
        segments=tuple(Segment(text, tuple(sources), time) for text, sources, time in record["segments"]),
        vector=vector,
        time=record["time"],
        members=tuple(record["members"]),
        kind=record["kind"],
        truncated=record["truncated"],
        metadata=record["metadata"],
    )
