"""Where Mem0's own environment lies: made by `make baseline-mem0`, never mixed with ours."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import memforest
from memforest.core.digests import file_digest
from memforest.core.errors import BaselineError, ConfigError

_START_SECONDS = 120


def adapter() -> Path:
    """The program that runs inside the environment: of an installed wheel, or of a checkout."""
    package = Path(memforest.__file__).parent
    for folder in (package, package.parent.parent):
        path = folder / "baselines" / "mem0" / "adapter.py"
        if path.is_file():
            return path
    raise ConfigError(f"baselines/mem0/adapter.py is missing beside {package}; reinstall memforest")


def interpreter(python: str | None, *, line: int) -> Path:
    """The environment's Python for mem0ai `line`.x: `python`, or what `make baseline-mem0` makes.

    Raises ConfigError with the command that makes one.
    """
    own = adapter().parent
    path = own / f".venv-{line}" / "bin" / "python" if python is None else Path(python)
    if not path.is_file():
        raise ConfigError(
            f"backbone.mode=live runs mem0ai {line}.x in an environment of its own, and {path} is not there; make it "
            f"with: make baseline-mem0 (or name the Python of an environment with {own}/requirements-{line}.txt in it: "
            "backbone.python=PATH)"
        )
    # Not resolved: a virtual environment's Python is known by the place of its link.
    return path.absolute()


@cache
def installed(python: Path) -> Mapping[str, str]:
    """Versions of mem0ai and of what it stores with, as installed there. Raises BaselineError."""
    command = [str(python), "-I", str(adapter()), "--versions"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_START_SECONDS)
        found: dict[str, str] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise BaselineError(
            f"{python} cannot be asked for its mem0ai ({error}); make it anew: make baseline-mem0"
        ) from error
    return found


def environment_facts(python: Path, *, line: int) -> dict[str, object]:
    """What of the environment can change a result: installed versions, and the adapter's source.

    Raises ConfigError when mem0ai is absent or of another line.
    """
    versions = installed(python)
    version = versions.get("mem0ai", "none")
    if version.split(".", maxsplit=1)[0] != str(line):
        raise ConfigError(
            f"{python} has mem0ai {version}, and backbone.version={line} asks for {line}.x; the two lines need two "
            "environments (make baseline-mem0)"
        )
    return {"versions": dict(versions), "adapter": file_digest(adapter())}
