"""The first paper's protocol, which is Mem0's: a dated list for each speaker and a very short answer."""

from __future__ import annotations

from memforest.answering.shown import Shown
from memforest.answering.single_shot import SingleShot
from memforest.core.chat import ChatRequest
from memforest.core.choices import lettered
from memforest.core.prompts import load_prompt
from memforest.core.types import Clock, Question

_ROOM = "answering"


class Mem0(SingleShot):
    """One list per memory, named after its speaker; the newest holds; five or six words. The date of the question is
    not told. With options, these follow the question, and only a letter is asked for."""

    def _request(self, question: Question, found: Shown, clock: Clock) -> ChatRequest:
        data = {"memories": found.as_list_per_memory(), "question": question.text}
        if not question.options:
            return load_prompt(_ROOM, "mem0").request(data=data)
        return load_prompt(_ROOM, "mem0_options").request(data={**data, "options": lettered(question.options)})
