"""Writing so that nothing a user had is lost: beside, flushed to disk, renamed into place."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def write_atomically(path: Path, content: bytes) -> None:
    """The file holds either its old content or all of the new, whenever the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.chmod(0o644)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """A new folder that becomes `target` when the block ends well, and vanishes when it does not.

    If another process has published `target` meanwhile, its folder stays and this one is thrown away: both hold the
    same content, since the name is a content key.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
        yield beside
        beside.chmod(0o755)
        if not target.exists():
            beside.rename(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def json_bytes(value: Any) -> bytes:
    """JSON for people and programs: indented, keys in the given order, one final newline."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def json_line(value: Any) -> str:
    """One line of a JSONL file, without the newline."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
