"""One question's searches -> one record: what was found, and what it was worth at k and at equal words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memforest.core.types import Clock, Gold, Hits, Memory, MemoryNode, Question
from memforest.metrics.budget import RankedHit, first_k, merged_ranking, within_words
from memforest.metrics.recall import (
    answer_token_recall,
    evidence_recall,
    session_evidence_recall,
    visible_tokens,
)

RECALLS = ("evidence_recall", "session_evidence_recall", "answer_token_recall")


class UnitScorer:
    """Scores the questions of one unit's memories; keeps what does not depend on the question."""

    def __init__(self, memories: Sequence[Memory], *, word_budgets: Sequence[int], cluster: str | None = None) -> None:
        self._word_budgets = word_budgets
        self._cluster = cluster
        levels = {memory.source_level for memory in memories}
        self._exact_sources = levels <= {"turn", "node"}
        self._in_sessions = "node" not in levels
        self._tokens = {
            id(node): visible_tokens(node, clock=memory.clock) for memory in memories for node in memory.nodes
        }
        self._smallest = min((node.words for memory in memories for node in memory.nodes), default=0)

    def score(self, question: Question, gold: Gold, rankings: Sequence[Hits]) -> dict[str, Any]:
        """The question's record; recalls are shares in [0, 1] or null, `cluster` is what intervals are clustered by."""
        hits = first_k(rankings)
        ranking = list(merged_ranking(rankings))
        at_words = {
            str(budget): self._summary(gold, within_words(ranking, budget, smallest=self._smallest))
            for budget in self._word_budgets
        }
        return {
            "question": question.id,
            "unit": question.unit_id,
            "cluster": self._cluster or question.unit_id,
            **_categories(gold),
            "answerable": gold.answerable,
            "outcome": "searched",
            **self._summary(gold, hits),
            "hits": [[hit.memory_id, hit.node.id, round(hit.score, 6)] for hit in hits],
            "at_words": at_words,
        }

    def _summary(self, gold: Gold, hits: Sequence[RankedHit]) -> dict[str, Any]:
        return summary_of(
            gold,
            [hit.node for hit in hits],
            tokens=frozenset().union(*(self._tokens[id(hit.node)] for hit in hits)),
            exact_sources=self._exact_sources,
            in_sessions=self._in_sessions,
        )


def _categories(gold: Gold) -> dict[str, Any]:
    more = {"more_categories": list(gold.more_categories)} if gold.more_categories else {}
    return {"category": gold.category, **more}


def summary_of(
    gold: Gold, nodes: Sequence[MemoryNode], *, tokens: frozenset[str], exact_sources: bool, in_sessions: bool
) -> dict[str, Any]:
    """What a reader gets from `nodes`: how many, how many words, and the three recalls."""
    sources = [source for node in nodes for source in node.sources]
    return {
        "nodes": len(nodes),
        "words": sum(node.words for node in nodes),
        "evidence_recall": evidence_recall(gold, sources) if exact_sources else None,
        "session_evidence_recall": session_evidence_recall(gold, sources) if in_sessions else None,
        "answer_token_recall": answer_token_recall(gold, tokens),
    }


def shown_summary(gold: Gold, nodes: Sequence[tuple[MemoryNode, Clock]], *, known: Mapping[str, Any]) -> dict[str, Any]:
    """What a reader gets from `nodes`, each with its memory's clock, whatever number of searches brought them.

    `known` is the question's record: a recall that its own search has no value for is none here either.
    """
    return summary_of(
        gold,
        [node for node, _ in nodes],
        tokens=frozenset[str]().union(*(visible_tokens(node, clock=clock) for node, clock in nodes)),
        exact_sources=known.get("evidence_recall") is not None,
        in_sessions=known.get("session_evidence_recall") is not None,
    )


def not_runnable(question: Question, gold: Gold, reason: str, *, cluster: str | None = None) -> dict[str, Any]:
    """The record of a question whose unit has no memory."""
    return {
        "question": question.id,
        "unit": question.unit_id,
        "cluster": cluster or question.unit_id,
        **_categories(gold),
        "answerable": gold.answerable,
        "outcome": "not_runnable",
        "reason": reason,
    }
