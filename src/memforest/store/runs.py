"""Runs: one folder per run identity. An unfinished run lives beside its place and is renamed into it when complete."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.core.digests import file_digest
from memforest.core.errors import StoreError
from memforest.core.files import json_bytes, json_line, lines_of, write_atomically, writing
from memforest.core.owners import is_gone, is_mine, owner
from memforest.store.code import code_of, library_versions

RUN = "run.json"
QUESTIONS = "questions.jsonl"
METRICS = "metrics.json"
TIMINGS = "timings.json"
REFERENCES = "references.json"
COMPRESSION = "compression.json"
PROVENANCE = "provenance.json"
LEDGER = "ledger.json"
_ANEW = "anew"
_PARTIAL = ".partial-"
_REPLACED = ".replaced-"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder that is complete."""

    folder: Path

    @property
    def id(self) -> str:
        """The run's id."""
        return self.folder.name

    def has(self, name: str) -> bool:
        """Whether the run has this file."""
        return (self.folder / name).is_file()

    def read(self, name: str) -> Any:
        """One of the run's JSON files. Raises StoreError."""
        content = self._content(name)
        try:
            return json.loads(content)
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise self._damaged(name, str(error)) from error

    def records(self) -> list[dict[str, Any]]:
        """The run's question records, in order."""
        content = self._content(QUESTIONS)
        try:
            return [json.loads(line) for line in lines_of(content.decode())]
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise self._damaged(QUESTIONS, str(error)) from error

    def _content(self, name: str) -> bytes:
        """A file's bytes, checked against the hash that was recorded when the run was complete."""
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise self._damaged(name, error.strerror or str(error)) from error
        if name != RUN and hashlib.sha256(content).hexdigest() != self.read(RUN)["files"].get(name):
            raise self._damaged(name, "it was changed after the run")
        return content

    def _damaged(self, name: str, what: str) -> StoreError:
        return StoreError(f"{self.folder / name} cannot be read ({what}); delete the folder and run again")

    @property
    def retryable(self) -> dict[str, int]:
        """Failed calls by stage that the same command makes again. Empty when the run is finished."""
        return dict(self.read(RUN).get("retryable_failures", {}))

    @property
    def attempts(self) -> int:
        """How often the run was carried out to its end, this time included: once, but for failed calls."""
        return int(self.read(RUN).get("attempts", 1))

    def changes(self) -> list[str]:
        """What has changed since the run: modules and libraries. Empty when the run is fresh; else it is stale."""
        recorded = self.read(RUN)
        code: Mapping[str, str] = recorded["code"]
        now = code_of(code)
        modules = sorted(name for name in {*code, *now} if code.get(name) != now.get(name))
        libraries = sorted(
            name for name, version in library_versions().items() if recorded["libraries"].get(name) != version
        )
        return [*modules, *libraries]


