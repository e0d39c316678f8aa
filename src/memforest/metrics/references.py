"""Reference rows that need no memory: nothing retrieved, and the evidence itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memforest.core.types import CLIP_SECONDS, Gold, Hits, Memory, MemoryNode, Question, Segment, Unit
from memforest.core.video import VideoGraph
from memforest.metrics.recall import session_of
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
    memory = history(unit)
    scorer = UnitScorer([memory], word_budgets=word_budgets, cluster=unit.cluster)
    return [
        scorer.score(question, gold, [evidence_hits(memory, gold) if kind == ORACLE else _no_hits(memory)])
        for question, gold in zip(questions, golds, strict=True)
    ]


def evidence_hits(memory: Memory, gold: Gold) -> Hits:
    """The evidence turns in a memory of all turns, in order of the evidence; where only sessions are known, all
    their turns."""
    place = {node.id: number for number, node in enumerate(memory.nodes)}
    turns = gold.evidence or tuple(turn for turn in place if session_of(turn) in gold.evidence_sessions)
    order = tuple(place[turn] for turn in turns if turn in place)
    return Hits(memory=memory, order=order, scores=(1.0,) * len(order), k=len(order))


def whole(memory: Memory) -> Hits:
    """All nodes of a memory in their order."""
    count = len(memory)
    return Hits(memory=memory, order=tuple(range(count)), scores=(1.0,) * count, k=count)


def _no_hits(memory: Memory) -> Hits:
    return Hits(memory=memory, order=(), scores=(), k=0)


def history(unit: Unit) -> Memory:
    """All turns of a unit with their speakers' names, or the texts of its graph, in order; vectors are of no use."""
    if unit.graph is not None:
        return _texts(unit.graph, unit)
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


def _texts(graph: VideoGraph, unit: Unit) -> Memory:
    """Texts of a video's graph, whose ids are what evidence names."""
    nodes = tuple(
        MemoryNode(
            id=str(node.id),
            segments=(Segment(node.text, (str(node.id),), time),),
            vector=np.zeros(1, dtype=np.float32),
            time=time,
            members=(str(node.id),),
        )
        for node in graph.texts
        for time in [None if node.clip is None else node.clip * CLIP_SECONDS]
    )
    return Memory(id=unit.id, nodes=nodes, source_level="node", clock=unit.clock)
