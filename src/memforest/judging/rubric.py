"""One rule for all answerable questions: the lenient and strict judges of the two papers."""

from __future__ import annotations

from memforest.core.chat import Chat
from memforest.core.checks import require
from memforest.core.outcomes import Unscored
from memforest.core.types import Gold, Question
from memforest.judging.longmemeval import TYPES
from memforest.judging.model_judge import NOT_GIVEN, Case, ModelJudge, asked, expected
from memforest.judging.verdicts import YES, labelled

RULES = ("eventtree", "memtree_public", "memtree_strict", "m3_agent_strict")
UNANSWERABLE = "rubric_unanswerable"


class Rubric(ModelJudge):
    """`rule` is one of RULES; `explain` has the model give a short reason before its label.

    A question that cannot be answered has a rubric of its own, the same for all rules: right is to refuse, or to deny
    what the question takes for granted. LoCoMo's trap, `adversarial_answer`, is shown to the judge as a wrong answer.
    """

    def __init__(self, *, chat: Chat, rule: str, votes: int, explain: bool) -> None:
        require(rule in RULES, f"judge.rule must be one of {', '.join(RULES)}, got {rule!r}")
        super().__init__(chat=chat, votes=votes, form=labelled(explain=explain))
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
        if self._rule != "memtree_strict":
            return rubric_case(self.prompts[0], question, gold)
        # The second paper tells its judge the type of LongMemEval's questions only.
        kind = f"Type of the question: {gold.category}\n\n" if gold.category in TYPES else ""
        return rubric_case(self.prompts[0], question, gold, kind=kind)


class M3Agent(ModelJudge):
    """M3-Agent's judge as released: whether the correct answer can be inferred from the answer, yes or no in words.

    Its rule of reading, `yes` anywhere in the reply, is a fault that is kept on purpose (`verdicts.YES`).
    """

    def __init__(self, *, chat: Chat, votes: int) -> None:
        super().__init__(chat=chat, votes=votes, form=YES)

    @property
    def name(self) -> str:
        """The rule's name."""
        return "m3_agent"

    @property
    def prompts(self) -> tuple[str, ...]:
        """The rule's, and the one for questions without an answer, which its benchmark does not have."""
        return ("rubric_m3_agent", UNANSWERABLE)

    def _case(self, question: Question, gold: Gold) -> Case | Unscored:
        return rubric_case(self.prompts[0], question, gold)


def rubric_case(prompt: str, question: Question, gold: Gold, **plain: str) -> Case | Unscored:
    """How a question is judged by `prompt`, whose other places `plain` fills, or by the rubric without an answer."""
    data = {"question": asked(question), "gold": expected(gold)}
    if not gold.answerable:
        return Case(UNANSWERABLE, {**data, "trap": gold.adversarial_answer or NOT_GIVEN}, {})
    return Unscored("no gold answer") if gold.answer is None else Case(prompt, data, plain)
