"""LongMemEval's protocol: dated entries in order of time, the date of the question, an answer of any length."""

from __future__ import annotations

from memforest.answering.shown import ORDERS, Shown
from memforest.answering.single_shot import SingleShot
from memforest.core.chat import ChatRequest
from memforest.core.choices import lettered
from memforest.core.prompts import load_prompt
from memforest.core.times import written_time
from memforest.core.types import Clock, Question


class LongMemEval(SingleShot):
    """One list of all memories. Options, where a question has them, follow the question."""

    def _request(self, question: Question, found: Shown, clock: Clock) -> ChatRequest:
        asked = "\n".join(part for part in (question.text, lettered(question.options)) if part)
        today = written_time(question.time, clock=clock)
        return load_prompt("answering", "longmemeval").request(
            data={"memories": found.as_one_list(), "question": asked},
            plain={"order": ORDERS[found.order], "today": f"Today is {today}.\n" if today else ""},
        )
