"""Small local Qdrant stores as Mem0 writes them, made and read without qdrant-client."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
import sqlite3
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

NAME = "qdrant_client.http.models.models"


class Struct:
    """Pickles as a pydantic model does."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def __getstate__(self) -> dict[str, Any]:
        return {
            "__dict__": self.fields,
            "__pydantic_extra__": None,
            "__pydantic_fields_set__": set(self.fields),
            "__pydantic_private__": None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        assert set(state) == set(self.__getstate__.__get__(Struct())())
        self.fields = state["__dict__"]


PointStruct = type("PointStruct", (Struct,), {"__module__": NAME})
SparseVector = type("SparseVector", (Struct,), {"__module__": NAME})


@contextmanager
def qdrant() -> Iterator[None]:
    """Stands in for the module of Qdrant's classes, so that pickles can name them."""
    module: Any = ModuleType(NAME)
    module.PointStruct, module.SparseVector = PointStruct, SparseVector
    before = dict(sys.modules)
    parts = NAME.split(".")
    for end in range(1, len(parts)):
        sys.modules[".".join(parts[:end])] = ModuleType(".".join(parts[:end]))
    sys.modules[NAME] = module
    try:
        yield
    finally:
        for name in set(sys.modules) - set(before):
            del sys.modules[name]
        sys.modules.update(before)


def point(number: int, text: str, vector: Any, **payload: Any) -> dict[str, Any]:
    """Fields of a memory's point; `number` makes its id, a payload value of `...` removes the key."""
    full = {
        "data": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "user_id": "ada",
        "timestamp": f"1:00 pm on {number} May, 2023",
        "created_at": "2024-01-01T00:00:00+00:00",
    } | payload
    return {
        "id": str(uuid.UUID(int=number)),
        "vector": vector,
        "payload": {key: value for key, value in full.items() if value is not ...},
    }


def blob(fields: Mapping[str, Any]) -> bytes:
    """A row's pickle."""
    with qdrant():
        return pickle.dumps(PointStruct(**fields), protocol=4)


def key(id: Any) -> str:
    """A row's key."""
    return base64.b64encode(pickle.dumps(id, protocol=4)).decode()


def store(folder: Path, content: Mapping[str, Sequence[Mapping[str, Any]]], *, size: int = 2, **vectors: Any) -> Path:
    """A store of collections of points, in their order."""
    folder.mkdir(parents=True)
    described = {name: {"vectors": {"size": size, "distance": "Cosine"} | vectors} for name in content}
    (folder / "meta.json").write_text(json.dumps({"collections": described, "aliases": {}}))
    (folder / ".lock").write_text("tmp lock file")
    for name, points in content.items():
        (folder / "collection" / name).mkdir(parents=True)
        with closing(sqlite3.connect(table(folder, name))) as opened, opened:
            opened.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
            rows = [(key(fields["id"]), blob(fields)) for fields in points]
            opened.executemany("INSERT OR REPLACE INTO points VALUES (?, ?)", rows)
    return folder


def table(folder: Path, name: str = "mem0") -> Path:
    """A collection's file."""
    return folder / "collection" / name / "storage.sqlite"


def rows_of(folder: Path, name: str = "mem0") -> list[tuple[str, bytes]]:
    """A collection's rows, in their order."""
    with closing(sqlite3.connect(f"file:{table(folder, name)}?mode=ro", uri=True)) as opened:
        found: list[tuple[str, bytes]] = opened.execute("SELECT id, point FROM points ORDER BY rowid").fetchall()
    return found


def points_of(folder: Path, name: str = "mem0") -> list[dict[str, Any]]:
    """Fields of a collection's points, as Qdrant itself would unpickle them; keys must be those of the ids."""
    with qdrant():
        found = [(written, pickle.loads(content)) for written, content in rows_of(folder, name)]
    assert all(written == key(item.fields["id"]) for written, item in found)
    assert all(type(item) is PointStruct for _, item in found)
    return [item.fields for _, item in found]


def fingerprint(folder: Path) -> dict[str, tuple[str, int]]:
    """Hash and time of change of every file, by its place."""
    return {
        str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
