"""JSON whose objects name each key once: of a key that stands twice Python keeps the last value and says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its keys and values, for `object_pairs_hook`. Raises ValueError for a key that stands twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.80} stands twice in one object")
        found[key] = value
    return found
