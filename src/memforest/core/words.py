"""Texts as words."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_YES_OR_NO = re.compile(r"\W*(yes|no)\s*(?:[^\w\s].*)?", re.IGNORECASE | re.DOTALL)


def words_of(text: str) -> list[str]:
    """Lower-case runs of letters, digits and underscores, repeats included."""
    return _WORD.findall(text.lower())


def yes_or_no(text: str) -> str | None:
    """The answer yes or no that a text begins with, as a sentence or clause of its own; None for any other."""
    found = _YES_OR_NO.fullmatch(text)
    return None if found is None else found[1].lower()
