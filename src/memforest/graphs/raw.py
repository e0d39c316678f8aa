"""What a file says of a video's graph, before any of it is believed; all readers give this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import is_unicode
from memforest.core.errors import DataError

Row = NDArray[np.float32]
EXAMPLES = 3
_CHARACTERS, _SHORT = 60, 20
_LARGEST = 2**53
"""Whole numbers below it are exact in every file."""


@dataclass(frozen=True, slots=True, eq=False)
class RawNode:
    """A node as it stands in a file, whatever its `type` and `clip` may be; `vectors` are of any lengths."""

    id: int
    type: str
    contents: tuple[str, ...]
    clip: int | None
    vectors: tuple[Row, ...] = ()


@dataclass(frozen=True, eq=False)
class RawGraph:
    """Nodes in file order, and what else the file holds; None for what it does not have.

    `edges` are in the direction in which they are stored, `both_ways` says that each has to be there twice. `order`,
    `by_clip` and `events_by_clip` are the file's own lists of texts. `vectors_file` is a second file that was read and
    whose digest the first does not hold. `notes` are sentences on what was not read.
    """

    nodes: tuple[RawNode, ...]
    edges: Sequence[tuple[int, int, float]]
    both_ways: bool
    parameters: Mapping[str, float] = field(default_factory=dict)
    characters: Mapping[str, tuple[str, ...]] | None = None
    order: tuple[int, ...] | None = None
    by_clip: Mapping[int, tuple[int, ...]] | None = None
    events_by_clip: Mapping[int, tuple[int, ...]] | None = None
    vectors_file: Path | None = None
    notes: tuple[str, ...] = ()


def row(values: object, *, where: str) -> Row:
    """A vector of a list of numbers. Raises DataError."""
    if isinstance(values, list | tuple) and all(type(value) in (float, int) for value in values):
        # What is too large for a float becomes infinite, and is then no direction.
        with np.errstate(over="ignore"), suppress(OverflowError):
            return np.array(values, dtype=np.float32)
    raise DataError(f"{where}: an embedding must be a list of numbers")


def whole(value: object, *, where: str) -> int:
    """A whole number. Raises DataError."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return value
    raise DataError(f"{where} must be a whole number, got {shown(value)}")


def number(value: object, *, where: str) -> float:
    """A number. Raises DataError."""
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST):
        return value
    raise DataError(f"{where} must be a number, got {shown(value)}")


def text(value: object, *, where: str) -> str:
    """A text that can be written as UTF-8. Raises DataError."""
    if isinstance(value, str) and is_unicode(value):
        return value
    raise DataError(f"{where} must be a text, got {shown(value)}")


def texts(values: object, *, where: str) -> tuple[str, ...]:
    """A list of texts. Raises DataError."""
    return tuple(text(value, where=where) for value in items(values, where=where))


def items(values: object, *, where: str) -> Sequence[object]:
    """A list. Raises DataError."""
    if isinstance(values, list | tuple):
        return values
    raise DataError(f"{where} must be a list, got {type(values).__name__}")


def listed_edge(value: object, *, where: str) -> tuple[int, int, float]:
    """An edge that a file lists as two ids and a weight. Raises DataError for anything else."""
    where = f"{where}, edge {shown(value)}"
    ends = items(value, where=where)
    if len(ends) != 3:
        raise DataError(f"{where}: an edge must be two ids and a weight")
    return whole(ends[0], where=where), whole(ends[1], where=where), number(ends[2], where=where)


def mapping(values: object, *, where: str) -> Mapping[object, object]:
    """A mapping. Raises DataError."""
    if isinstance(values, dict):
        return values
    raise DataError(f"{where} must be a mapping, got {type(values).__name__}")


def counted(what: str, found: Iterable[object]) -> list[str]:
    """A sentence on what was found, with how many and the first few; none where nothing was."""
    listed = list(found)
    return sentence(what, listed[:EXAMPLES], of=len(listed))


def sentence(what: str, first: Iterable[object], *, of: int) -> list[str]:
    """The sentence of `counted`, from the first EXAMPLES `of` so many."""
    shown = ", ".join(_printable(str(item)) for item in first) + (", ..." if of > EXAMPLES else "")
    return [f"{what}: {of:,} ({shown})"] if of else []


def shown(value: object) -> str:
    """A value in a few signs: a number, the beginning of a text, a short list of them, else only of what type it is.

    `repr` is no choice: what a few bytes of a file make can be too deep for it, or endless.
    """
    if isinstance(value, list | tuple) and len(value) <= EXAMPLES:
        return f"({', '.join(map(_one, value))})"
    return _one(value)


def _one(value: object) -> str:
    if isinstance(value, str | bytes):
        return repr(value[:_SHORT])
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST**2):
        return repr(value)
    return type(value).__name__


def _printable(text: str) -> str:
    """What a file says, in so far as a terminal can be trusted with it."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_CHARACTERS])
