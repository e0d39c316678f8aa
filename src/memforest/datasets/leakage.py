"""Gold in a store: a memory that holds the ids of questions can look the answers up, and has been caught doing so."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memforest.core.types import Question

_WORD = re.compile(r"[\w-]+")


def question_ids_in(texts: Iterable[str], questions: Iterable[Question]) -> tuple[str, ...]:
    """Ids of questions that stand in any of the texts as words of their own, in the order of the questions.

    A conversation knows nothing of a benchmark's ids; a text that has one was made from the questions' file.
    """
    ids = [question.id for question in questions]
    wanted = set(ids)
    found = {word for text in texts for word in _WORD.findall(text) if word in wanted}
    return tuple(name for name in ids if name in found)
