"""Which hits of a search are new to the one who searched before."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from memforest.core.checks import require
from memforest.core.types import Hits, Memory, MemoryNode, clip_of

REPEATS = ("corrected", "released")


def require_bookkeeping(*, repeats: str, exempt: str | None) -> None:
    """Raises ConfigError for settings of `Unseen` that are none."""
    require(repeats in REPEATS, f"answerer.repeats must be one of {', '.join(REPEATS)}, got {repeats!r}")
    require(exempt is None or bool(exempt), "answerer.exempt must be a text or null, got an empty one")


class Unseen:
    """One question's bookkeeping over its searches.

    `repeats`: corrected, the ranking goes on behind the nodes that were shown; released, what M3-Agent's code does: of
    the hits those are dropped whose clip was shown (without clips: that were shown themselves), so a search may bring
    nothing although there is more. A search whose text contains `exempt` is neither cut nor remembered.
    """

    def __init__(self, *, repeats: str, exempt: str | None) -> None:
        require_bookkeeping(repeats=repeats, exempt=exempt)
        self._clips = repeats == "released"
        self._exempt = exempt
        self._shown: dict[str, set[str]] = {}

    def of(self, rankings: Sequence[Hits], *, text: str) -> list[Hits]:
        """The rankings of a search, of which the first k are new."""
        if self._is_exempt(text):
            return list(rankings)
        known = [self._shown.get(hits.memory.id, set()) for hits in rankings]
        pairs = zip(rankings, known, strict=True)
        return [_cut(hits, shown) if self._clips else hits.without(shown) for hits, shown in pairs]

    def note(self, memory: Memory, nodes: Sequence[MemoryNode], *, text: str) -> None:
        """Remember that these nodes of a memory were shown after a search for `text`."""
        if not self._is_exempt(text):
            shown = self._shown.setdefault(memory.id, set())
            shown.update(_clip(memory, node) if self._clips else node.id for node in nodes)

    def _is_exempt(self, text: str) -> bool:
        return self._exempt is not None and self._exempt in text


def _cut(hits: Hits, shown: Container[str]) -> Hits:
    """The first k less those whose clip was shown, and nothing behind them."""
    first = zip(hits.order[: hits.k], hits.scores[: hits.k], strict=True)
    kept = [(place, score) for place, score in first if _clip(hits.memory, hits.memory.nodes[place]) not in shown]
    return replace(hits, order=tuple(place for place, _ in kept), scores=tuple(score for _, score in kept), k=len(kept))


def _clip(memory: Memory, node: MemoryNode) -> str:
    """A node's clip; the node itself where there is none."""
    clip = clip_of(node) if memory.clock == "video" else None
    return f"node {node.id}" if clip is None else f"clip {clip}"
