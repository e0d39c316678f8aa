"""The real Mem0 library for slow tests: where its environments are, and memories built in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.mem0_environment import interpreter
from memforest.core.errors import ConfigError
from memforest.core.types import Memory
from memforest.embedding.hashing import Hashing
from tests.mem0_script import two_sessions
from tests.unit.backbones.mem0_parts import mem0

DIMENSION = 32


def lines(*numbers: int) -> pytest.MarkDecorator:
    """A test for each line of mem0ai, skipped where its environment was not made."""
    reason = "make baseline-mem0 makes the environment"
    marks = [pytest.param(line, marks=pytest.mark.skipif(_is_absent(line), reason=reason)) for line in numbers]
    return pytest.mark.parametrize("line", marks)


def _is_absent(line: int) -> bool:
    try:
        interpreter(None, line=line)
    except ConfigError:
        return True
    return False


def build(url: str, folder: Path, line: int, **changes: Any) -> list[Memory]:
    """The memories of two sessions, ingested live with the server at `url`."""
    backbone = mem0(
        mode="live",
        version=line,
        store_dir=str(folder),
        llm_base_url=url,
        embedder_base_url=url,
        embedder_dims=DIMENSION,
        **changes,
    )
    return backbone.build(unit=two_sessions(), embedder=Hashing(buckets=16))
