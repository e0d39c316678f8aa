"""Recordings: many kept replies in one file, from which a run can be repeated without network, key or money."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memforest.core.digests import canonical_json
from memforest.core.errors import StoreError
from memforest.core.files import json_line, lines_of, write_atomically
from memforest.core.types import Json
from memforest.llm.cache import Entry, entry_json, parse_entry, path_of, read_any

_COMPRESSED = ".gz"


def write_recording(cache: Path, keys: Iterable[str], path: Path) -> int:
    """Write the replies kept at `keys` in the folder `cache` to `path`, one a line, in order of their keys.

    Compressed where the name ends in `.gz`, equal replies to equal bytes.
    Returns how many there are. Raises StoreError for a key without a sound reply; nothing is written then.
    """
    lines = []
    for key in sorted(set(keys)):
        entry = read_any(cache, key)
        if entry is None:
            raise StoreError(f"the reply {key} is not kept in {cache} ({path_of(cache, key)} is missing)")
        lines.append(json_line(entry_json(entry)) + "\n")
    content = "".join(lines).encode()
    write_atomically(path, gzip.compress(content, mtime=0) if path.suffix == _COMPRESSED else content)
    return len(lines)


def read_recording(path: Path) -> Mapping[str, Entry]:
    """The replies of a recording by key. Raises StoreError naming the line that is damaged or repeated."""
    try:
        raw = path.read_bytes()
        content = (gzip.decompress(raw) if path.suffix == _COMPRESSED else raw).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read the recording {path}: {error}; set llm.recording to a recording") from error
    entries: dict[str, Entry] = {}
    for number, line in enumerate(lines_of(content), start=1):
        where = f"in line {number} of {path}"
        try:
            entry = parse_entry(json.loads(line), key=None, where=where)
        except ValueError as error:
            raise StoreError(f"the recorded reply {where} is damaged: {error}") from error
        if entry.key in entries:
            raise StoreError(f"the recorded reply {where} occurs twice; write the recording anew")
        entries[entry.key] = entry
    return entries


class Recording:
    """The replies of a recording, in place of a cache: nothing can be added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries = read_recording(path)

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path.resolve())

    def find(self, key: str, *, final: bool) -> Entry | None:
        """The reply recorded at `key`, if there is one."""
        return self._entries.get(key)

    def keep(self, entry: Entry, *, usable: bool) -> None:
        """Raises StoreError."""
        raise StoreError(f"the recording {self._path} takes no further replies (key {entry.key})")

    def hint(self, identity: Mapping[str, Json]) -> str:
        """In what settings the recorded model that is most like `identity` differs from it."""
        differences = [
            sorted(name for name in identity if identity[name] != recorded.get(name))
            for recorded in _identities(self._entries.values())
        ]
        nearest = min(differences, key=len, default=[])
        differs = f", whose nearest model has another {' and '.join(nearest)}" if nearest else ""
        return f"; the recording is {self._path}{differs}"


def _identities(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """The distinct identities of models among the entries."""
    return [json.loads(text) for text in {canonical_json(entry.asked["identity"]) for entry in entries}]
