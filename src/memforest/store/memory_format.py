"""Memories as bytes: `memories.jsonl` (a header line per memory, then its nodes) and `vectors.npy`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memforest.core.files import json_line, lines_of
from memforest.core.types import Memory, MemoryNode, Segment
from memforest.core.vectors import Vector

TEXTS = "memories.jsonl"
VECTORS = "vectors.npy"


def dump_memories(memories: Sequence[Memory]) -> dict[str, bytes]:
    """Equal memories give equal bytes."""
    lines = [json_line(record) for memory in memories for record in _records(memory)]
    vectors = [memory.matrix for memory in memories if len(memory)]
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
        memories.append(
            Memory(id=header["memory"], nodes=nodes, source_level=header["source_level"], clock=header["clock"])
        )
        start = end
    return memories


def _records(memory: Memory) -> Iterator[dict[str, Any]]:
    yield {
        "memory": memory.id,
        "nodes": len(memory),
        "source_level": memory.source_level,
        "clock": memory.clock,
    }
    for node in memory.nodes:
        yield {
            "id": node.id,
            "segments": [[segment.text, list(segment.sources), segment.time] for segment in node.segments],
            "time": node.time,
            "members": list(node.members),
            "kind": node.kind,
            "truncated": node.truncated,
            "metadata": dict(node.metadata),
        }


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
