"""PersonaMem's protocol: the reply ends with a marker and the letter of an option."""

from __future__ import annotations

from memforest.answering.shown import ORDERS, Shown
from memforest.answering.single_shot import SingleShot
from memforest.core.chat import ChatRequest
from memforest.core.choices import final_part, lettered, letters_in
from memforest.core.prompts import load_prompt
from memforest.core.types import Clock, Question


class PersonaMem(SingleShot):
    """One list of all memories, the user's message, and the replies to choose from."""

    def _request(self, question: Question, found: Shown, clock: Clock) -> ChatRequest:
        data = {"memories": found.as_one_list(), "question": question.text, "options": lettered(question.options)}
        return load_prompt("answering", "personamem").request(data=data, plain={"order": ORDERS[found.order]})

    def _read(self, question: Question, reply: str) -> tuple[str, str | None]:
        """What follows the last marker if it names a letter; else the whole reply, which is an answer all the same."""
        part = final_part(reply)
        return (part if letters_in(part, options=len(question.options)) else reply), reply
