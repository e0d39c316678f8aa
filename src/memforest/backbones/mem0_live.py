"""Mem0's memories of a history, ingested through the real library as the EventTree paper did."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memforest.backbones.mem0_attempts import MEMORIES, SUMMARY, Ingestion, read_adds
from memforest.backbones.mem0_environment import environment_facts, interpreter
from memforest.backbones.mem0_export import Mem0Record, time_of
from memforest.core.checks import require
from memforest.core.digests import digest
from memforest.core.errors import ConfigError, DataError
from memforest.core.progress import notice
from memforest.core.protocols import NotRunnable
from memforest.core.times import iso_date, spoken_time
from memforest.core.types import Session, Turn, Unit

_KEY = 32
_OPENAI = "https://api.openai.com"


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What can change what the library stores; the names are those of `conf/backbone/mem0.yaml`."""

    llm_model: str
    llm_temperature: float
    llm_max_tokens: int
    embedder_model: str
    embedder_dims: int
    vector_store: str
    infer: bool
    event_time_in_prompt: bool
    on_failure: str

    def __post_init__(self) -> None:
        require(0 <= self.llm_temperature <= 2, f"backbone.llm_temperature={self.llm_temperature} is not in [0, 2]")
        require(self.llm_max_tokens >= 1, f"backbone.llm_max_tokens={self.llm_max_tokens} must be at least 1")
        require(self.embedder_dims >= 1, f"backbone.embedder_dims={self.embedder_dims} must be at least 1")
        require(
            self.vector_store in ("qdrant", "faiss"),
            f"backbone.vector_store must be qdrant or faiss, got {self.vector_store!r}",
        )
        require(
            self.on_failure in ("stop", "skip"), f"backbone.on_failure must be stop or skip, got {self.on_failure!r}"
        )


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the servers are, and which environment variables hold their keys; the keys are written nowhere."""

    llm_base_url: str
    llm_key_env: str
    embedder_base_url: str
    embedder_key_env: str

    def require_keys(self) -> None:
        """Raises ConfigError when a key that OpenAI asks for is not in the environment."""
        for url, variable in (
            (self.llm_base_url, self.llm_key_env),
            (self.embedder_base_url, self.embedder_key_env),
        ):
            if url.startswith(_OPENAI) and not os.environ.get(variable):
                raise ConfigError(f"{url} asks for a key, and the environment variable {variable} is not set")


class LiveLibrary:
    """Ingests a unit into one store of its own, both speakers' views: `<speaker>_<index>` is the user of each."""

    def __init__(
        self,
        *,
        version: int,
        python: str | None,
        store_dir: str,
        batch_size: int,
        settings: LiveSettings,
        connection: Connection,
    ) -> None:
        require(version in (1, 2), f"backbone.version must be 1 or 2, the major version of mem0ai, got {version}")
        require(batch_size >= 1, f"backbone.batch_size={batch_size} must be at least 1")
        self._line = version
        self._python = interpreter(python, line=version)
        self._root = Path(store_dir)
        self._batch_size = batch_size
        self._settings = settings
        self._connection = connection

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of the library's versions and of the adapter; not runnable when two speakers have one name."""
        users = [user_of(unit, speaker) for speaker in unit.speakers]
        if len(set(users)) < len(users):
            return NotRunnable(unit.id, f"its speakers' users in Mem0 are not distinct: {', '.join(users)}")
        return digest(environment_facts(self._python, line=self._line))

    def stores(self, *, unit: Unit) -> list[tuple[str, list[Mem0Record]]]:
        """Speakers and their records. Raises BaselineError when the library fails, or an add that is not skipped."""
        adds = self._adds(unit)
        if not adds:
            return [(speaker, []) for speaker in unit.speakers]
        folder = self._ingested(unit, adds)
        stored = json.loads((folder / MEMORIES).read_bytes())
        order = order_of(read_adds(folder))
        return [
            (speaker, records_of(stored[user], user=user, order=order, unit=unit))
            for speaker in unit.speakers
            for user in [user_of(unit, speaker)]
        ]

    def _ingested(self, unit: Unit, adds: list[dict[str, Any]]) -> Path:
        """The folder of the complete ingestion. What it did is told once, when it is done."""
        settings = asdict(self._settings)
        environment = environment_facts(self._python, line=self._line)
        content = {"line": self._line, "settings": settings, "environment": environment, "adds": adds}
        # Whether failed adds are skipped changes nothing where none fails.
        counted = {**content, "settings": {**settings, "on_failure": None}}
        ingestion = Ingestion(
            root=self._root,
            key=digest(counted)[:_KEY],
            unit_id=unit.id,
            job={**content, "connection": asdict(self._connection)},
            python=self._python,
            skip_failures=self._settings.on_failure == "skip",
        )
        found = ingestion.finished()
        if found is not None:
            return found
        self._connection.require_keys()
        folder = ingestion.run()
        notice(summary_sentence(json.loads((folder / SUMMARY).read_bytes()), unit_id=unit.id))
        return folder

    def _adds(self, unit: Unit) -> list[dict[str, Any]]:
        """Batches of messages, session by session, for each speaker as the user in turn."""
        return [
            {
                "user_id": user_of(unit, speaker),
                "session": session.id,
                **_times(session, unit),
                "messages": [_message(turn, user=speaker) for turn in session.turns[start : start + self._batch_size]],
            }
            for session in unit.sessions
            for speaker in unit.speakers
            for start in range(0, len(session.turns), self._batch_size)
        ]


