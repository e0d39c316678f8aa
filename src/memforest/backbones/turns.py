"""Every turn a node."""

from __future__ import annotations

from memforest.backbones.nodes import Draft, embedded_memory
from memforest.core.protocols import Embedder, NotRunnable
from memforest.core.types import Memory, Turn, Unit


class Turns:
    """One memory per unit: each turn with its speaker's name, in order of the conversation."""

    def __init__(self, *, include_captions: bool) -> None:
        self._include_captions = include_captions

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Reads nothing beyond the unit."""
        return ""

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """One memory, sources are the turns."""
        drafts = [
            Draft(
                id=turn.id,
                text=self._text(turn),
                sources=(turn.id,),
                time=session.time,
                metadata={"speaker": turn.speaker},
            )
            for session in unit.sessions
            for turn in session.turns
        ]
        return [
            embedded_memory(drafts, id=unit.id, kind="turn", source_level="turn", clock=unit.clock, embedder=embedder)
        ]

    def _text(self, turn: Turn) -> str:
        caption = f" [shared an image: {turn.caption}]" if self._include_captions and turn.caption else ""
        return f"{turn.speaker}: {turn.text}{caption}"
