"""What always saying yes or no is worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.core.types import Gold
from memforest.core.words import yes_or_no
from memforest.metrics.yes_no import yes_no


def gold(answer: str | None, **changes: object) -> Gold:
    made = Gold("q", "a", answerable=True, answer=answer, adversarial_answer=None, evidence=())
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Yes", "yes"),
        (" no. ", "no"),
        ("NO, it is red.", "no"),
        ("Yes; twice\nor more", "yes"),
        ("No\uff0cit is red.", "no"),
        ("No one.", None),
        ("Not good", None),
        ("Noise", None),
        ("Nobody.", None),
        ("The answer is yes", None),
        ("", None),
    ],
)
def test_an_answer_is_yes_or_no_where_it_begins_so_and_says_no_more(text: str, word: str | None) -> None:
    assert yes_or_no(text) == word


def test_the_more_frequent_word_is_always_said() -> None:
    golds = [gold("No."), gold("no, never"), gold("Yes"), gold("Red"), gold("Blue")]
    assert yes_no(golds) == {
        "questions": 5,
        "yes": 1,
        "no": 2,
        "always": "no",
        "right": 66.666667,
        "right_of_all": 40.0,
    }


def test_questions_that_nobody_can_guess_so_are_not_among_them() -> None:
    assert yes_no([gold("Red"), gold("Yes", letter="a"), gold(None, answerable=False)]) is None
    assert yes_no([]) is None
