"""People's own chat histories: exports and logs of several systems, told apart by what is in them; no questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from memforest.core.digests import digest, file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.core.types import Unit
from memforest.datasets.chats import chatgpt, claude, graphiti, logs
from memforest.datasets.chats.conversation import Export, unit_of
from memforest.datasets.json_files import read_json

Reader = Callable[..., Export]

_BY_KEY: dict[str, Reader] = {
    "mapping": chatgpt.read,
    "chat_messages": claude.read,
    "user_input": logs.read_memoryos,
    "agent_response": logs.read_memoryos,
    "conversation_list": logs.read_evermemos,
}
"""What only one format has, in one of its conversations, pairs, or in itself."""


class ChatExport:
    """The file `path`, or all `*.json` of a folder in order of their names: a unit for each file or user."""

    def __init__(self, *, path: str | None) -> None:
        self._path = Path(path) if path else None

    def load(self) -> LoadedDataset:
        """Raises DataError for a missing file, an unknown format, or one with nothing said; places are named."""
        files = _files(self._path)
        units: list[Unit] = []
        notices: list[str] = []
        for file in files:
            export = _read(file)
            notices += [f"{file.name}: {what}: {count:,}" for what, count in export.oddities.items()]
            for owner, conversations in export.owners.items():
                spoken = [conversation for conversation in conversations if conversation.said]
                silent = len(conversations) - len(spoken)
                if silent:
                    notices.append(f"{file.name}: conversations without a message, left out: {silent:,}")
                if spoken:
                    units.append(unit_of(owner, spoken, index=len(units)))
                else:
                    notices.append(f"{file.name}: nothing was said in {owner}, left out")
        _require_units(units, path=files[0] if len(files) == 1 else self._path)
        return LoadedDataset(
            units=tuple(units),
            questions=(),
            golds=(),
            categories=(),
            digest=digest([[file.stem, file_digest(file)] for file in files]),
            notices=tuple(notices),
        )


def _files(path: Path | None) -> list[Path]:
    if path is None:
        raise DataError("dataset=chat_export needs your export: dataset.path=FILE, or a folder of them")
    if path.is_dir():
        files = sorted(file for file in path.glob("*.json") if file.is_file())
        if not files:
            raise DataError(f"{path} is a folder without *.json files")
        return files
    if not path.is_file():
        raise DataError(f"{path} does not exist; name a file or folder of exports, unpacked, with dataset.path=PATH")
    return [path]


def _read(file: Path) -> Export:
    raw = read_json(file)
    reader = next(_readers(raw), None)
    if reader is None:
        raise DataError(
            f"{file} is no chat history that this project knows: ChatGPT or Claude export, MemoryOS or EverMemOS log, "
            "or Graphiti episodes"
        )
    return reader(raw, owner=file.stem, where=file.name)


def _readers(raw: object) -> Iterator[Reader]:
    """Readers of the formats that a parsed file may be of, most certain first."""
    items = raw if isinstance(raw, list) else [raw]
    for item in items:
        if isinstance(item, dict):
            yield from (reader for key, reader in _BY_KEY.items() if key in item)
    groups = raw.values() if isinstance(raw, dict) else ()
    episodes = [item for group in groups if isinstance(group, list) for item in group]
    if any(isinstance(item, dict) and "episode" in item for item in episodes):
        yield graphiti.read


def _require_units(units: list[Unit], *, path: Path | None) -> None:
    if not units:
        raise DataError(f"{path} holds no message")
    repeated = [name for name, count in Counter(unit.id for unit in units).items() if count > 1]
    if repeated:
        raise DataError(f"{path}: two histories are called {repeated[0]!r:.80}; names must be unique")
