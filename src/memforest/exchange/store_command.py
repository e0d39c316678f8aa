"""`memforest compress` of a Mem0 store: a folder in, a smaller one beside it and a report out."""

from __future__ import annotations

import hashlib
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memforest.compression import Compressed, compress
from memforest.core.errors import ConfigError, DataError
from memforest.core.files import folder_beside, json_bytes, write_atomically
from memforest.core.types import MemoryNode
from memforest.exchange.command import words
from memforest.exchange.places import require_free
from memforest.exchange.qdrant_points import Point
from memforest.exchange.qdrant_store import Collection, collections, copy_store, flush, rewrite
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


def compress_store(
    source: Path,
    out: Path,
    *,
    report: Path,
    replace: bool,
    method: str,
    ratio: float,
    merger: str | None,
    reembedding: str | None,
    seed: int | None,
    embedder: str | None,
    settings: Mapping[str, Any],
) -> list[str]:
    """Compress the local Qdrant store `source` into the new folder `out`; returns the report in words.

    Each user's memories are a memory of their own with their own exact M. `source` is copied, never opened. Raises
    ConfigError when `out` exists or lies in `source`, DataError for what is no such store.
    """
    _require_beside(source, out)
    _require_outside(source, report)
    require_free(report, source=source, replace=replace)

    def smaller(records: Sequence[MemoryRecord]) -> Compressed:
        return compress(
            records,
            method=method,
            ratio=ratio,
            merger=merger,
            reembedding=reembedding,
            seed=seed,
            embedder=embedder,
            settings=settings,
        )

    with folder_beside(out) as folder:
        copy_store(source, folder)
        facts = _compress_copy(folder, smaller, anew=embedder is not None)
        flush(folder)
        write_atomically(report, json_bytes(facts))
    lines = words(facts, out=out, report=report)
    if facts["without_keywords"]:
        lines.insert(-2, f"{facts['without_keywords']:,} merged memories have no sparse vector for keyword search")
    return lines


def _require_beside(source: Path, out: Path) -> None:
    _require_outside(source, out)
    if out.resolve() in source.resolve().parents:
        raise ConfigError(f"{out} holds the store {source}; name another folder with --out")
    if out.exists():
        raise ConfigError(f"{out} exists; name a new folder, a folder is never replaced")
    if not out.parent.is_dir():
        raise ConfigError(f"{out} cannot be written: {out.parent} is no folder; make it first")


def _require_outside(source: Path, path: Path) -> None:
    if path.resolve() == source.resolve() or source.resolve() in path.resolve().parents:
        raise ConfigError(f"{path} lies in the store {source}, which is never changed; name another place")


def _compress_copy(folder: Path, smaller: Smaller, *, anew: bool) -> dict[str, Any]:
    """Compress the collections of a copied store in place; one report of all parts."""
    found = collections(folder)
    names = {collection.name for collection in found}
    done = {
        collection.name: smaller_collection(collection, smaller, anew=anew)
        for collection in found
        if not _is_entities(collection.name, names)
    }
    for name, result in done.items():
        if result.reports:
            rewrite(folder, name, result.points)
    for collection in found:
        memories = done.get(collection.name.removesuffix(_ENTITIES))
        if _is_entities(collection.name, names) and memories is not None:
            rewrite(folder, collection.name, relinked(collection.points, memories.successors))
    reports = [report for result in done.values() for report in result.reports]
    if not reports:
        raise DataError(f"the store's collections ({', '.join(sorted(names)) or 'none'}) hold no memories of Mem0")
    return {**combined(reports), "without_keywords": sum(item.without_keywords for item in done.values())}


def _is_entities(name: str, names: Iterable[str]) -> bool:
    """Whether a collection is where mem0ai 2.x keeps the names that link the memories of another."""
    return name.endswith(_ENTITIES) and name.removesuffix(_ENTITIES) in set(names)


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


def combined(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One report of several parts: counts are sums, and every part's own report is in `parts`."""
    before, after = _summed(report["before"] for report in reports), _summed(report["after"] for report in reports)
    first = reports[0]
    return {
        **{name: first[name] for name in ("method", "merger", "reembedding", "ratio_requested", "seed", "vectors")},
        "ratio_realised": 1 - after["nodes"] / before["nodes"],
        **_summed({name: report[name] for name in _COUNTS} for report in reports),
        "failed_merges": _summed(report["failed_merges"] for report in reports),
        "before": before,
        "after": after,
        "dropped_nodes": [node for report in reports for node in report["dropped_nodes"]],
        "dropped_segments": {node: gone for report in reports for node, gone in report["dropped_segments"].items()},
        "parts": list(reports),
    }


_COUNTS = ("target", "method_target", "merges", "shortfall")


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for name, value in count.items():
            total[name] = total.get(name, 0) + value
    return total


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
