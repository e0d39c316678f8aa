"""Reference rows that need no memory: nothing retrieved, and the evidence itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memforest.core.types import Gold, Hits, Memory, MemoryNode, Question, Segment, Unit
from memforest.metrics.scoring import UnitScorer

NO_MEMORY = "no memory"
ORACLE = "oracle evidence"


def reference_records(
    kind: str,
    unit: Unit,
    questions: Sequence[Question],
    golds: Sequence[Gold],
    *,
    word_budgets: Sequence[int],
) -> list[dict[str, Any]]:
    """Records of one unit's questions as if nothing (`NO_MEMORY`) or exactly the evidence turns (`ORACLE`) were hit.

    The oracle's text is each evidence turn with its speaker's name, in order of the evidence; where only sessions are
    known, it is all their turns. Ids that name no turn are beyond any retriever.
    """
    memory = _turns(unit)
    place = {node.id: number for number, node in enumerate(memory.nodes)}
    scorer = UnitScorer([memory], word_budgets=word_budgets, cluster=unit.cluster)
    records = []
    for question, gold in zip(questions, golds, strict=True):
        wanted = _evidence_turns(unit, gold) if kind == ORACLE else ()
        order = tuple(place[turn] for turn in wanted if turn in place)
        hits = Hits(memory=memory, order=order, scores=(1.0,) * len(order), k=len(order))
        records.append(scorer.score(question, gold, [hits]))
    return records


def _evidence_turns(unit: Unit, gold: Gold) -> tuple[str, ...]:
    if gold.evidence:
        return gold.evidence
    return tuple(turn.id for turn in unit.turns if turn.session_id in gold.evidence_sessions)


def _turns(unit: Unit) -> Memory:
    nodes = tuple(
        MemoryNode(
            id=turn.id,
            segments=(Segment(f"{turn.speaker}: {turn.text}", (turn.id,), session.time),),
            vector=np.zeros(1, dtype=np.float32),
            time=session.time,
            members=(turn.id,),
        )
        for session in unit.sessions
        for turn in session.turns
    )
    return Memory(id=unit.id, nodes=nodes, source_level="turn", clock=unit.clock)
