"""M3-Agent's control loop: a model is shown what a search brought, and searches again or answers."""

from __future__ import annotations

from memforest.answering.abstention import abstains
from memforest.answering.m3_agent.actions import read_action
from memforest.answering.m3_agent.reader import Reader
from memforest.answering.m3_agent.unseen import Unseen, require_bookkeeping
from memforest.answering.shown import NOTHING, ORDERS, require_showing
from memforest.core.chat import Chat, ChatFailed, ChatRequest, Message
from memforest.core.checks import require_count
from memforest.core.choices import lettered
from memforest.core.outcomes import Abstained, Answer, Answered, Failed
from memforest.core.prompts import load_prompt
from memforest.core.protocols import Search
from memforest.core.types import Question

_NOT_YET = "(nothing was searched for yet)"


class M3Agent:
    """A conversation of at most `rounds` turns, in the last of which an answer is demanded.

    `context`, `order` and `max_context_words` are those of the other answerers, the last for each search by itself;
    `repeats` and `exempt` those of `Unseen`. `search_in_last_round`: whether a model that searches where it should
    answer has its search made, which nobody reads, as the released code does.
    """

    def __init__(
        self,
        *,
        chat: Chat,
        context: str,
        order: str,
        max_context_words: int | None,
        rounds: int,
        repeats: str,
        exempt: str | None,
        search_in_last_round: bool,
    ) -> None:
        require_showing(context=context, order=order, max_context_words=max_context_words)
        require_count("answerer.rounds", rounds)
        require_bookkeeping(repeats=repeats, exempt=exempt)
        self._chat = chat
        self._context = context
        self._order = order
        self._max_context_words = max_context_words
        self._rounds = rounds
        self._repeats = repeats
        self._exempt = exempt
        self._search_in_last_round = search_in_last_round

    @property
    def context(self) -> str:
        """The setting."""
        return self._context

    @property
    def concurrency(self) -> int:
        """As many questions as the model takes calls at once."""
        return self._chat.concurrency

    def answer(self, *, question: Question, search: Search) -> Answer:
        """Failed when a call fails, in whatever round; Abstained when the answer says that the memory does not tell,
        and, without a text, when the last round brings no answer either."""
        reader = self._reader(question, search)
        messages = [_task(question)]
        found = _NOT_YET
        for left in reversed(range(self._rounds)):
            messages.append(self._turn(found, last=not left))
            outcome = self._chat.ask(request=ChatRequest(messages=tuple(messages)))
            if isinstance(outcome, ChatFailed):
                return Failed(stage="answer", error=outcome.reason, detail=outcome.detail, shown=reader.nodes)
            messages.append(Message("assistant", outcome.text))
            action = read_action(outcome.text)
            if action.kind == "answer":
                return _given(action.content, outcome.text, reader)
            if left:
                found = reader.look(action.content).as_one_list() if action.content else NOTHING
            elif action.content and self._search_in_last_round:
                search(action.content)
        return _given("", None, reader)

    def _reader(self, question: Question, search: Search) -> Reader:
        return Reader(
            question,
            search,
            unseen=Unseen(repeats=self._repeats, exempt=self._exempt),
            order=self._order,
            max_words=self._max_context_words,
            latest=self._context == "history",
        )

    def _turn(self, found: str, *, last: bool) -> Message:
        prompt = load_prompt("answering", "m3_agent_last_turn" if last else "m3_agent_turn")
        return Message("user", prompt.filled(data={"found": found}, plain={"order": ORDERS[self._order]}))


def _task(question: Question) -> Message:
    asked = "\n".join(part for part in (question.text, lettered(question.options)) if part)
    return Message("system", load_prompt("answering", "m3_agent_task").filled(data={"question": asked}))


def _given(text: str, reply: str | None, reader: Reader) -> Answer:
    if not text or abstains(text):
        return Abstained(text, left_out=reader.left_out, shown=reader.nodes)
    return Answered(text, reply=reply, left_out=reader.left_out, shown=reader.nodes)
