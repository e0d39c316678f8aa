"""The annotated facts of a conversation as nodes: a memory that needs no model."""

from __future__ import annotations

from memforest.backbones.nodes import Draft, embedded_memory
from memforest.core.protocols import Embedder, NotRunnable
from memforest.core.types import Memory, Unit


class Observations:
    """One memory per unit: annotated facts in order of session, first cited turn, file order."""

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Reads nothing beyond the unit, which must be annotated."""
        if not unit.observations:
            return NotRunnable(unit.id, "the unit has no annotated observations; use backbone=turns")
        return ""

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """One memory, sources are the cited turns."""
        times = {session.id: session.time for session in unit.sessions}
        drafts = [
            Draft(
                id=f"{fact.session_id}/o{number}",
                text=fact.text,
                sources=fact.turn_ids,
                time=times[fact.session_id],
                metadata={"speaker": fact.speaker},
            )
            for number, fact in enumerate(unit.observations)
        ]
        return [
            embedded_memory(
                drafts,
                id=unit.id,
                kind="observation",
                source_level="turn",
                clock=unit.clock,
                embedder=embedder,
            )
        ]
