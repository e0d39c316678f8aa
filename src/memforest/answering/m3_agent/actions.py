"""What a reply asks for, by the form that the prompts give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_OPENING, _CLOSING, _CONTENT = "Action: [", "]", "Content: "
_ANSWER = "Answer"


@dataclass(frozen=True, slots=True)
class Action:
    """An answer, or a search, and its words; a search without words finds nothing."""

    kind: Literal["answer", "search"]
    content: str


def read_action(reply: str) -> Action:
    """The action of a reply, read as M3-Agent reads it.

    The content is what follows the last `Content: `; the action is what stands between the first `Action: [` and the
    last bracket before the content. `Answer` is an answer, and everything else a search: other words, several actions
    in one reply, and a reply without the form, which has no words to search for.
    """
    begin, content = reply.find(_OPENING), reply.rfind(_CONTENT)
    end = reply.rfind(_CLOSING, begin + len(_OPENING), max(content, 0)) if begin >= 0 else -1
    if end < 0:
        return Action("search", "")
    answers = reply[begin + len(_OPENING) : end] == _ANSWER
    return Action("answer" if answers else "search", reply[content + len(_CONTENT) :].strip())
