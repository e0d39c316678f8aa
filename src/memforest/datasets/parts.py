"""Runs on a part of a benchmark: limited on purpose, or on a file that does not hold all of it."""

from __future__ import annotations

from memforest.core.checks import require
from memforest.core.protocols import Scope


def require_limit(limit: object) -> None:
    """Raises ConfigError unless `dataset.limit`, how many units are read, is null or a whole number of at least 1."""
    whole = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1
    require(limit is None or whole, f"dataset.limit={limit} must be null or a whole number of units, at least 1")


def scope_of(*, questions: int, whole: int, benchmark: str) -> tuple[Scope, tuple[str, ...]]:
    """The scope of so many questions of a benchmark that has `whole`, and the notice that says so."""
    if questions == whole:
        return "whole", ()
    return "smoke", (f"smoke: {questions:,} of the {whole:,} questions of {benchmark}; no number of the benchmark's",)
