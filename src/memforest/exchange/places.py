"""Where a command may write: never over its input, and over another file only when told to."""

from __future__ import annotations

from pathlib import Path

from memforest.core.errors import ConfigError


def require_free(path: Path, *, source: Path, replace: bool) -> None:
    """Raises ConfigError when `path` is the input, a folder, in no folder, or exists and `replace` is not set."""
    if path.exists() and source.exists() and path.samefile(source):
        raise ConfigError(f"{path} is the input, which is never overwritten; name another file with --out")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ConfigError(f"{path} cannot be written: {path.parent} is no folder; make it first")
    if path.exists() and not replace:
        raise ConfigError(f"{path} exists; name another file, or replace it with --force")