def user_of(unit: Unit, speaker: str) -> str:
    """A speaker's user id; mem0ai 2.x refuses blanks in it."""
    name = re.sub(r"\s+", "_", speaker.strip())
    return f"{name}_{unit.index}"


def order_of(adds: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The library's random ids -> the number of their ADD among those of the same user."""
    order: dict[str, int] = {}
    count: dict[str, int] = {}
    for record in adds:
        for event in record["events"]:
            if event["event"] == "ADD" and event["id"] not in order:
                order[event["id"]] = count.get(record["user_id"], 0)
                count[record["user_id"]] = order[event["id"]] + 1
    return order


def records_of(
    rows: Sequence[Mapping[str, Any]], *, user: str, order: Mapping[str, int], unit: Unit
) -> list[Mem0Record]:
    """Stored memories in insertion order: by the time of their last change, then by the ADD that made them.

    Ids are the user and the number of the ADD, since the library's own differ from run to run; a memory that the
    library stored without saying so comes last of its time.
    """
    sessions = {session.id: session for session in unit.sessions}
    last = len(order)

    def place(row: Mapping[str, Any]) -> tuple[int, str]:
        return order.get(row["id"], last), row["payload"]["data"]

    records = []
    for number, row in enumerate(sorted(rows, key=place)):
        session = sessions.get(row["payload"].get("session"))
        if session is None:
            raise DataError(f"unit {unit.id}: Mem0 holds a memory of {user} without one of the unit's sessions")
        name = str(order[row["id"]]) if row["id"] in order else f"unreported-{number}"
        records.append(
            Mem0Record(
                id=f"{user}/{name}",
                text=row["payload"]["data"],
                time=session.time,
                user_id=user,
                session_id=session.id,
            )
        )
    return sorted(records, key=time_of)


def summary_sentence(summary: Mapping[str, Any], *, unit_id: str) -> str:
    """What an ingestion did, for a person."""
    events = ", ".join(f"{count:,} {event}" for event, count in summary["events"].items()) or "no event"
    kept = sum(summary["memories"].values())
    parts = [f"mem0 live, unit {unit_id}: {summary['adds']:,} adds, {events}, {kept:,} memories left"]
    if failed := summary["failed_adds"]:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in failed.items())
        parts.append(f"failed adds: {sum(failed.values()):,} ({reasons})")
    for name in ("unreported", "missing"):
        if summary[name]:
            parts.append(f"memories {name}: {summary[name]:,}")
    return "; ".join(parts)


def _message(turn: Turn, *, user: str) -> dict[str, str]:
    role = "user" if turn.speaker == user else "assistant"
    return {"role": role, "content": f"{turn.speaker}: {turn.text}"}


def _times(session: Session, unit: Unit) -> dict[str, str | None]:
    """A session's time as the library is given it: in words beside each memory, as a date in the prompt."""
    if session.time is None or unit.clock != "calendar":
        return {"timestamp": None, "date": None}
    return {"timestamp": spoken_time(session.time), "date": iso_date(session.time)}