class Attempt:
    """A run in progress: records are appended and flushed one by one; `publish` puts the folder in its place."""

    def __init__(self, folder: Path, *, store: RunStore, run_id: str, stages: str) -> None:
        self.folder = folder
        self._store = store
        self._run_id = run_id
        self._stages = stages

    def write(self, name: str, value: Any) -> None:
        """Write one JSON file of the run."""
        write_atomically(self.folder / name, json_bytes(value))

    def resume(
        self, questions: Sequence[str], *, sound: Callable[[dict[str, Any]], bool] = lambda record: True
    ) -> list[dict[str, Any]]:
        """Records that are already there: the longest run of whole, `sound` lines that answers `questions` from the
        first on.

        Whatever follows, such as a line cut off by a kill, is removed.
        """
        path = self.folder / QUESTIONS
        self.folder.mkdir(parents=True, exist_ok=True)
        if (self.folder / _ANEW).exists():
            path.unlink(missing_ok=True)
        records: list[dict[str, Any]] = []
        end = 0
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
            record = _whole_record(line)
            if record is None or len(records) == len(questions) or record.get("question") != questions[len(records)]:
                break
            if not sound(record):
                break
            records.append(record)
            end += len(line)
        with path.open("ab") as stream:
            stream.truncate(end)
        return records

    def begin_anew(self) -> None:
        """Records rest on memories that a later attempt will replace: none is taken over, and none may be."""
        (self.folder / _ANEW).touch()

    def append(self, records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Append records as they come, each flushed before the next is asked for."""
        with (self.folder / QUESTIONS).open("a", encoding="utf-8") as stream:
            for record in records:
                stream.write(json_line(record) + "\n")
                stream.flush()
                yield record

    def leave(self) -> None:
        """Stop here: an attempt without a record is removed, one with records waits to be continued."""
        path = self.folder / QUESTIONS
        if not path.is_file() or not path.stat().st_size:
            shutil.rmtree(self.folder, ignore_errors=True)

    def publish(self, run: Mapping[str, Any]) -> StoredRun:
        """Complete the run with `run.json` and rename it into its place; an older run there is replaced.

        With `retryable_failures` in `run`, failed calls by stage, it is there to look at and not finished.
        """
        (self.folder / _ANEW).unlink(missing_ok=True)
        hashes = {path.name: file_digest(path) for path in sorted(self.folder.glob("*")) if path.name != RUN}
        earlier = self._store.published(self._run_id, stages=self._stages)
        attempts = 1 if earlier is None else earlier.attempts + 1
        self.write(RUN, {**run, "attempts": attempts, "stages": self._stages, "files": hashes})
        return self._store.publish(self.folder, self._run_id, self._stages)


class RunStore:
    """`runs/<run id>/` under the outputs folder."""

    def __init__(self, outputs: Path) -> None:
        self._root = outputs / "runs"

    def finished(self, run_id: str, *, stages: str) -> StoredRun | None:
        """The run with this id and these stage keys if nothing is left to do: all stages done and no call to repeat."""
        return _finished(self._root / run_id, stages)

    def published(self, run_id: str, *, stages: str | None = None) -> StoredRun | None:
        """The complete run with this id, if there is one (and its stage keys are `stages`, where given).

        Calls that failed can be left to repeat in it.
        """
        return _published(self._root / run_id, stages)

    def start(self, run_id: str, *, stages: str) -> Attempt:
        """A folder for a new attempt, holding the records of the longest earlier attempt with the same stage keys.

        Each attempt has a folder of its own, so that two processes that run the same command never write one file.
        """
        with writing(self._root):
            self._root.mkdir(parents=True, exist_ok=True)
        self._recover(run_id)
        attempts = self._root.glob(f"{run_id}{_PARTIAL}{stages[:8]}-*")
        earlier = [path / QUESTIONS for path in attempts if not (path / _ANEW).exists()]
        folder = Path(tempfile.mkdtemp(dir=self._root, prefix=f"{run_id}{_PARTIAL}{stages[:8]}-{owner()}-"))
        folder.chmod(0o755)
        for path in sorted(earlier, key=_size, reverse=True):
            # An attempt can vanish at any moment, when the rival that it belongs to is done with it.
            with suppress(FileNotFoundError):
                shutil.copyfile(path, folder / QUESTIONS)
                break
        return Attempt(folder, store=self, run_id=run_id, stages=stages)

    def publish(self, folder: Path, run_id: str, stages: str) -> StoredRun:
        """Rename a complete attempt into its place and remove other attempts at it.

        A rival that came first has written the same results; its folder stays, unless calls failed in it. An older run
        is moved away first, and put back by `_recover` should this process die before its own folder is in place.
        """
        target = self._root / run_id
        while (done := self.finished(run_id, stages=stages)) is None:
            if not (folder / QUESTIONS).is_file():
                raise StoreError(f"{folder} was removed while the run was at work; run the command again")
            try:
                done = StoredRun(folder.rename(target))
                break
            except OSError as error:
                # Something was there, or a rival got in between: look again. Anything else will not go away.
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) and not target.exists():
                    raise StoreError(f"cannot put the finished run in its place {target}: {error.strerror}") from error
            self._move_away(run_id, stages)
        self._clean(run_id, stages)
        return done

    def _move_away(self, run_id: str, stages: str) -> None:
        """Make room for a successor. Puts back at once what a rival finished between the look and the move."""
        moved = Path(tempfile.mkdtemp(dir=self._root, prefix=f"{run_id}{_REPLACED}")) / run_id
        # Rivals move too: whoever comes later finds nothing there, and looks again.
        with suppress(FileNotFoundError):
            (self._root / run_id).rename(moved)
            if _finished(moved, stages) is not None:
                self._recover(run_id)

    def all(self) -> list[StoredRun]:
        """Complete runs by id."""
        for holder in self._root.glob(f"*{_REPLACED}*"):
            self._recover(holder.name.split(_REPLACED)[0])
        return [
            StoredRun(path.parent) for path in sorted(self._root.glob(f"*/{RUN}")) if _PARTIAL not in path.parent.name
        ]

    def unfinished(self) -> dict[str, int]:
        """Runs without a complete folder, and how many questions their longest attempt holds."""
        found: dict[str, int] = {}
        for folder in sorted(self._root.glob(f"*{_PARTIAL}*")):
            run_id = folder.name.split(_PARTIAL)[0]
            path = folder / QUESTIONS
            done = path.read_bytes().count(b"\n") if path.is_file() else 0
            if self.published(run_id) is None:
                found[run_id] = max(done, found.get(run_id, 0))
        return found

    def find(self, name: str) -> StoredRun:
        """A complete run by id, by an unambiguous part of it, or by its folder. Raises StoreError."""
        folder = Path(name)
        if (folder / RUN).is_file():
            return StoredRun(folder)
        matches = [run for run in self.all() if run.id == name] or [run for run in self.all() if name in run.id]
        if len(matches) == 1:
            return matches[0]
        if not matches:
            unfinished = [run_id for run_id in self.unfinished() if name in run_id]
            hint = (
                f"{unfinished[0]} is unfinished; run its command again"
                if unfinished
                else "list them with: memforest runs"
            )
            raise StoreError(f"no complete run {name!r} under {self._root}; {hint}")
        raise StoreError(f"{name!r} fits {len(matches)} runs: {', '.join(run.id for run in matches)}; name one of them")

    def _recover(self, run_id: str) -> None:
        """Put back a run that was moved away by a process that died before its successor was in place."""
        for holder in self._root.glob(f"{run_id}{_REPLACED}*"):
            if (holder / run_id).exists() and not (self._root / run_id).exists():
                # A rival can do the same, or put a successor there, at this very moment.
                with suppress(OSError):
                    (holder / run_id).rename(self._root / run_id)

    def _clean(self, run_id: str, stages: str) -> None:
        """Remove what the complete run makes useless. A rival that is still at work keeps its folder, finds the run
        when it ends, and cleans up itself."""
        attempts = self._root.glob(f"{run_id}{_PARTIAL}{stages[:8]}-*")
        for path in [*filter(_is_abandoned, attempts), *self._root.glob(f"{run_id}{_REPLACED}*")]:
            shutil.rmtree(path, ignore_errors=True)


def _published(folder: Path, stages: str | None) -> StoredRun | None:
    if not (folder / RUN).is_file():
        return None
    run = StoredRun(folder)
    return run if stages is None or run.read(RUN)["stages"] == stages else None


def _finished(folder: Path, stages: str) -> StoredRun | None:
    run = _published(folder, stages)
    return None if run is None or run.retryable else run


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


def _is_abandoned(attempt: Path) -> bool:
    """Whether nobody works on an attempt: its process is this one, which is done with it, or is gone."""
    name = attempt.name.split(_PARTIAL)[1].split("-", 1)[1].rsplit("-", 1)[0]
    return is_mine(name) or is_gone(name, attempt)


def _whole_record(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except (UnicodeDecodeError, json.JSONDecodeError):
        return None
    return record if isinstance(record, dict) else None
