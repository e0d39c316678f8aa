"""Mem0's platform export: a JSON list of memories, newest first."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.core.errors import DataError
from memforest.core.json_keys import unique_keys
from memforest.core.times import parse_time


@dataclass(frozen=True, slots=True)
class Mem0Record:
    """One stored memory; `time` is the event time of `metadata.timestamp`, never the time of the import.

    `session_id` is the session it comes from, where that is known; an export tells no more than the time.
    """

    id: str
    text: str
    time: float | None
    user_id: str
    session_id: str | None = None


def is_export(raw: object) -> bool:
    """Whether parsed JSON looks like an export: a list of objects with `memory`."""
    return isinstance(raw, list) and bool(raw) and all(isinstance(item, dict) and "memory" in item for item in raw)


def read_export(path: Path) -> list[Mem0Record]:
    """Records in insertion order: by event time, and within one time the export's order reversed.

    Raises DataError that names file and record.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    if not isinstance(raw, list):
        raise DataError(f"{path} is not a Mem0 export: expected a JSON list of memories")
    records = [parse_record(item, where=f"{path}, record {number}") for number, item in enumerate(raw)]
    # Newest first in the file: reversed before the stable sort, so that equal times keep the order of insertion.
    records.reverse()
    return sorted(records, key=time_of)


def time_of(record: Mem0Record) -> float:
    """For sorting: what has no time comes first."""
    return -math.inf if record.time is None else record.time


def parse_record(item: Any, *, where: str) -> Mem0Record:
    """One record of an export; raises DataError."""
    if not isinstance(item, dict) or not isinstance(item.get("memory"), str) or "id" not in item:
        raise DataError(f"{where}: expected an object with `id` and `memory`; this is not a Mem0 export")
    metadata = item.get("metadata")
    stamp = metadata.get("timestamp") if isinstance(metadata, dict) else None
    if stamp is None:
        raise DataError(f"{where}: `metadata.timestamp`, the event time, is missing (created_at is the import time)")
    return Mem0Record(
        id=str(item["id"]),
        text=item["memory"],
        time=parse_time(stamp, where=f"{where}, metadata.timestamp"),
        user_id=str(item.get("user_id", "")),
    )
