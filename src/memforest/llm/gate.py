"""One server's door: how many may be inside, how many may enter per minute, and when it is closed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from memforest.core.chat import ChatRequest
from memforest.llm.completions import RawReply
from memforest.llm.pace import Bucket, Pace
from memforest.llm.settings import RoleSettings

CHARACTERS_PER_TOKEN = 4


class Gate:
    """Shared by all roles that ask one server with the same limits; thread-safe."""

    def __init__(
        self, *, concurrency: int, requests_per_minute: float | None, tokens_per_minute: float | None, pace: Pace
    ) -> None:
        self._places = threading.BoundedSemaphore(concurrency)
        self._requests = None if requests_per_minute is None else Bucket(per_minute=requests_per_minute, pace=pace)
        self._tokens = None if tokens_per_minute is None else Bucket(per_minute=tokens_per_minute, pace=pace)
        self._closed_until = 0.0
        self._pace = pace

    @contextmanager
    def place(self, *, tokens: float) -> Iterator[None]:
        """A place for one call of about `tokens` tokens; waits for it."""
        with self._places:
            waits = [self._closed_until - self._pace.now()]
            waits += [self._requests.take(1)] if self._requests else []
            waits += [self._tokens.take(tokens)] if self._tokens else []
            if max(waits) > 0:
                self._pace.sleep(max(waits))
            yield

    def used(self, *, expected: float, raw: RawReply) -> None:
        """Correct the count of tokens once a reply says how many there were."""
        if self._tokens and raw.usage:
            self._tokens.correct(raw.usage.input + raw.usage.output - expected)

    def close(self, *, seconds: float) -> None:
        """Let nobody enter for a while: the server asked for it."""
        self._closed_until = max(self._closed_until, self._pace.now() + seconds)


_gates: WeakValueDictionary[_Door, Gate] = WeakValueDictionary()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Door:
    """What makes two roles go through one gate."""

    server: tuple[str, str | None, str | None]
    concurrency: int
    requests_per_minute: float | None
    tokens_per_minute: float | None


def gate_of(settings: RoleSettings, *, pace: Pace) -> Gate:
    """The gate of the server that `settings` name."""
    place = settings.base_url or settings.weights or settings.script or settings.model
    door = _Door(
        server=(settings.provider, place, settings.api_key_env),
        concurrency=settings.concurrency,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
    )
    with _lock:
        gate = _gates.get(door)
        if gate is None:
            gate = Gate(
                concurrency=door.concurrency,
                requests_per_minute=door.requests_per_minute,
                tokens_per_minute=door.tokens_per_minute,
                pace=pace,
            )
            _gates[door] = gate
        return gate


def expected_tokens(request: ChatRequest, settings: RoleSettings) -> float:
    """About how many tokens a call takes: a quarter of the characters, and the longest reply."""
    said = sum(len(message.text) for message in request.messages) / CHARACTERS_PER_TOKEN
    return said + (settings.max_tokens or 0)
