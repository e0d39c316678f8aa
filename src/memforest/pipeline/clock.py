"""Seconds and counts of one attempt, by stage and by search; times never enter results."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import mean, median
from typing import Any


class SearchClock:
    """Seconds of single searches, and of embedding what is searched for apart from them. Thread-safe.

    A search is one call of the retriever for all memories of a unit. Where several questions are at work at once, its
    seconds hold what the others took from it.
    """

    def __init__(self) -> None:
        self._searches: list[float] = []
        self._embeddings: list[float] = []

    @contextmanager
    def search(self) -> Iterator[None]:
        """Times one search."""
        with _timed(self._searches):
            yield

    @contextmanager
    def embedding(self) -> Iterator[None]:
        """Times the embedding of what a search needs, or of the texts of several."""
        with _timed(self._embeddings):
            yield

    def as_json(self, *, questions: int, at_once: int) -> dict[str, Any]:
        """Mean, median and 95th percentile in seconds, null where nothing was searched; `questions` are those of this
        attempt, of which `at_once` were at work together at most."""
        taken = sorted(self._searches)
        return {
            "measured": len(taken),
            "questions": questions,
            "at_once": at_once,
            "mean": round(mean(taken), 6) if taken else None,
            "median": round(median(taken), 6) if taken else None,
            "p95": round(taken[math.ceil(0.95 * len(taken)) - 1], 6) if taken else None,
            "embedding": round(sum(self._embeddings), 6),
        }


@contextmanager
def _timed(seconds: list[float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds.append(time.perf_counter() - start)


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
        """By stage, what it took."""
        return self._stages
