"""What every format of chat histories becomes: owners, their conversations, what was said; and from there units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from memforest.core.order import filled_times
from memforest.core.times import parse_time
from memforest.core.types import Session, Turn, Unit
from memforest.datasets.schema import Schema


@dataclass(frozen=True, slots=True)
class Said:
    """One message; `time` in seconds since 1970, None where the file has none."""

    speaker: str
    text: str
    time: float | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in their order, and when they began, if that is known."""

    said: tuple[Said, ...]
    time: float | None


@dataclass(frozen=True, slots=True)
class Export:
    """Conversations by the name of their owner, in file order, and how often something irregular was met."""

    owners: dict[str, list[Conversation]]
    oddities: Counter[str] = field(default_factory=Counter)


def unit_of(name: str, conversations: Sequence[Conversation], *, index: int) -> Unit:
    """A unit of all conversations as sessions D1, D2, ... in order of time; an absent time means file order."""
    places = np.argsort(filled_times([conversation.time for conversation in conversations]), kind="stable")
    ordered = [conversations[place] for place in places]
    return Unit(
        id=name,
        index=index,
        speakers=tuple(dict.fromkeys(said.speaker for conversation in ordered for said in conversation.said)),
        sessions=tuple(_session(conversation, number) for number, conversation in enumerate(ordered, 1)),
    )


def _session(conversation: Conversation, number: int) -> Session:
    name = f"D{number}"
    turns = tuple(
        Turn(id=f"{name}:{place}", session_id=name, speaker=said.speaker, text=said.text)
        for place, said in enumerate(conversation.said, 1)
    )
    return Session(id=name, number=number, time=conversation.time, turns=turns)


def conversation(said: Sequence[Said], *, time: float | None) -> Conversation:
    """A conversation that began at `time`, or when its first message with a time was sent."""
    return Conversation(
        tuple(said), next((item.time for item in said if item.time is not None), None) if time is None else time
    )


def days(said: Sequence[Said]) -> list[Conversation]:
    """A log without conversations, cut where the day changes (UTC); sorted by time, an absent time means file order."""
    ordered = [said[place] for place in np.argsort(filled_times([item.time for item in said]), kind="stable")]
    cut: list[list[Said]] = []
    today: str | None = None
    for item in ordered:
        day = None if item.time is None else datetime.fromtimestamp(item.time, tz=UTC).strftime("%Y-%m-%d")
        if not cut or (day is not None and today is not None and day != today):
            cut.append([])
        today = day or today
        cut[-1].append(item)
    return [conversation(part, time=None) for part in cut]


def time_of(schema: Schema, record: object, key: str, *, where: str) -> float | None:
    """The time at `key`; None where it is missing or null. Raises DataError for a date that cannot be read."""
    value = schema.optional(record, key, object, where=where)
    return None if value is None else parse_time(value, where=f"{where}, {key}")
