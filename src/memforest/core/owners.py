"""Whose an unfinished file is: names of processes, and whether their owner can still finish what it began."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from pathlib import Path

ABANDONED_AFTER_SECONDS = 3600


def owner() -> str:
    """This machine and process as `<host>-<process>`, safe in a file's name."""
    return f"{_host()}-{os.getpid()}"


def is_mine(name: str) -> bool:
    """Whether the owner called `name` is this process."""
    return name == owner()


def is_gone(name: str, path: Path) -> bool:
    """Whether the process `name` has ended and left `path` behind.

    Processes of other machines cannot be asked; they count as gone when nothing at `path` changed for an hour.
    """
    host, process = name.split("-")
    if host != _host():
        return time.time() - _changed(path) > ABANDONED_AFTER_SECONDS
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _changed(path: Path) -> float:
    """When the file, or the folder or a file in it, was last written; now if it has vanished."""
    try:
        return max(entry.stat().st_mtime for entry in [path, *(path.iterdir() if path.is_dir() else [])])
    except FileNotFoundError:
        return time.time()


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
