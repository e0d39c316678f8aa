"""Many names in few words."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3


def listed(names: Sequence[str]) -> str:
    """All of a few names; of more how many, and the first."""
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN:,} more"
