"""Evidence references as people wrote them -> turn ids."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[\s,;]+")
_TURN = re.compile(r"D:?(\d+):(\d+)")


def turn_ids(reference: str) -> list[str]:
    """Ids named by one reference: split on blanks, commas and semicolons, and normalised where the meaning is certain.

    `D8:6; D9:17` is two ids, `D:11:26` is D11:26, `D30:05` is D30:5. What is no turn id stays as it was written.
    """
    parts = [part for part in _SEPARATORS.split(reference) if part]
    return [_normalised(part) for part in parts]


def evidence_ids(references: Iterable[str]) -> tuple[str, ...]:
    """Ids of several references in order, each once."""
    return tuple(dict.fromkeys(turn for reference in references for turn in turn_ids(reference)))


def _normalised(part: str) -> str:
    match = _TURN.fullmatch(part)
    return f"D{int(match[1])}:{int(match[2])}" if match else part
