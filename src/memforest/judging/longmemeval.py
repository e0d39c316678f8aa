"""LongMemEval's judge: a rule for each type of question, and one for questions that cannot be answered."""

from __future__ import annotations

from memforest.core.chat import Chat
from memforest.core.outcomes import Unscored
from memforest.core.types import Gold, Question
from memforest.judging.model_judge import Case, ModelJudge, asked, expected
from memforest.judging.verdicts import labelled

TYPES = {
    "single-session-user": "longmemeval_fact",
    "single-session-assistant": "longmemeval_fact",
    "multi-session": "longmemeval_fact",
    "temporal-reasoning": "longmemeval_temporal",
    "knowledge-update": "longmemeval_update",
    "single-session-preference": "longmemeval_preference",
}
"""Types of questions, and the prompts that judge them."""

ABSTENTION = "longmemeval_abstention"


class LongMemEval(ModelJudge):
    """The official rules in our words. Whether a question can be answered comes before its type.

    `explain` has the model give a short reason before its label.
    """

    def __init__(self, *, chat: Chat, votes: int, explain: bool) -> None:
        super().__init__(chat=chat, votes=votes, form=labelled(explain=explain))

    @property
    def name(self) -> str:
        """The rule's name."""
        return "longmemeval"

    @property
    def prompts(self) -> tuple[str, ...]:
        """One for each rule."""
        return (*dict.fromkeys(TYPES.values()), ABSTENTION)

    def _case(self, question: Question, gold: Gold) -> Case | Unscored:
        data = {"question": asked(question), "gold": expected(gold)}
        if not gold.answerable:
            return Case(ABSTENTION, data, {})
        if gold.category not in TYPES:
            return Unscored(f"LongMemEval has no rule for questions of the type {gold.category!r}")
        return Unscored("no gold answer") if gold.answer is None else Case(TYPES[gold.category], data, {})
