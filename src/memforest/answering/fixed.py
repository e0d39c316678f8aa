"""Answerers that ask no model."""

from __future__ import annotations

from memforest.core.outcomes import Abstained, Answer, Failed
from memforest.core.protocols import Search
from memforest.core.types import Question


class _Fixed:
    """Looks at nothing."""

    context = "nothing"
    concurrency = 1


class NoAnswerer(_Fixed):
    """The choice of not asking: questions are searched and scored for evidence only."""

    def answer(self, *, question: Question, search: Search) -> Answer:
        """No answer; a run that chose this does not ask."""
        return Failed(stage="answer", error="no answerer was chosen")


class AlwaysAbstains(_Fixed):
    """Always the same abstention: what a judge and a benchmark give for knowing nothing."""

    def answer(self, *, question: Question, search: Search) -> Answer:
        """The abstention."""
        return Abstained("I don't know.")
