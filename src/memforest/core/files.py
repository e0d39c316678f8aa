"""Writing so that nothing a user had is lost: beside, flushed to disk, renamed into place."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memforest.core.errors import StoreError
from memforest.core.owners import is_gone, owner

_BESIDE = ".beside-"
_OWNER_OF_BESIDE = re.compile(re.escape(_BESIDE) + r"([0-9a-f]{8}-\d+)-\w+$")


def write_atomically(path: Path, content: bytes) -> None:
    """The file holds either its old content or all of the new, whenever the process dies. Raises StoreError."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_beside(path))
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
    same content, since the name is a content key. Raises StoreError.
    """
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target.parent)
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=_beside(target)))
        try:
            yield beside
            beside.chmod(0o755)
            try:
                beside.rename(target)
            except OSError:
                if not target.is_dir():
                    raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an OSError of the block into a StoreError that names `path`."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}; choose another place or make room"
        ) from error


def remove_folder(folder: Path) -> None:
    """Remove a folder that others may be reading: it vanishes at once, not file by file."""
    with suppress(FileNotFoundError):
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_beside(folder)))
        with suppress(FileNotFoundError):
            folder.rename(beside / folder.name)
        shutil.rmtree(beside, ignore_errors=True)


def _beside(path: Path) -> str:
    """How the name of what is written beside `path` begins."""
    return f".{path.name}{_BESIDE}{owner()}-"


def _remove_abandoned(folder: Path) -> None:
    """Remove what killed processes were writing in `folder`."""
    for path in folder.glob(f".*{_BESIDE}*"):
        name = _OWNER_OF_BESIDE.search(path.name)
        if name and is_gone(name[1], path):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def json_bytes(value: Any) -> bytes:
    """JSON for people and programs: indented, keys in the given order, one final newline."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def json_line(value: Any) -> str:
    """One line of a JSONL file, without the newline."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def lines_of(content: str) -> list[str]:
    """Lines of a JSONL file. Only a newline ends one: JSON texts may hold the other characters that Unicode calls
    line ends."""
    lines = content.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
