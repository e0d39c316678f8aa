"""The Mem0 backbone with the settings of its YAML but for a few."""

from __future__ import annotations

from typing import Any

from memforest.backbones.mem0 import Mem0
from memforest.config.folder import settings
from memforest.config.spec import RESERVED


def mem0(**changes: Any) -> Mem0:
    """`backbone=mem0` with some settings changed."""
    given = {key: value for key, value in settings("backbone", "mem0").items() if key not in (*RESERVED, "_target_")}
    return Mem0(**{**given, **changes})
