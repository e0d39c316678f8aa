"""A measured number beside its goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """`goal` is a bound: `at_least` or `at_most`; None where a number has none."""

    name: str
    value: float
    unit: str
    meaning: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.at_least is None and self.at_most is None:
            return None
        above = self.at_least is None or self.value >= self.at_least
        return above and (self.at_most is None or self.value <= self.at_most)


def as_json(figures: Sequence[Figure], *, small: bool) -> dict[str, Any]:
    """What `--json` prints; goals hold for the full size only."""
    return {"small": small, "figures": [{**asdict(f), "met": None if small else f.met} for f in figures]}


def as_lines(figures: Sequence[Figure], *, small: bool) -> list[str]:
    """One line per figure; goals hold for the full size only, and `small` leaves them out."""
    width = max(len(figure.name) for figure in figures)
    return [
        f"{figure.name:<{width}}  {figure.value:>10,.2f} {figure.unit:<3} {_goal(figure, small)}  {figure.meaning}"
        for figure in figures
    ]


def _goal(figure: Figure, small: bool) -> str:
    if small or figure.met is None:
        return " " * 16
    bound = f"at least {figure.at_least:g}" if figure.at_least is not None else f"at most {figure.at_most:g}"
    return f"{bound:<12} {'ok' if figure.met else 'NO':<3}"
