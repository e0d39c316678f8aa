"""From drafts of nodes to an embedded memory; what all backbones share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memforest.core.protocols import Embedder
from memforest.core.types import Clock, Json, Memory, MemoryNode, Segment, SourceLevel


@dataclass(frozen=True, slots=True)
class Draft:
    """A node before it is embedded."""

    id: str
    text: str
    sources: tuple[str, ...]
    time: float | None
    metadata: Mapping[str, Json] = field(default_factory=dict)


def embedded_memory(
    drafts: Sequence[Draft],
    *,
    id: str,
    kind: str,
    source_level: SourceLevel,
    clock: Clock,
    embedder: Embedder,
) -> Memory:
    """A memory of `drafts` in their order, each one segment, embedded in one call."""
    embedding = embedder.embed(texts=[draft.text for draft in drafts])
    nodes = tuple(
        MemoryNode(
            id=draft.id,
            segments=(Segment(text=draft.text, sources=draft.sources, time=draft.time),),
            vector=vector,
            time=draft.time,
            members=(draft.id,),
            kind=kind,
            truncated=bool(truncated),
            metadata=draft.metadata,
        )
        for draft, vector, truncated in zip(drafts, embedding.vectors, embedding.truncated, strict=True)
    )
    return Memory(id=id, nodes=nodes, source_level=source_level, clock=clock)
