"""The points of a Mem0 collection made fewer, each user's memories on their own."""

from __future__ import annotations

import hashlib
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memforest.compression import Compressed
from memforest.core.errors import ConfigError, DataError
from memforest.core.types import MemoryNode
from memforest.exchange.qdrant_points import Point
from memforest.exchange.qdrant_store import Collection
from memforest.exchange.records import MemoryRecord, parse_records

SCOPE = ("user_id", "agent_id", "run_id")
"""What Mem0 searches within; memories of different scopes are never merged."""

_ENTITIES = "_entities"
_IDS = uuid.UUID("6b1f7d52-6f0b-5c7e-9d0a-3f5f0c1a7e11")
"""Ids of merged points are UUIDs, as Qdrant asks for, made of our ids in this namespace."""


Smaller = Callable[[Sequence[MemoryRecord]], Compressed]
"""The asked compression of one part."""


@dataclass(frozen=True, eq=False)
class SmallerCollection:
    """What is left of a collection, the reports of its parts, and for each old point what stands for it now.

    without_keywords: merged points that lost the sparse vector of their words, which only the library's model makes.
    """

    points: tuple[Point, ...]
    reports: Sequence[Mapping[str, Any]]
    successors: Mapping[str, str | None]
    without_keywords: int = 0


@dataclass
class _Part:
    """The memories of one scope, in insertion order."""

    scope: Mapping[str, str]
    points: dict[str, Point] = field(default_factory=dict)
    records: list[MemoryRecord] = field(default_factory=list)


def linked_collection(name: str, names: Iterable[str]) -> str | None:
    """The collection whose memories `name` links by the names in them, as mem0ai 2.x does; None if it links none."""
    linked = name.removesuffix(_ENTITIES)
    return linked if linked != name and linked in set(names) else None


def smaller_collection(collection: Collection, smaller: Smaller, *, anew: bool) -> SmallerCollection:
    """Compress each part of a collection. What holds no memory stays as it is; order is kept.

    anew: all texts were embedded again, so that every point gets a new vector.
    """
    place = {point.key: number for number, point in enumerate(collection.points)}
    kept = {number: point for number, point in enumerate(collection.points) if not _is_memory(point)}
    reports: list[Mapping[str, Any]] = []
    successors: dict[str, str | None] = {}
    without_keywords = 0
    for part in _parts(collection):
        result: Compressed = smaller(part.records)
        by_member = {member: record.id for record in part.records for member in record.members}
        order = {record.id: number for number, record in enumerate(part.records)}
        successors |= dict.fromkeys(part.points)
        for node in result.memory.nodes:
            behind = sorted({by_member[member] for member in node.members}, key=order.__getitem__)
            newest = point = part.points[behind[-1]]
            if len(behind) > 1:
                point = merged_point(node, newest, vector=_vector(node, collection))
                without_keywords += newest.has_sparse
            elif anew:
                point = newest.with_vector(_vector(node, collection))
            successors |= dict.fromkeys(behind, point.key)
            kept[place[newest.key]] = point
        reports.append({"collection": collection.name, **part.scope, **result.report})
    points = tuple(kept[number] for number in sorted(kept))
    return SmallerCollection(points, reports, successors, without_keywords)


def merged_point(node: MemoryNode, newest: Point, *, vector: Sequence[float]) -> Point:
    """The point of a merged memory: text, hash and lineage are its own, everything else is its newest part's."""
    payload = {
        **newest.payload,
        "data": node.text,
        "hash": hashlib.md5(node.text.encode(), usedforsecurity=False).hexdigest(),
        "merged_from": list(node.members),
    }
    if "text_lemmatized" in payload:
        # The library's own choice where it has no lemmatiser.
        payload["text_lemmatized"] = node.text
    return newest.successor(id=str(uuid.uuid5(_IDS, node.id)), payload=payload, vector=vector)


def relinked(entities: Sequence[Point], successors: Mapping[str, str | None]) -> list[Point]:
    """Entities that link what now stands for their memories; one that links nothing any more goes, as in Mem0."""
    left = []
    for point in entities:
        links = point.payload.get("linked_memory_ids")
        if not isinstance(links, list):
            left.append(point)
            continue
        now = {successors.get(str(link), str(link)) for link in links} - {None}
        if now:
            left.append(point.with_payload({**point.payload, "linked_memory_ids": sorted(map(str, now))}))
    return left


def _is_memory(point: Point) -> bool:
    return isinstance(point.payload.get("data"), str)


def _parts(collection: Collection) -> list[_Part]:
    """Memories by scope, each part in order of time, then of writing."""
    parts: dict[tuple[str, ...], _Part] = {}
    for point in filter(_is_memory, collection.points):
        scope = {name: str(point.payload[name]) for name in SCOPE if point.payload.get(name) is not None}
        part = parts.setdefault(tuple(map(str, scope.items())), _Part(scope))
        part.points[point.key] = point
    for part in parts.values():
        where = f"collection {collection.name}, {' '.join(part.scope.values()) or 'no user'}"
        if collection.distance != "Cosine" or collection.size is None:
            raise DataError(f"{where}: vectors must be compared by cosine, as Mem0 does, not {collection.distance}")
        items = [(number, _item(point)) for number, point in enumerate(part.points.values(), 1)]
        records = parse_records(items, where=where, place="memory")
        part.records = sorted(records, key=lambda record: -math.inf if record.time is None else record.time)
    return list(parts.values())


def _item(point: Point) -> dict[str, Any]:
    payload = point.payload
    stamp = payload.get("timestamp")
    return {
        "id": point.key,
        "text": payload["data"],
        "time": stamp if stamp is not None else payload.get("created_at"),
        "members": payload.get("merged_from"),
        "embedding": list(point.vector),
    }


def _vector(node: MemoryNode, collection: Collection) -> list[float]:
    if len(node.vector) != collection.size:
        raise ConfigError(
            f"the collection {collection.name} holds vectors of {collection.size} numbers, and the embedder makes "
            f"{len(node.vector)}; name the model that the store was made with, or leave --embedder out"
        )
    return [float(value) for value in node.vector]
