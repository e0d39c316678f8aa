"""Files of JSON: the whole, or one item after another, with errors that name the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memforest.core.errors import DataError
from memforest.core.json_keys import unique_keys

_CHUNK = 1 << 22
"""Characters that are read at once; an item that is longer takes several, each as long as what is there."""


def read_json(path: Path) -> object:
    """The value that a file holds. Raises DataError for no UTF-8, no JSON, too deep a nest, or a key given twice."""
    with _named_errors(path), path.open(encoding="utf-8-sig") as stream:
        return json.load(stream, parse_constant=_refused, object_pairs_hook=unique_keys)


def json_items(path: Path) -> Iterator[object]:
    """Items of a file that holds a list, one at a time, or the one value that it holds instead.

    Of a list of many gigabytes, only the items that are asked for are read. Raises DataError as `read_json` does, when
    the place is reached.
    """
    with _named_errors(path), path.open(encoding="utf-8-sig") as stream:
        reader = _Reader(stream)
        if reader.next_character() != "[":
            yield reader.value()
        else:
            yield from reader.items()
        if reader.next_character():
            raise reader.error("something follows the end")


class _Reader:
    """Decodes values from a stream of which only a part is held."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = json.JSONDecoder(parse_constant=_refused, object_pairs_hook=unique_keys)
        self._held = ""
        self._place = 0
        self._passed = 0

    def items(self) -> Iterator[object]:
        """Items of the list that begins here."""
        self._place += 1
        if self.next_character() == "]":
            self._place += 1
            return
        while True:
            yield self.value()
            separator = self.next_character()
            self._place += 1
            if separator == "]":
                return
            if separator != ",":
                self._place -= 1
                raise self.error("expected a comma or the end of the list")

    def value(self) -> object:
        """The value that begins here."""
        self.next_character()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._place)
            except json.JSONDecodeError as error:
                if self._more():
                    continue
                self._place = error.pos
                raise self.error(error.msg) from error
            # A number may go on in what is not held yet: 1 of 12, of 1.5, or of 1e5.
            if self._held[end : end + 1] in ("", ".", "e", "E") and self._more():
                continue
            self._place = end
            return value

    def next_character(self) -> str:
        """The next character that is no blank, which is not taken; empty at the end of the file."""
        while True:
            while self._place < len(self._held):
                if not self._held[self._place].isspace():
                    return self._held[self._place]
                self._place += 1
            if not self._more():
                return ""

    def error(self, message: str) -> ValueError:
        """An error that names the place in the file."""
        return ValueError(f"{message} (character {self._passed + self._place:,})")

    def _more(self) -> bool:
        """Let go of what was taken and hold more; False at the end of the file."""
        self._passed += self._place
        self._held, self._place = self._held[self._place :], 0
        read = self._stream.read(max(_CHUNK, len(self._held)))
        self._held += read
        return bool(read)


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")
