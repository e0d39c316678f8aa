"""Memories in files: JSONL with one memory a line, or a Mem0 export, to records and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memforest.backbones.mem0_export import is_export
from memforest.core.checks import is_unicode
from memforest.core.errors import DataError
from memforest.core.files import json_line, lines_of
from memforest.core.json_keys import unique_keys
from memforest.core.times import parse_time
from memforest.core.types import Memory, MemoryNode

_LARGEST = 1e150
"""Numbers beyond this overflow when squared."""

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
    behind: dict[str, int] = {}
    numbered = list(items)
    given = {str(item["id"]) for _, item in numbered if isinstance(item, Mapping) and item.get("id") is not None}
    for number, item in numbered:
        own = str(number) if str(number) not in given else f"{place} {number}"
        record = _record(item, own=own, where=f"{where}, {place} {number}")
        if record.id in seen:
            raise DataError(
                f"{where}, {place} {number}: the id {record.id!r} was used in {place} {seen[record.id]}; "
                "ids must be unique"
            )
        seen[record.id] = number
        for member in record.members:
            if member in behind:
                raise DataError(
                    f"{where}, {place} {number}: `members` names {member!r}, as {place} {behind[member]} does"
                )
            behind[member] = number
        records.append(record)
    return records


def _record(item: Any, *, own: str, where: str) -> MemoryRecord:
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise DataError(f"{where}: expected an object with a `text`")
    _require_writable(item, where=where)
    identity = str(item["id"]) if item.get("id") is not None else own
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


def _require_writable(item: Mapping[str, Any], *, where: str) -> None:
    """What is read must be writable again, whole."""
    try:
        written = json_line({key: value for key, value in item.items() if key != "embedding"})
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: a value cannot be written as JSON ({error})") from error
    if not is_unicode(written):
        raise DataError(f"{where}: no valid text (half of a character pair, as in a cut emoji)")


def _ids(item: Mapping[str, Any], key: str, *, default: tuple[str, ...], where: str) -> tuple[str, ...]:
    value = item.get(key)
    if value is None:
        return default
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise DataError(f"{where}: `{key}` must be a list of ids")
    ids = tuple(map(str, value))
    if key == "members" and (not ids or len(set(ids)) < len(ids)):
        raise DataError(f"{where}: `members` must name at least one memory, each once, got {list(ids)!r:.80}")
    return ids


def _embedding(value: Any, *, where: str) -> tuple[float, ...] | None:
    if value is None:
        return None
    given = value.tolist() if isinstance(value, np.ndarray) else value
    numbers = isinstance(given, Sequence) and all(
        isinstance(entry, int | float) and not isinstance(entry, bool) and abs(entry) < _LARGEST for entry in given
    )
    if not numbers or not given:
        raise DataError(f"{where}: `embedding` must be a list of finite numbers")
    return tuple(map(float, given))


def _lines(content: str, path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines_of(content), 1):
        if line.strip():
            yield number, _parsed(line, where=f"{path}, line {number}", expected="expected one object a line")


def _parsed(text: str, *, where: str, expected: str) -> Any:
    def refuse(constant: str) -> None:
        raise DataError(f"{where}: {constant} is no JSON number; write null or leave the key out")

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({error}); {expected}") from error


def _mem0_items(content: str, path: Path) -> list[tuple[int, Any]]:
    """An export's records with our keys, in insertion order: by time, and the export's order reversed."""
    raw = _parsed(content, where=str(path), expected="it begins like a Mem0 export, a JSON list of memories")
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
