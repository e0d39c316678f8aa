"""The rule by which an answer is an abstention, both ways."""

from __future__ import annotations

import pytest

from memforest.answering.abstention import abstains


@pytest.mark.parametrize(
    "answer",
    [
        "Unknown",
        "N/A.",
        "I don't know.",
        "I don’t know",
        "I do not know. The entries are about boats.",
        "I don't know when the boat was sold. What is missing is the date.",
        "I don't know how many there were.",
        "Not mentioned",
        "Not mentioned in the memories.",
        "It is not specified.",
        "No information available",
        "No information about a boat was found.",
        "There is no mention of a boat.",
        "The memories do not mention a boat.",
        "The provided conversation doesn't say.",
        "I cannot determine this.",
        "I don't have any information about it.",
        "You did not mention a boat. You mentioned a ferry.",
        "You never specified the price",
    ],
)
def test_saying_that_nothing_is_known_abstains(answer: str) -> None:
    assert abstains(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Oslo",
        "No",
        "None",
        "Unknown Pleasures",
        "I don't know how to swim",
        "Not available seats, the price",
        "No information technology degree",
        "The memories do not mention it, but it was probably Oslo.",
        "I don't know. However, Ada once spoke of Oslo.",
        "Oslo. The memories do not say more.",
        "The memories of Ada mention Oslo.",
        "She never mentioned her brother",
        "You mentioned a ferry.",
        "The information is in Oslo.",
        "Not Oslo",
    ],
)
def test_anything_else_is_an_answer(answer: str) -> None:
    assert not abstains(answer)
