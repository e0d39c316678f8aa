"""The loop without a model: the question itself is what is searched for, until nothing new comes."""

from __future__ import annotations

from memforest.answering.m3_agent.reader import Reader
from memforest.answering.m3_agent.unseen import Unseen, require_bookkeeping
from memforest.core.checks import require_count
from memforest.core.outcomes import Answer, Unanswered
from memforest.core.protocols import Search
from memforest.core.types import Question


class QuestionOnly:
    """Searches at most `rounds` times and gives no answer; `repeats` as in `Unseen`."""

    context = "memory"
    concurrency = 1

    def __init__(self, *, rounds: int, repeats: str) -> None:
        require_count("answerer.rounds", rounds)
        require_bookkeeping(repeats=repeats, exempt=None)
        self._rounds = rounds
        self._repeats = repeats

    def answer(self, *, question: Question, search: Search) -> Answer:
        """Unanswered, after the round that brought nothing or the last one."""
        unseen = Unseen(repeats=self._repeats, exempt=None)
        reader = Reader(question, search, unseen=unseen, order="time", max_words=None, latest=False)
        for _ in range(self._rounds):
            if not reader.look(question.text).entries:
                break
        return Unanswered("no model is asked", shown=reader.nodes)
