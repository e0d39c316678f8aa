"""What judges that ask a model have in common: votes, labels, and an identity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from memforest.core.chat import FAILURES, Chat, ChatOutcome, ChatReply
from memforest.core.checks import require
from memforest.core.choices import lettered
from memforest.core.digests import digest
from memforest.core.outcomes import Answer, Correct, Failed, Incorrect, Unscored, Verdict
from memforest.core.prompts import load_prompt
from memforest.core.types import Gold, Json, Question

ROOM = "judging"
LABELS = ("CORRECT", "WRONG")
PARSE = "`label` of a JSON reply; CORRECT in more than half of the votes"
NOT_GIVEN = "(not given)"

_LABEL: Mapping[str, Json] = {"type": "string", "enum": list(LABELS)}
_REASON: Mapping[str, Json] = {"type": "string"}
_REPLY = 'Reply with a JSON object and nothing else. It has the key "label", whose value is "CORRECT" or "WRONG".'
_REPLY_WITH_REASON = (
    'Reply with a JSON object and nothing else. It has two keys: first "reason", one short sentence, then "label", '
    'whose value is "CORRECT" or "WRONG".'
)


@dataclass(frozen=True, slots=True)
class Case:
    """The prompt that a question is judged by; `data` and `plain` are what its places hold besides the answer."""

    prompt: str
    data: Mapping[str, str]
    plain: Mapping[str, str]


class ModelJudge(ABC):
    """Asks a model whether an answer is right, `votes` times; the majority decides.

    `explain` has the model give a short reason before its label.
    """

    def __init__(self, *, chat: Chat, votes: int, explain: bool) -> None:
        require(votes >= 1 and votes % 2 == 1, f"judge.votes must be odd, so that there is a majority, got {votes}")
        self._chat = chat
        self._votes = votes
        self._reply = _REPLY_WITH_REASON if explain else _REPLY
        self._schema = _schema(explain=explain)

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
        content = {"prompts": texts, "reply": self._reply, "schema": self._schema, "votes": self._votes, "parse": PARSE}
        return f"{self.name}@{self._chat.model}#{digest(content)[:6]}"

    @property
    def concurrency(self) -> int:
        """As many answers as the model takes calls at once."""
        return self._chat.concurrency

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        """Correct or Incorrect by majority; Unscored where there is no answer, no rule, or a vote failed.

        Votes differ in their sample numbers, 0 to n - 1. After a failed vote no more are asked for.
        """
        if isinstance(answer, Failed):
            return no_answer(answer)
        case = self._case(question, gold)
        if isinstance(case, Unscored):
            return case
        votes: list[bool] = []
        for sample in range(self._votes):
            request = load_prompt(ROOM, case.prompt).request(
                data={**case.data, "answer": answer.text},
                plain={**case.plain, "reply": self._reply},
                schema=self._schema,
                sample=sample,
            )
            vote = _vote(self._chat.ask(request=request))
            if isinstance(vote, Unscored):
                return vote
            votes.append(vote)
        verdict = Correct if 2 * sum(votes) > len(votes) else Incorrect
        return verdict(tuple(votes) if len(votes) > 1 else ())


def no_answer(answer: Failed) -> Unscored:
    """A failed answer is never judged; it is tried again where a call was what failed."""
    return Unscored(f"no answer: {answer.error}", retry=answer.error in FAILURES)


def asked(question: Question) -> str:
    """The question's text, and its options where it has some."""
    return "\n".join(part for part in (question.text, lettered(question.options)) if part)


def expected(gold: Gold) -> str:
    """The gold answer, with its letter where it is one of several options."""
    letter = f"({gold.letter.strip('() ').lower()})" if gold.letter else ""
    return " ".join(part for part in (letter, gold.answer) if part) or NOT_GIVEN


def _vote(outcome: ChatOutcome) -> bool | Unscored:
    """Whether a model's verdict accepts the answer; a failed call and a verdict without a label are no verdict."""
    if not isinstance(outcome, ChatReply):
        return Unscored(f"judge failed: {outcome.reason}", retry=True)
    label = outcome.value.get("label") if isinstance(outcome.value, Mapping) else None
    return label == LABELS[0] if label in LABELS else Unscored("judge failed: reply malformed", retry=True)


def _schema(*, explain: bool) -> Mapping[str, Json]:
    """The reason comes first, so that the label can follow from it."""
    properties: dict[str, Json] = {"reason": _REASON, "label": _LABEL} if explain else {"label": _LABEL}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
