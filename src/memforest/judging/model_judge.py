"""What judges that ask a model have in common: votes, labels, and an identity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from memforest.core.chat import FAILURES, Chat, ChatOutcome, ChatReply
from memforest.core.checks import require
from memforest.core.choices import lettered
from memforest.core.digests import digest
from memforest.core.outcomes import Answer, Correct, Failed, Incorrect, Unanswered, Unscored, Verdict
from memforest.core.prompts import load_prompt
from memforest.core.types import Gold, Json, Question
from memforest.judging.verdicts import Form

ROOM = "judging"
NOT_GIVEN = "(not given)"


@dataclass(frozen=True, slots=True)
class Case:
    """The prompt that a question is judged by; `data` and `plain` are what its places hold besides the answer."""

    prompt: str
    data: Mapping[str, str]
    plain: Mapping[str, str]


class ModelJudge(ABC):
    """Asks a model whether an answer is right, `votes` times; the majority decides. `form` is that of its verdicts."""

    def __init__(self, *, chat: Chat, votes: int, form: Form) -> None:
        require(votes >= 1 and votes % 2 == 1, f"judge.votes must be odd, so that there is a majority, got {votes}")
        self._chat = chat
        self._votes = votes
        self._form = form

    @property
    @abstractmethod
    def name(self) -> str:
        """The rule's name, the first part of the identity."""

    @property
    @abstractmethod
    def prompts(self) -> tuple[str, ...]:
        """The prompts that the rule may use."""

    @abstractmethod
    def _case(self, question: Question, gold: Gold) -> Case | Unscored:
        """How a question is judged, or why it cannot be."""

    @property
    def identity(self) -> str:
        """`rule@model#hash`, a hash of prompts, schema, votes and the way that replies are read."""
        texts: dict[str, Json] = {name: load_prompt(ROOM, name).text for name in self.prompts}
        form = self._form
        content = {
            "prompts": texts,
            "reply": form.reply,
            "schema": form.schema,
            "votes": self._votes,
            "parse": form.parse,
        }
        return f"{self.name}@{self._chat.model}#{digest(content)[:6]}"

    @property
    def concurrency(self) -> int:
        """As many answers as the model takes calls at once."""
        return self._chat.concurrency

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        """Correct or Incorrect by majority; Unscored where there is no answer, no rule, or a vote failed.

        Votes differ in their sample numbers, 0 to n - 1. After a failed vote no more are asked for. Without a word
        there is nothing to ask about: silence is never correct.
        """
        if isinstance(answer, Failed | Unanswered):
            return no_answer(answer)
        case = self._case(question, gold)
        if isinstance(case, Unscored):
            return case
        if not answer.text.strip():
            return Incorrect()
        votes: list[bool] = []
        for sample in range(self._votes):
            request = load_prompt(ROOM, case.prompt).request(
                data={**case.data, "answer": answer.text},
                plain={**case.plain, "reply": self._form.reply},
                schema=self._form.schema,
                sample=sample,
            )
            vote = self._vote(self._chat.ask(request=request))
            if isinstance(vote, Unscored):
                return vote
            votes.append(vote)
        verdict = Correct if 2 * sum(votes) > len(votes) else Incorrect
        return verdict(tuple(votes) if len(votes) > 1 else ())

    def _vote(self, outcome: ChatOutcome) -> bool | Unscored:
        """Whether a model's verdict accepts the answer; a failed call and a reply that is none are no verdict."""
        if not isinstance(outcome, ChatReply):
            return Unscored(f"judge failed: {outcome.reason}", retry=True)
        accepts = self._form.accepts(outcome)
        return Unscored("judge failed: reply malformed", retry=True) if accepts is None else accepts


def no_answer(answer: Failed | Unanswered) -> Unscored:
    """What is no answer is never judged; it is tried again where a call was what failed."""
    if isinstance(answer, Unanswered):
        return Unscored(f"no answer: {answer.reason}")
    return Unscored(f"no answer: {answer.error}", retry=answer.error in FAILURES)


def asked(question: Question) -> str:
    """The question's text, and its options where it has some."""
    return "\n".join(part for part in (question.text, lettered(question.options)) if part)


def expected(gold: Gold) -> str:
    """The gold answer, with its letter where it is one of several options."""
    letter = f"({gold.letter.strip('() ').lower()})" if gold.letter else ""
    return " ".join(part for part in (letter, gold.answer) if part) or NOT_GIVEN
