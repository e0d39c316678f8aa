"""Memories in files: JSONL with one memory a line, or a Mem0 export, to records and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.backbones.mem0_export import is_export
from memforest.core.errors import DataError
from memforest.core.times import parse_time
from memforest.core.types import Memory, MemoryNode
from memforest.store.files import json_line

_FIELDS = ("id", "text", "time", "sources", "members", "embedding")


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One memory of a user's store. `given_time` is the time as it was written; `rest` are all other keys."""

    id: str
    text: str
    time: float | None
    given_time: Any
    sources: tuple[str, ...]
    members: tuple[str, ...]
    embedding: tuple[float, ...] | None
    rest: Mapping[str, Any]


def read_records(path: Path) -> list[MemoryRecord]:
    """Records of a JSONL file or a Mem0 export, in insertion order. Raises DataError with file and line."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise DataError(f"{path} does not exist; give a JSONL file with one memory a line, or a Mem0 export") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as UTF-8 text: {error}") from error
    if content.lstrip().startswith("["):
        return parse_records(_mem0_items(content, path), where=str(path), place="record")
    return parse_records(_lines(content, path), where=str(path), place="line")


def parse_records(items: Iterable[tuple[int, Any]], *, where: str, place: str) -> list[MemoryRecord]:
    """Numbered objects, or plain texts, to records. Raises DataError, also for an id that comes twice."""
    records: list[MemoryRecord] = []
    seen: dict[str, int] = {}
    for number, item in items:
        record = _record(item, number=number, where=f"{where}, {place} {number}")
        if record.id in seen:
            raise DataError(
                f"{where}, {place} {number}: the id {record.id!r} was used in {place} {seen[record.id]}; "
                "ids must be unique"
            )
        seen[record.id] = number
        records.append(record)
    return records


def _record(item: Any, *, number: int, where: str) -> MemoryRecord:
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise DataError(f"{where}: expected an object with a `text`")
    identity = str(item["id"]) if item.get("id") is not None else str(number)
    time = item.get("time")
    return MemoryRecord(
        id=identity,
        text=item["text"],
        time=None if time is None else parse_time(time, where=f"{where}, time"),
        given_time=time,
        sources=_ids(item, "sources", default=(identity,), where=where),
        members=_ids(item, "members", default=(identity,), where=where),
        embedding=_embedding(item.get("embedding"), where=where),
        rest={key: value for key, value in item.items() if key not in _FIELDS},
    )


def _ids(item: Mapping[str, Any], key: str, *, default: tuple[str, ...], where: str) -> tuple[str, ...]:
    value = item.get(key)
    if value is None:
        return default
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise DataError(f"{where}: `{key}` must be a list of ids")
    return tuple(map(str, value))


def _embedding(value: Any, *, where: str) -> tuple[float, ...] | None:
    if value is None:
        return None
    numbers = isinstance(value, Sequence) and all(
        isinstance(entry, int | float) and not isinstance(entry, bool) and math.isfinite(entry) for entry in value
    )
    if not numbers or not value:
        raise DataError(f"{where}: `embedding` must be a list of finite numbers")
    return tuple(map(float, value))


def _lines(content: str, path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: not JSON ({error.msg}); expected one object a line") from error


def _mem0_items(content: str, path: Path) -> list[tuple[int, Any]]:
    """An export's records with our keys, in insertion order: by time, and the export's order reversed."""
    try:
        raw = json.loads(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    if raw and not is_export(raw):
        raise DataError(f"{path} is a JSON list but no Mem0 export: its records have no `memory`; write JSONL instead")
    items = [(number, _renamed(item)) for number, item in enumerate(raw)]
    items.reverse()

    def when(numbered: tuple[int, Any]) -> float:
        number, item = numbered
        return 0.0 if item["time"] is None else parse_time(item["time"], where=f"{path}, record {number}, time")

    return sorted(items, key=when)


def _renamed(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = item.get("metadata") or {}
    stamp = metadata.get("timestamp") if isinstance(metadata, Mapping) else None
    rest = {key: value for key, value in item.items() if key != "memory"}
    return {**rest, "text": item["memory"], "time": stamp if stamp is not None else item.get("created_at")}


def output_lines(records: Sequence[MemoryRecord], memory: Memory, *, with_vectors: bool) -> str:
    """The memory as JSONL: `id`, `text`, `time`, `sources`, `members`, the vector where vectors were given, and the
    other keys on which all records behind a node agree. A time is written as its record wrote it."""
    by_member = {member: record for record in records for member in record.members}
    return "".join(json_line(_output(node, by_member, with_vectors=with_vectors)) + "\n" for node in memory.nodes)


def _output(node: MemoryNode, by_member: Mapping[str, MemoryRecord], *, with_vectors: bool) -> dict[str, Any]:
    behind = {record.id: record for member in node.members for record in [by_member[member]]}.values()
    latest = max(behind, key=lambda record: -math.inf if record.time is None else record.time)
    embedding = {"embedding": [float(value) for value in node.vector]} if with_vectors else {}
    return {
        "id": node.id,
        "text": node.text,
        "time": latest.given_time,
        "sources": list(node.sources),
        "members": list(node.members),
        **embedding,
        **node.metadata,
    }
