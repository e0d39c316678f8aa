"""Merge logs as bytes: `merges.jsonl` (a header line per memory, then its merges and failures) and `merges.npy`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memforest.core.files import json_line, lines_of
from memforest.core.merge_log import LoggedFailure, LoggedMerge, MergeLog, Piece
from memforest.core.types import Segment
from memforest.core.vectors import Matrix, Vector

MERGES = "merges.jsonl"
MERGED_VECTORS = "merges.npy"


def dump_logs(logs: Sequence[MergeLog]) -> dict[str, bytes]:
    """Equal logs give equal bytes."""
    lines = [json_line(record) for log in logs for record in _records(log)]
    buffer = io.BytesIO()
    np.save(buffer, _vectors(logs), allow_pickle=False)
    return {MERGES: "".join(line + "\n" for line in lines).encode(), MERGED_VECTORS: buffer.getvalue()}


def load_logs(files: Mapping[str, bytes]) -> list[MergeLog]:
    """The logs that `dump_logs` was given."""
    vectors = iter(np.load(io.BytesIO(files[MERGED_VECTORS]), allow_pickle=False))
    records = iter([json.loads(line) for line in lines_of(files[MERGES].decode())])
    return [_log(header, records, vectors) for header in records]


def _vectors(logs: Sequence[MergeLog]) -> Matrix:
    vectors = [merge.vector for log in logs for merge in log.merges]
    return np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)


def _records(log: MergeLog) -> Iterator[dict[str, Any]]:
    yield {
        "memory": log.memory,
        "merges": len(log.merges),
        "failures": len(log.failures),
        "pruned": list(log.pruned),
    }
    for number, merge in enumerate(log.merges):
        yield {"number": number, "older": merge.older, "newer": merge.newer, "wave": merge.wave} | _content(merge)
    for failure in log.failures:
        place = {"older": failure.older, "newer": failure.newer, "wave": failure.wave}
        yield place | {"failed": failure.reason} | ({"retry": True} if failure.retry else {})


def _content(merge: LoggedMerge) -> dict[str, Any]:
    """What is not the rule: segments that changed or went, and texts that the embedder did not read to the end."""
    content: dict[str, Any] = {}
    if merge.kept is not None:
        content["kept"] = list(map(_written, merge.kept))
    if merge.dropped:
        content["dropped"] = list(map(_written, merge.dropped))
    if merge.truncated:
        content["truncated"] = True
    return content


def _written(piece: Piece) -> Any:
    return piece if isinstance(piece, int) else [piece.text, list(piece.sources), piece.time]


def _log(header: Mapping[str, Any], records: Iterator[Mapping[str, Any]], vectors: Iterator[Vector]) -> MergeLog:
    return MergeLog(
        memory=header["memory"],
        merges=tuple(_merge(next(records), next(vectors)) for _ in range(header["merges"])),
        failures=tuple(_failure(next(records)) for _ in range(header["failures"])),
        pruned=tuple(header["pruned"]),
    )


def _merge(record: Mapping[str, Any], vector: Vector) -> LoggedMerge:
    return LoggedMerge(
        older=record["older"],
        newer=record["newer"],
        wave=record["wave"],
        kept=tuple(map(_read, record["kept"])) if "kept" in record else None,
        dropped=tuple(map(_read, record.get("dropped", ()))),
        vector=vector,
        truncated=record.get("truncated", False),
    )


def _failure(record: Mapping[str, Any]) -> LoggedFailure:
    return LoggedFailure(
        record["older"], record["newer"], record["wave"], record["failed"], retry=record.get("retry", False)
    )


def _read(piece: Any) -> Piece:
    return piece if isinstance(piece, int) else Segment(piece[0], tuple(piece[1]), piece[2])
