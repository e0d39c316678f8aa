"""Options with letters, and the letters in replies."""

from __future__ import annotations

import pytest

from memforest.core.choices import final_part, lettered, letters_in


def test_options_get_letters_one_a_line() -> None:
    assert lettered(("tea\n(b) milk", "coffee")) == "(a) tea (b) milk\n(b) coffee"
    assert lettered(()) == ""


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        ("I think of (a). <final_answer> (c)", "(c)"),
        ("<final_answer>(c)</final_answer>", "(c)"),
        ("<final_answer>(a) no: <final_answer>\n(b)\n", "(b)"),
        ("(d)", "(d)"),
        ("<final_answer>", ""),
    ],
)
def test_the_final_part_stands_after_the_last_marker(reply: str, part: str) -> None:
    assert final_part(reply) == part


@pytest.mark.parametrize(
    ("text", "options", "letters"),
    [
        ("(c)", 4, "c"),
        ("C", 4, "c"),
        ("c.", 4, "c"),
        ("Option (B) because a friend said so", 4, "b"),
        ("(a) or (b)", 4, "ab"),
        ("a or b", 4, "ab"),
        ("(e)", 4, ""),
        ("(e)", 5, "e"),
        ("(c)", 2, ""),
        ("cab", 4, ""),
        ("", 4, ""),
    ],
)
def test_letters_in_parentheses_come_before_lone_ones(text: str, options: int, letters: str) -> None:
    assert letters_in(text, options=options) == set(letters)
