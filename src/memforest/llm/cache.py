"""Replies on disk: one readable file each, addressed by all that can change it.

Files are written beside and renamed, so any number of processes can share a folder without locks; each holds the hash
of its content. Failures are never kept as replies. What a model wrote that is none, cut off or empty, lies in a folder
beside theirs, for a run with such failures to be recorded and repeated; who can ask the model asks again.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from memforest.core.chat import ChatRequest
from memforest.core.digests import digest
from memforest.core.errors import StoreError
from memforest.core.files import json_bytes, write_atomically
from memforest.core.types import Json
from memforest.llm.completions import RawReply, Usage

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept reply. `asked` is what it answers, as JSON; `usage` is all that it took, a repaired reply's too;
    `repaired` holds the text that had to be repaired."""

    asked: Mapping[str, Json]
    raw: RawReply
    usage: Usage | None
    seconds: float
    repaired: str | None

    @property
    def key(self) -> str:
        """The address: a hash of `asked`."""
        return digest(self.asked)


def asked(*, identity: Mapping[str, Json], request: ChatRequest) -> dict[str, Json]:
    """What a reply depends on: the identity of the model, and the request."""
    return {
        "identity": identity,
        "messages": [{"author": message.author, "text": message.text} for message in request.messages],
        "schema": request.schema,
        "sample": request.sample,
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry as JSON for people and programs, with the hash of its content."""
    content = {
        "format": FORMAT,
        "key": entry.key,
        "asked": entry.asked,
        "reply": asdict(entry.raw),
        "usage": None if entry.usage is None else asdict(entry.usage),
        "seconds": entry.seconds,
        "repaired": entry.repaired,
    }
    return {**content, "sha256": digest(content)}


def parse_entry(content: Any, *, key: str | None, where: str) -> Entry:
    """The entry that JSON holds, which must have the address `key`. Raises StoreError for a damaged one."""
    try:
        rest = {name: value for name, value in content.items() if name != "sha256"}
        if digest(rest) != content["sha256"]:
            raise StoreError(f"the recorded reply {where} is damaged: its content does not match its hash")
        if content["format"] != FORMAT:
            raise StoreError(f"the recorded reply {where} has format {content['format']}, this version reads {FORMAT}")
        entry = Entry(
            asked=content["asked"],
            raw=RawReply(**{**content["reply"], "usage": _usage(content["reply"]["usage"])}),
            usage=_usage(content["usage"]),
            seconds=content["seconds"],
            repaired=content["repaired"],
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the recorded reply {where} is damaged: {error!r}") from error
    if entry.key != (key or content["key"]):
        raise StoreError(f"the recorded reply {where} is damaged: it answers another request")
    return entry


def path_of(folder: Path, key: str) -> Path:
    """Where the reply with the address `key` is kept."""
    return folder / key[:2] / f"{key}.json"


def read_entry(folder: Path, key: str) -> Entry | None:
    """The reply kept at `key`; None where there is none. Raises StoreError for a damaged file."""
    path = path_of(folder, key)
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"the recorded reply {path} is damaged: {error}") from error
    return parse_entry(content, key=key, where=str(path))


def read_any(folder: Path, key: str) -> Entry | None:
    """As `read_entry`, and where no reply is kept what the model last wrote instead, if that is."""
    return read_entry(folder, key) or read_entry(_unusable(folder), key)


def _unusable(folder: Path) -> Path:
    """The folder of what was no reply, beside that of the replies."""
    return folder.with_name(f"{folder.name}_unusable")


class Replies(Protocol):
    """Where replies are kept."""

    @property
    def place(self) -> str:
        """The folder or file."""

    def find(self, key: str, *, final: bool) -> Entry | None:
        """The reply kept at `key`, if there is one. `final`: nothing can be asked, so what was no reply is found where
        there is none. Raises StoreError for a damaged one where `final`."""

    def keep(self, entry: Entry, *, usable: bool) -> None:
        """Keep a reply, or what was none. Raises StoreError."""

    def hint(self, identity: Mapping[str, Json]) -> str:
        """What may be the reason that a reply of the model `identity` is not kept, to end a message with."""


class ReplyCache:
    """A folder of replies. A damaged file is named in a warning and its reply asked for again, over it; where nothing
    may be asked it is an error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def place(self) -> str:
        """The folder."""
        return str(self._folder.resolve())

    def find(self, key: str, *, final: bool) -> Entry | None:
        """The reply kept at `key`, if there is a sound one."""
        try:
            return read_any(self._folder, key) if final else read_entry(self._folder, key)
        except StoreError as error:
            if final:
                raise StoreError(f"{error}; delete it and run once with llm.replay_only=false") from error
            warnings.warn(f"{error}; it is asked for again", stacklevel=2)
            return None

    def keep(self, entry: Entry, *, usable: bool) -> None:
        """Write an entry beside its place and rename it."""
        folder = self._folder if usable else _unusable(self._folder)
        write_atomically(path_of(folder, entry.key), json_bytes(entry_json(entry)))

    def hint(self, identity: Mapping[str, Json]) -> str:
        """The folder that was looked in."""
        return f"; the folder is {self._folder}"


def _usage(content: Mapping[str, int] | None) -> Usage | None:
    return None if content is None else Usage(**content)
