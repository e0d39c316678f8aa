"""The loop without a model: it searches with the question, and nothing is made of what it finds."""

from __future__ import annotations

from typing import Any

import pytest

from memforest.answering.m3_agent.question_only import QuestionOnly
from memforest.core.errors import ConfigError
from memforest.core.outcomes import Unanswered
from tests.unit.answering.m3_agent.worlds import QUESTION, searching, video

CLIPS = video(3, 1, 2, 0, 1, 2)
SILENT = Unanswered("no model is asked")


def shown(rounds: int, repeats: str, *, k: int) -> tuple[int, int]:
    """How many searches were made, and how many nodes they brought."""
    asked: list[str] = []
    answer = QuestionOnly(rounds=rounds, repeats=repeats).answer(
        question=QUESTION, search=searching(CLIPS, k=k, asked=asked)
    )
    assert answer == SILENT and answer.shown is not None
    assert set(asked) == {QUESTION.text}
    return len(asked), len(answer.shown)


@pytest.mark.parametrize(
    ("rounds", "k", "made"), [(1, 2, (1, 2)), (2, 2, (2, 4)), (5, 2, (4, 6)), (5, 6, (2, 6)), (5, 1, (5, 5))]
)
def test_it_goes_on_until_nothing_new_comes_or_the_rounds_are_used_up(rounds: int, k: int, made: Any) -> None:
    assert shown(rounds, "corrected", k=k) == made


def test_released_the_same_search_brings_nothing_the_second_time() -> None:
    assert shown(5, "released", k=2) == (2, 2)


@pytest.mark.parametrize("change", [{"rounds": 0}, {"repeats": "never"}])
def test_settings_are_checked(change: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"rounds": 5, "repeats": "corrected"}
    with pytest.raises(ConfigError, match=rf"answerer\.{next(iter(change))}"):
        QuestionOnly(**usual | change)
