"""Multiple choice: options with letters, and the letters that a reply names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

from memforest.core.prompts import one_line

MARKER = "<final_answer>"
"""What PersonaMem's official prompt asks a model to write before its letter."""

_CLOSING = "</final_answer>"


def lettered(options: Sequence[str]) -> str:
    """The options, one a line, each after its letter: `(a) text`."""
    return "\n".join(f"({letter}) {one_line(option)}" for letter, option in zip(ascii_lowercase, options, strict=False))


def final_part(reply: str) -> str:
    """What stands after the last marker, without a closing one; the whole reply where there is none."""
    return reply.rpartition(MARKER)[2].strip().removesuffix(_CLOSING).strip()


def letters_in(text: str, *, options: int) -> frozenset[str]:
    """Letters of the first `options` options that a text names: those in parentheses; without any, those that stand
    alone."""
    letters = f"[a-{ascii_lowercase[max(1, min(options, len(ascii_lowercase))) - 1]}]"
    lower = text.lower()
    return frozenset(re.findall(rf"\(({letters})\)", lower) or re.findall(rf"\b({letters})\b", lower))
