"""One rule for all answerable questions: the lenient and strict judges of the two papers."""

from __future__ import annotations

from memforest.core.chat import Chat
from memforest.core.checks import require
from memforest.core.outcomes import Unscored
from memforest.core.types import Gold, Question
from memforest.judging.longmemeval import TYPES
from memforest.judging.model_judge import NOT_GIVEN, Case, ModelJudge, asked, expected

RULES = ("eventtree", "memtree_public", "memtree_strict")
UNANSWERABLE = "rubric_unanswerable"


class Rubric(ModelJudge):
    """`rule` is one of RULES, from the most generous to the strictest.

    A question that cannot be answered has a rubric of its own, the same for all three: right is to refuse, or to deny
    what the question takes for granted. LoCoMo's trap, `adversarial_answer`, is shown to the judge as a wrong answer.
    """

    def __init__(self, *, chat: Chat, rule: str, votes: int, explain: bool) -> None:
        require(rule in RULES, f"judge.rule must be one of {', '.join(RULES)}, got {rule!r}")
        super().__init__(chat=chat, votes=votes, explain=explain)
        self._rule = rule

    @property
    def name(self) -> str:
        """The setting."""
        return self._rule

    @property
    def prompts(self) -> tuple[str, ...]:
        """The rule's, and the one for questions without an answer."""
        return (f"rubric_{self._rule}", UNANSWERABLE)

    def _case(self, question: Question, gold: Gold) -> Case | Unscored:
        data = {"question": asked(question), "gold": expected(gold)}
        if not gold.answerable:
            return Case(UNANSWERABLE, {**data, "trap": gold.adversarial_answer or NOT_GIVEN}, {})
        if gold.answer is None:
            return Unscored("no gold answer")
        if self._rule != "memtree_strict":
            return Case(f"rubric_{self._rule}", data, {})
        # The second paper tells its judge the type of LongMemEval's questions only.
        kind = f"Type of the question: {gold.category}\n\n" if gold.category in TYPES else ""
        return Case(f"rubric_{self._rule}", data, {"kind": kind})
