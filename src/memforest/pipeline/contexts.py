"""What an answerer's search looks into, where that is not the memory: references that show what a memory is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memforest.core.protocols import Search
from memforest.core.types import Gold, Hits, Memory, Question, Unit
from memforest.metrics.references import evidence_hits, history, whole


class Contexts:
    """The searches of one unit's questions; `context` is one of `core.protocols.CONTEXTS`.

    `built` gives the memories before compression: they are the history of a unit that brings none along, such as a
    video whose graph the backbone reads.
    """

    def __init__(self, context: str, unit: Unit, *, built: Callable[[], Sequence[Memory]]) -> None:
        self._context = context
        self._history = _history(unit, built) if context in ("history", "evidence") else None

    def of(self, question: Question, gold: Gold, *, memory: Search) -> Search:
        """The search that a question's answerer gets; `memory` is that of the memories."""
        if self._history is None:
            return memory if self._context == "memory" else _nothing
        told = self._history if question.before_clip is None else self._history.until(question.before_clip)
        hits = whole(told) if self._context == "history" else evidence_hits(told, gold)
        return lambda text: [hits]


def _history(unit: Unit, built: Callable[[], Sequence[Memory]]) -> Memory:
    if unit.sessions or unit.graph is not None:
        return history(unit)
    return next(iter(built()), history(unit))


def _nothing(text: str) -> Sequence[Hits]:
    return []
