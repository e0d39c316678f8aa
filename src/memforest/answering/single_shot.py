"""One search by the question's text and one call: what the three answer protocols have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

from memforest.answering.abstention import abstains
from memforest.answering.shown import Shown, require_showing, shown
from memforest.core.chat import Chat, ChatFailed, ChatRequest
from memforest.core.outcomes import Abstained, Answer, Answered, Failed
from memforest.core.protocols import Search
from memforest.core.types import Clock, Question


class SingleShot(ABC):
    """Shows the hits to a model and takes its reply for the answer.

    `context` is what the search looks into, `order` how the hits are listed (rank, time), `max_context_words` how many
    words of hits the model is shown at most (null: all); what does not fit is counted in the answer's `left_out`.
    """

    def __init__(self, *, chat: Chat, context: str, order: str, max_context_words: int | None) -> None:
        require_showing(context=context, order=order, max_context_words=max_context_words)
        self._chat = chat
        self._context = context
        self._order = order
        self._max_context_words = max_context_words

    @property
    def context(self) -> str:
        """The setting."""
        return self._context

    @property
    def concurrency(self) -> int:
        """As many questions as the model takes calls at once."""
        return self._chat.concurrency

    def answer(self, *, question: Question, search: Search) -> Answer:
        """Failed when the call fails; Abstained when the reply says that the memory does not tell."""
        rankings = search(question.text)
        clock: Clock = next((hits.memory.clock for hits in rankings), "calendar")
        found = shown(
            rankings,
            question=question,
            order=self._order,
            max_words=self._max_context_words,
            # Of a history that is too long the end counts, not the turns that it happens to begin with.
            latest=self._context == "history",
        )
        outcome = self._chat.ask(request=self._request(question, found, clock))
        if isinstance(outcome, ChatFailed):
            return Failed(stage="answer", error=outcome.reason, detail=outcome.detail, shown=found.nodes)
        text, reply = self._read(question, outcome.text.strip())
        if abstains(text):
            return Abstained(text, left_out=found.left_out, shown=found.nodes)
        return Answered(text, reply=reply, left_out=found.left_out, shown=found.nodes)

    @abstractmethod
    def _request(self, question: Question, found: Shown, clock: Clock) -> ChatRequest:
        """What the model is asked."""

    def _read(self, question: Question, reply: str) -> tuple[str, str | None]:
        """The answer in a reply, and the whole reply where the answer is only a part of it."""
        return reply, None
