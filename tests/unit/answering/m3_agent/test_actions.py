"""What a reply asks for, against the released rule written as one expression."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.answering.m3_agent.actions import Action, read_action

WHOLE = re.compile(r"Action: \[(?P<action>.*)\].*Content: (?P<content>.*)", re.DOTALL)
PIECES = ("Action: [", "Answer", "Search", "]", "Content: ", "\n", " ", "a boat", "[", "Action:", "Content:")


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("Action: [Answer]\nContent: A boat.", Action("answer", "A boat.")),
        ("I know enough.\n\nAction: [Answer]\nContent:  A boat,\nand oars. \n", Action("answer", "A boat,\nand oars.")),
        ("Action: [Search]\nContent: What did Ada sell?", Action("search", "What did Ada sell?")),
        ("Action: [Answer] or [Search]\nContent: A boat.", Action("search", "A boat.")),
        ("Action: [answer]\nContent: A boat.", Action("search", "A boat.")),
        ("Action: [Answer]\nContent: ", Action("answer", "")),
        ("Action: [Answer]\nContent:", Action("search", "")),
        ("Action: Answer\nContent: A boat.", Action("search", "")),
        ("A boat.", Action("search", "")),
        ("", Action("search", "")),
        ("Content: A boat. Action: [Answer]", Action("search", "")),
        ("Action: [Search]\nContent: who\nAction: [Answer]\nContent: A boat.", Action("search", "A boat.")),
        ("Action: [Answer]\nContent: The box [red]. Content: unknown", Action("search", "unknown")),
    ],
)
def test_an_action_is_read_as_the_released_code_reads_it(reply: str, action: Action) -> None:
    assert read_action(reply) == action == slowly(reply)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_whatever_a_model_writes(reply: str) -> None:
    assert read_action(reply) == slowly(reply)


def slowly(reply: str) -> Action:
    """The rule as an expression that takes as much as it can."""
    match = WHOLE.search(reply)
    if match is None:
        return Action("search", "")
    return Action("answer" if match["action"] == "Answer" else "search", match["content"].strip())
