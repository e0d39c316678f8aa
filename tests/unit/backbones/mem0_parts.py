"""The Mem0 backbone with the settings of its YAML but for a few, and an environment with a stand-in for the library."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

from memforest.backbones.mem0 import Mem0
from memforest.config.folder import settings
from memforest.config.spec import RESERVED

STANDINS = Path(__file__).parents[2] / "standins"
INTERPRETER = """\
    #!{python}
    import runpy, sys
    from importlib import metadata
    sys.path.insert(0, {standins!r})
    version = metadata.version
    metadata.version = lambda name: {version!r} if name == "mem0ai" else version(name)
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


def mem0(**changes: Any) -> Mem0:
    """`backbone=mem0` with some settings changed."""
    given = {key: value for key, value in settings("backbone", "mem0").items() if key not in (*RESERVED, "_target_")}
    return Mem0(**{**given, **changes})


def interpreter(path: Path, version: str = "1.0.99") -> Path:
    """A Python, written to `path`, in whose environment the stand-in is installed under a version."""
    content = INTERPRETER.format(python=sys.executable, standins=str(STANDINS), version=version)
    path.write_text(textwrap.dedent(content))
    path.chmod(0o755)
    return path
