"""PersonaMem's scoring: the letter decides, and no model is asked."""

from __future__ import annotations

from memforest.core.choices import final_part, letters_in
from memforest.core.digests import digest
from memforest.core.outcomes import Answer, Answered, Correct, Failed, Incorrect, Unanswered, Unscored, Verdict
from memforest.core.types import Gold, Question
from memforest.judging.model_judge import no_answer

PARSE = "letters after the last <final_answer>, those in parentheses before lone ones, are exactly the gold letter"


class Letter:
    """The set of letters named after the final marker must be the gold letter alone."""

    concurrency = 1

    @property
    def identity(self) -> str:
        """`letter#hash` of the way that replies are read."""
        return f"letter#{digest(PARSE)[:6]}"

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        """Unscored where no letter can grade the question: two options are the same, or it has none."""
        if gold.ungradable is not None:
            return Unscored(gold.ungradable)
        if gold.letter is None:
            return Unscored("no gold letter")
        if isinstance(answer, Failed | Unanswered):
            return no_answer(answer)
        reply = answer.reply if isinstance(answer, Answered) and answer.reply is not None else answer.text
        named = letters_in(final_part(reply), options=len(question.options))
        return Correct() if named == {gold.letter.strip("() ").lower()} else Incorrect()
