"""Reading fields of parsed JSON: what is missing or of another kind is an error that names the place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from memforest.core.checks import is_unicode
from memforest.core.errors import DataError

T = TypeVar("T")
_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """A file format by its name, for the errors of files that do not keep to it."""

    name: str

    def field(self, record: object, key: str, kind: type[T], *, where: str) -> T:
        """The value of `key`. Raises DataError when it is missing, of another kind, or no valid text."""
        if not isinstance(record, dict):
            raise DataError(f"{where}: expected an object with `{key}`, got {kind_of(record)}")
        if key not in record:
            raise DataError(f"{where}: `{key}` is missing; this is not {self.name}'s schema")
        return valid(record[key], kind, where=f"{where}: `{key}`")

    def optional(self, record: object, key: str, kind: type[T], *, where: str) -> T | None:
        """The value of `key`; None where it is missing or null. Raises DataError for another kind."""
        if isinstance(record, dict) and record.get(key) is None:
            return None
        return self.field(record, key, kind, where=where)


def valid(value: object, kind: type[T], *, where: str) -> T:
    """The value, if it is of that kind and, where it is a text, can be written. Raises DataError."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
        raise DataError(f"{where} must be {_NAMES.get(kind, kind.__name__)}, got {kind_of(value)}")
    if isinstance(value, str) and not is_unicode(value):
        raise DataError(f"{where} is no valid text (half of a character pair, as in a cut emoji)")
    return value


def answer_text(value: object, *, where: str) -> str:
    """An answer as text; numbers are spelled out. Raises DataError for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"{where} must be a text or a number, got {kind_of(value)}")
    return valid(str(value), str, where=where)


def kind_of(value: object) -> str:
    """What a value is, in words."""
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)
