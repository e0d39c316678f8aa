"""Ingestion that can be killed: each attempt has a folder of its own, and what is done is published by rename."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.backbones.mem0_environment import adapter
from memforest.core.errors import BaselineError
from memforest.core.files import json_bytes, lines_of, write_atomically, writing
from memforest.core.owners import is_gone, is_mine, owner
from memforest.core.progress import Progress

ADDS, JOB, MEMORIES, SUMMARY = "adds.jsonl", "job.json", "memories.json", "summary.json"
_PARTIAL = ".partial-"
_WITH_FAILURES = "-with-failures"
_STOPPED = 3
_LOG_LINES = 3


@dataclass(frozen=True, slots=True)
class Ingestion:
    """One unit's adds on their way into a store: `root`/`key` once they are done.

    job: what the adapter is given; skip_failures: whether an add that fails is counted and passed over, or ends it.
    """

    root: Path
    key: str
    unit_id: str
    job: Mapping[str, Any]
    python: Path
    skip_failures: bool

    def finished(self) -> Path | None:
        """The folder of a complete ingestion; one with failed adds only where they may be skipped."""
        names = [self.key, self.key + _WITH_FAILURES][: 2 if self.skip_failures else 1]
        return next((self.root / name for name in names if (self.root / name / SUMMARY).is_file()), None)

    def run(self) -> Path:
        """The folder of the complete ingestion, which is continued where an earlier attempt stopped.

        Raises BaselineError when the library fails, or an add does and `skip_failures` is not set.
        """
        found = self.finished()
        if found is not None:
            return found
        folder = self._start()
        try:
            self._adapt(folder)
            return self._publish(folder)
        finally:
            if not any(folder.glob("at-*")):
                shutil.rmtree(folder, ignore_errors=True)

    def _start(self) -> Path:
        """A new attempt that holds the checkpoint of the one that came furthest."""
        with writing(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            earlier = list(self.root.glob(f"{self.key}{_PARTIAL}*"))
            folder = Path(tempfile.mkdtemp(dir=self.root, prefix=f"{self.key}{_PARTIAL}{owner()}-"))
            write_atomically(folder / JOB, json_bytes(self.job))
        kept = [path for attempt in earlier for path in attempt.glob("at-*") if self._usable(path)]
        for path in sorted(kept, key=lambda path: path.name, reverse=True):
            if _copied(path, folder):
                break
        for attempt in earlier:
            if _is_abandoned(attempt) and _reached(attempt) <= _reached(folder):
                shutil.rmtree(attempt, ignore_errors=True)
        return folder

    def _usable(self, checkpoint: Path) -> bool:
        try:
            return self.skip_failures or not any(record["failures"] for record in read_adds(checkpoint))
        except (OSError, ValueError):
            return False

    def _adapt(self, folder: Path) -> None:
        """Run the adapter to its end. It ends when its standard input is closed, as it is when this process dies."""
        stopped: dict[str, Any] = {}
        with (
            (folder / "log.txt").open("wb") as log,
            Progress(f"mem0 {self.unit_id}", len(self.job["adds"])) as progress,
            subprocess.Popen(
                [str(self.python), "-I", str(adapter()), str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            ) as process,
        ):
            try:
                assert process.stdout is not None
                for line in process.stdout:
                    message = json.loads(line)
                    stopped = message if "stopped" in message else {}
                    progress.advance(1)
                code = process.wait()
            finally:
                process.kill()
        if code == _STOPPED and stopped:
            raise BaselineError(
                f"mem0 live, unit {self.unit_id}: add {stopped['add']} of {stopped['of']} failed "
                f"({', '.join(stopped['stopped'])}); those before it are kept. The same command goes on from there; "
                f"backbone.on_failure=skip counts such adds and goes on. {_tail(folder)}"
            )
        if code or not (folder / "done").is_dir():
            raise BaselineError(
                f"mem0 live, unit {self.unit_id}: the library ended with status {code}. {_tail(folder)}"
            )

    def _publish(self, folder: Path) -> Path:
        """Rename what is done into its place; a rival that came first has done the same work, and its folder stays."""
        done = folder / "done"
        summary = summary_of(read_adds(done), stored=json.loads((done / MEMORIES).read_bytes()))
        (folder / JOB).rename(done / JOB)
        write_atomically(done / SUMMARY, json_bytes({**summary, "environment": self.job["environment"]}))
        target = self.root / (self.key + (_WITH_FAILURES if summary["failed_adds"] else ""))
        with writing(target):
            if not target.is_dir():
                done.rename(target)
        for attempt in self.root.glob(f"{self.key}{_PARTIAL}*"):
            if _is_abandoned(attempt):
                shutil.rmtree(attempt, ignore_errors=True)
        return target


def read_adds(folder: Path) -> list[dict[str, Any]]:
    """Records of `adds.jsonl`, in order."""
    return [json.loads(line) for line in lines_of((folder / ADDS).read_text("utf-8"))]


def summary_of(adds: list[dict[str, Any]], *, stored: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Counts of an ingestion: events by kind, failed adds by their first reason, calls, tokens, memories left.

    `unreported` are memories that the store holds though no ADD was reported, `missing` those that it lacks though no
    DELETE was: what the library did in spite of an error.
    """
    events = [event for record in adds for event in record["events"]]
    deleted = {event["id"] for event in events if event["event"] == "DELETE"}
    expected = {event["id"] for event in events if event["event"] == "ADD"} - deleted
    held = {row["id"] for rows in stored.values() for row in rows}
    return {
        "adds": len(adds),
        "events": dict(sorted(Counter(event["event"] for event in events).items())),
        "failed_adds": dict(sorted(Counter(record["failures"][0] for record in adds if record["failures"]).items())),
        "calls": _total(adds, "calls"),
        "tokens": _total(adds, "tokens"),
        "memories": {user: len(rows) for user, rows in stored.items()},
        "unreported": len(held - expected),
        "missing": len(expected - held),
    }


def _total(adds: list[dict[str, Any]], name: str) -> dict[str, int]:
    total: Counter[str] = Counter()
    for record in adds:
        total.update(record[name])
    return dict(sorted(total.items()))


def _copied(checkpoint: Path, folder: Path) -> bool:
    """Whether a checkpoint is now in `folder` too; a rival at work may replace it by a later one meanwhile."""
    beside = folder / "copied"
    try:
        shutil.copytree(checkpoint, beside)
    except (OSError, shutil.Error):
        shutil.rmtree(beside, ignore_errors=True)
        return False
    beside.rename(folder / checkpoint.name)
    return True


def _reached(attempt: Path) -> str:
    """The last checkpoint of an attempt; names are in the order of the adds done."""
    return max((path.name for path in attempt.glob("at-*")), default="")


def _is_abandoned(attempt: Path) -> bool:
    """Whether nobody works on an attempt: its process is this one, which is done with it, or is gone."""
    name = attempt.name.split(_PARTIAL)[1].rsplit("-", 1)[0]
    return is_mine(name) or is_gone(name, attempt)


def _tail(folder: Path) -> str:
    """The last lines of the adapter's log, and where it is."""
    lines = (folder / "log.txt").read_text("utf-8", errors="replace").strip().splitlines()
    return f"Its log ends: {' | '.join(lines[-_LOG_LINES:])}" if lines else "Its log is empty."
