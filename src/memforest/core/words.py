"""Texts as words."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """Lower-case runs of letters, digits and underscores, repeats included."""
    return _WORD.findall(text.lower())
