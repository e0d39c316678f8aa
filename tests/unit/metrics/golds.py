"""Gold and questions for the tests of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.core.types import Gold, Hits, Memory, Question


def gold(
    *evidence: str,
    answer: str | None = "a lantern",
    answerable: bool = True,
    unresolved: Sequence[str] = (),
    sessions: Sequence[str] = (),
    letter: str | None = None,
    category: str = "single-hop",
    id: str = "q",
) -> Gold:
    """Answerable and resolved unless said otherwise."""
    return Gold(
        question_id=id,
        category=category,
        answerable=answerable,
        answer=answer,
        adversarial_answer=None,
        evidence=evidence,
        unresolved=tuple(unresolved),
        evidence_sessions=tuple(sessions),
        letter=letter,
    )


def question(id: str = "q", unit: str = "u", *, options: Sequence[str] = ()) -> Question:
    """A question whose words do not matter."""
    return Question(id=id, unit_id=unit, text="What?", options=tuple(options))


def ranking(of: Memory, *scores: float, order: Sequence[int] | None = None, k: int = 10) -> Hits:
    """A ranking of a memory, in insertion order unless given."""
    return Hits(memory=of, order=tuple(order if order is not None else range(len(of))), scores=scores, k=k)
