"""What always saying yes, or always no, is worth: a rule that reads neither memory nor question.

A question whose answer is yes or no can be guessed. On M3-Bench-robot 261 of 1,276 answers are one or the other, on
M3-Bench-web 453 of 3,214: numbers beside which an accuracy there has to be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memforest.core.types import Gold
from memforest.core.words import yes_or_no


def yes_no(golds: Sequence[Gold]) -> dict[str, Any] | None:
    """Counts of answers that are yes or no, the more frequent word (ties to yes), and the shares in percent of these
    questions and of all that always saying it is right in; None where no answer is yes or no.

    Questions with options or without an answer are not counted among them.
    """
    found = Counter(
        word
        for gold in golds
        if gold.answerable and gold.letter is None and (word := yes_or_no(gold.answer or "")) is not None
    )
    if not found:
        return None
    word = max(("yes", "no"), key=lambda one: found[one])
    return {
        "questions": len(golds),
        "yes": found["yes"],
        "no": found["no"],
        "always": word,
        "right": round(100 * found[word] / found.total(), 6),
        "right_of_all": round(100 * found[word] / len(golds), 6),
    }
