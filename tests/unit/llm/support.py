"""Chats for tests: settings from the YAML with changes, clocks that nobody waits for, and questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from memforest.config.folder import settings
from memforest.core.chat import ChatRequest, Message
from memforest.llm.client import ModelChat
from memforest.llm.ledger import Ledger
from memforest.llm.open import open_chat
from memforest.llm.pace import Pace
from memforest.llm.settings import RoleSettings, role_settings

YES_OR_NO = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["YES", "NO"]}},
    "required": ["label"],
    "additionalProperties": False,
}


@dataclass
class Clock:
    """A clock that moves only when somebody sleeps, and remembers how long each did."""

    time: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def pace(self, *, draw: float = 1.0) -> Pace:
        return Pace(now=self.now, sleep=self.sleep, draw=lambda: draw)


def resolved(option: str = "scripted", *, role: str = "merge", **changes: Any) -> RoleSettings:
    """The settings of a role, with changes to its group; `roles={...}` changes those of roles."""
    group = settings("llm", option)
    roles = {name: {**own, **changes.get("roles", {}).get(name, {})} for name, own in group["roles"].items()}
    return role_settings({**group, **changes, "roles": roles}, role, presets=partial(settings, "llm"))


def chat(
    folder: Path,
    *,
    option: str = "scripted",
    role: str = "merge",
    ledger: Ledger | None = None,
    pace: Pace | None = None,
    **changes: Any,
) -> ModelChat:
    """An open chat."""
    return open_chat(
        resolved(option, role=role, **changes),
        role=role,
        cache=folder,
        ledger=ledger if ledger is not None else Ledger(),
        pace=pace,
    )


def ask(text: str = "Who is Ada?", *, schema: Any = None, sample: int = 0) -> ChatRequest:
    """A question."""
    return ChatRequest((Message("system", "Be brief."), Message("user", text)), schema=schema, sample=sample)


def files(folder: Path) -> list[Path]:
    """The kept replies."""
    return sorted(folder.rglob("*.json"))
