"""An answerer that asks no model."""

from __future__ import annotations

from memforest.core.outcomes import Abstained, Answer
from memforest.core.protocols import Search
from memforest.core.types import Question


class AlwaysAbstains:
    """Always the same abstention: what a judge and a benchmark give for knowing nothing."""

    context = "nothing"
    concurrency = 1

    def answer(self, *, question: Question, search: Search) -> Answer:
        """The abstention."""
        return Abstained("I don't know.")
