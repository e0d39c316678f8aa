"""A file that somebody else wrote, as plain data: JSON, JSONL or CSV, gzip or not, and nothing taken on trust."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from memforest.core.checks import is_unicode
from memforest.core.errors import DataError
from memforest.core.files import lines_of
from memforest.core.json_keys import unique_keys

LARGEST = 1 << 30
"""Bytes, unpacked: no file of answers comes near, and a small gzip file can unpack to anything."""

_GZIP = b"\x1f\x8b"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `digest` is the sha256 of its bytes as they lie there; `lines` numbers the lines of a JSONL
    or CSV file, whose rows are then the list `content`."""

    name: str
    digest: str
    content: Any
    lines: tuple[int, ...] | None = None

    def place(self, index: int) -> str:
        """Where entry `index` of a list stands, in words."""
        return f"{self.name}, " + (f"record {index}" if self.lines is None else f"line {self.lines[index]}")


def read_document(path: Path) -> Document:
    """Raises DataError with the file, and the line where there are lines, for whatever is not complete."""
    raw = _bytes(path)
    text = _text(_unpacked(raw, path.name), path.name)
    filled = [(number, line) for number, line in enumerate(lines_of(text), 1) if line.strip()]
    if not filled:
        raise DataError(f"{path.name} is empty")
    digest = hashlib.sha256(raw).hexdigest()
    if path.name.removesuffix(".gz").endswith(".csv"):
        return Document(path.name, digest, *_table(text, path.name))
    if len(filled) > 1 and _is_whole(filled[0][1]):
        objects = [_parsed(line, where=f"{path.name}, line {number}") for number, line in filled]
        return Document(path.name, digest, objects, tuple(number for number, _ in filled))
    return Document(path.name, digest, _parsed(text, where=path.name))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path} does not exist") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _unpacked(raw: bytes, name: str) -> bytes:
    if not raw.startswith(_GZIP):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            content = stream.read(LARGEST + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise DataError(f"{name} is no complete gzip file ({error}); it may have been cut off: get it again") from error
    if len(content) > LARGEST:
        raise DataError(f"{name} unpacks to more than {LARGEST >> 30} GiB, which no file of answers needs")
    return content


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is no UTF-8 text: {error}") from error


def _table(text: str, name: str) -> tuple[list[dict[str, str]], tuple[int, ...]]:
    """Rows of a CSV file by the names in its first line, each with the line that it ends on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise DataError(f"{name}, line {reader.line_num}: not CSV ({error})") from error
    header = rows[0][1]
    if len(set(header)) < len(header):
        raise DataError(f"{name}: a column name stands twice in {', '.join(header)}")
    for number, row in rows:
        if len(row) != len(header):
            raise DataError(f"{name}, line {number}: has {len(row)} fields, the first line has {len(header)}")
    return [dict(zip(header, row, strict=True)) for _, row in rows[1:]], tuple(number for number, _ in rows[1:])


def _is_whole(line: str) -> bool:
    """Whether a first line is JSON of its own, so that the file is JSONL."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parsed(text: str, *, where: str) -> Any:
    def refuse(constant: str) -> None:
        raise DataError(f"{where}: {constant} is no JSON number")

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({error})") from error


def field(record: object, key: str, kind: type[T], *, where: str) -> T:
    """`record[key]`, which must be of `kind`. Raises DataError; a bool is no number, and a text must be Unicode."""
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected an object with `{key}`, got {kind_of(record)}")
    if key not in record:
        raise DataError(f"{where}: `{key}` is missing; there are {', '.join(map(repr, list(record)[:8])) or 'no keys'}")
    value = record[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise DataError(f"{where}: `{key}` must be {_KINDS[kind]}, got {kind_of(value)}")
    return checked(value, key, where=where)


def text_of(record: object, key: str, *, where: str) -> str:
    """`record[key]`, a text, or a number as text. Raises DataError, for null too: no answer is not an answer."""
    value = field(record, key, object, where=where)
    return str(value) if is_number(value) else field(record, key, str, where=where)


def share_of(record: object, key: str, *, where: str) -> float:
    """`record[key]`, a number in [0, 1], as every metric and score of a row is. Raises DataError."""
    value = field(record, key, object, where=where)
    if not is_number(value) or not 0 <= value <= 1:
        raise DataError(f"{where}: `{key}` must be a number in [0, 1], got {kind_of(value)} {value!r:.40}")
    return float(value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def checked(value: T, key: str, *, where: str) -> T:
    """The value; raises DataError for a text, or a list with a text, that cannot be written again."""
    texts: Iterable[object] = value if isinstance(value, list) else [value]
    if any(isinstance(text, str) and not is_unicode(text) for text in texts):
        raise DataError(f"{where}: `{key}` is no valid text (half of a character pair, as in a cut emoji)")
    return value


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


_KINDS: dict[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}
