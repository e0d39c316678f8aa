"""The choice of not judging."""

from __future__ import annotations

from memforest.core.outcomes import Answer, Unscored, Verdict
from memforest.core.types import Gold, Question


class NoJudge:
    """Answers are stored and can be judged later."""

    identity = "none"
    concurrency = 1

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        """No verdict."""
        return Unscored("no judge was chosen")
