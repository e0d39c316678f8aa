"""A local Qdrant store, as Mem0 writes one: `meta.json` and `collection/<name>/storage.sqlite`.

Only copies are opened. Qdrant's own client would lock the folder and may write into it when it only looks.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.core.errors import DataError
from memforest.exchange.qdrant_points import Point, read_point

META, TABLE = "meta.json", "storage.sqlite"
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Collection:
    """Points of one collection in the order in which they were last written; vectors have `size` numbers."""

    name: str
    size: int | None
    distance: str | None
    points: tuple[Point, ...]


def copy_store(source: Path, target: Path) -> None:
    """Copy a store's files into the folder `target`, writable. Raises DataError for no store, or one that is in use."""
    if not (source / META).is_file():
        raise DataError(
            f"{source} is a folder, but no local Qdrant store of Mem0: it has no {META}; name the folder of the "
            "vector store's `path`"
        )
    if _is_open(source):
        raise DataError(f"{source} is open in another program; close it first, it may be writing")
    before = _fingerprint(source)
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(_LOCK))
    for path in target.rglob("*"):
        path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))
    if _fingerprint(source) != before:
        raise DataError(f"{source} changed while it was copied; close the program that writes it and try again")


def collections(folder: Path) -> list[Collection]:
    """The collections of a copied store, by name. Raises DataError with collection and row."""
    try:
        known: dict[str, Any] = json.loads((folder / META).read_bytes())["collections"]
        vectors = {name: settings["vectors"] for name, settings in known.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{META} does not describe collections ({error}); this is no local Qdrant store") from error
    found = sorted(path.parent.name for path in folder.glob(f"collection/*/{TABLE}") if path.parent.name in vectors)
    return [
        Collection(
            name=name,
            size=vectors[name].get("size"),
            distance=vectors[name].get("distance"),
            points=tuple(_points(_table(folder, name), name)),
        )
        for name in found
    ]


def rewrite(folder: Path, name: str, points: Sequence[Point]) -> None:
    """Replace the points of a copied store's collection; nothing of the old ones stays in the file."""
    with closing(sqlite3.connect(_table(folder, name))) as table:
        with table:
            table.execute("DELETE FROM points")
            table.executemany("INSERT INTO points VALUES (?, ?)", [point.row() for point in points])
        table.execute("VACUUM")


def flush(folder: Path) -> None:
    """Have every file below the folder written to disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _table(folder: Path, name: str) -> Path:
    return folder / "collection" / name / TABLE


def _points(table: Path, name: str) -> list[Point]:
    """Each point as it was last written: older rows of one id are leftovers that Qdrant itself skips."""
    try:
        with closing(sqlite3.connect(table)) as opened:
            rows = opened.execute("SELECT rowid, id, point FROM points ORDER BY rowid").fetchall()
    except sqlite3.Error as error:
        raise DataError(f"collection {name}: {TABLE} cannot be read ({error})") from error
    latest: dict[str, Point] = {}
    for number, key, blob in rows:
        point = read_point(key, blob, where=f"collection {name}, row {number}")
        latest.pop(point.key, None)
        latest[point.key] = point
    return list(latest.values())


def _is_open(source: Path) -> bool:
    """Whether a client holds the store's lock; where locks cannot be asked, it counts as closed."""
    try:
        import fcntl

        with (source / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        return False
    return False


def _fingerprint(source: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times of change of a store's files."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and path.name != _LOCK]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
