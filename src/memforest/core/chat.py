"""What is asked of a language model, and what comes back. The client is in `llm/`; those who ask know only this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from memforest.core.types import Json

ROLES = ("merge", "extract", "summarise", "plan", "answer", "judge")
"""What models are used for; each role has its own model and settings."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    author: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model.

    `schema` is the JSON schema that the reply must satisfy, if it is to be JSON; `sample` tells repeated calls with
    the same messages apart.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Json] | None = None
    sample: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A complete reply: its text, never empty, and the parsed value where a schema was asked for."""

    text: str
    value: Json = None


@dataclass(frozen=True, slots=True)
class ChatFailed:
    """No reply. `reason` is one of FAILURES and is counted; `detail` is for people and is never part of a result."""

    reason: str
    detail: str


FAILURES = (
    "rate limited",
    "server error",
    "timeout",
    "connection lost",
    "request refused",
    "reply cut off",
    "reply empty",
    "reply refused",
    "reply malformed",
    "exception",
)
"""Reasons of ChatFailed. `request refused` is a 4xx that no retry mends, `reply refused` a refusal or a content filter,
`reply malformed` one that is not JSON of the schema after one repair, `exception` any error of a provider."""

ChatOutcome = ChatReply | ChatFailed


class Chat(Protocol):
    """A model in one role."""

    @property
    def model(self) -> str:
        """The model's name, as in metrics and reports."""

    @property
    def concurrency(self) -> int:
        """How many calls may be in flight at once; more callers wait."""

    def ask(self, *, request: ChatRequest) -> ChatOutcome:
        """One reply; thread-safe. Raises MemforestError for what concerns all calls: a budget that is spent, a
        recording that lacks the reply, a missing key."""
