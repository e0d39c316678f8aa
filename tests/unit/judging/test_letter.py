"""Grading by letters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.core.outcomes import Abstained, Answer, Answered, Correct, Failed, Incorrect, Unscored
from memforest.core.types import Gold, Question
from memforest.judging.letter import Letter

QUESTION = Question(id="u/q", unit_id="u", text="What now?", options=("tea", "milk", "juice", "water"))
GOLD = Gold("u/q", "suggest_new_ideas", True, "juice", None, (), letter="c")


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (Answered("(c)"), True),
        (Answered("C."), True),
        (Answered("(c)", reply="Neither (a) nor (b).\n<final_answer>(c)"), True),
        (Answered("(a) or (b)? <final_answer> c </final_answer>"), True),
        (Answered("(c)", reply="(c)<final_answer>(a)"), False),
        (Answered("(a)"), False),
        (Answered("(a) (c)"), False),
        (Answered("juice"), False),
        (Answered("(c) not (a)"), False),
        (Abstained("I don't know."), False),
    ],
)
def test_exactly_the_gold_letter_must_be_named(answer: Answer, right: bool) -> None:
    for letter in ("c", "(c)", "C"):
        verdict = Letter().judge(question=QUESTION, gold=replace(GOLD, letter=letter), answer=answer)
        assert verdict == (Correct() if right else Incorrect())


def test_what_no_letter_can_grade_is_unscored() -> None:
    gold = replace(GOLD, ungradable="two options have the text of the correct one")
    failed = Failed(stage="answer", error="timeout")
    for answer in (Answered("(c)"), failed):
        verdict = Letter().judge(question=QUESTION, gold=gold, answer=answer)
        assert verdict == Unscored("two options have the text of the correct one")
    assert Letter().judge(question=QUESTION, gold=replace(GOLD, letter=None), answer=failed) == Unscored(
        "no gold letter"
    )
