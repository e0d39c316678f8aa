"""Seconds and counts per stage of one attempt; times never enter results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class StageClock:
    """Collects what each stage took, how much it computed and how much it found cached."""

    def __init__(self) -> None:
        self._stages: dict[str, dict[str, Any]] = {}

    @contextmanager
    def stage(self, name: str, *, computed: int, cached: int = 0) -> Iterator[dict[str, Any]]:
        """Times the block; what it puts into the mapping stands beside its seconds."""
        start = time.perf_counter()
        facts: dict[str, Any] = {}
        yield facts
        self._stages[name] = {
            "seconds": round(time.perf_counter() - start, 3),
            "computed": computed,
            "cached": cached,
            **facts,
        }

    def as_json(self) -> dict[str, Any]:
        """By stage."""
        return {"stages": self._stages}
