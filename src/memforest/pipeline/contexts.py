"""What an answerer's search looks into, where that is not the memory: references that show what a memory is worth."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.core.protocols import Search
from memforest.core.types import Gold, Hits, Unit
from memforest.metrics.references import evidence_hits, history, whole


class Contexts:
    """The searches of one unit's questions; `context` is one of `core.protocols.CONTEXTS`."""

    def __init__(self, context: str, unit: Unit) -> None:
        self._context = context
        self._history = history(unit) if context in ("history", "evidence") else None

    def of(self, gold: Gold, *, memory: Search) -> Search:
        """The search that a question's answerer gets; `memory` is that of the memories."""
        if self._history is None:
            return memory if self._context == "memory" else _nothing
        hits = whole(self._history) if self._context == "history" else evidence_hits(self._history, gold)
        return lambda text: [hits]


def _nothing(text: str) -> Sequence[Hits]:
    return []
