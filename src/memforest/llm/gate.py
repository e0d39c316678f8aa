"""One server's door: how many may be inside, how many may enter per minute, and when it is closed."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from memforest.core.chat import ChatRequest
from memforest.llm.completions import RawReply
from memforest.llm.pace import Bucket, Pace
from memforest.llm.settings import RoleSettings

CHARACTERS_PER_TOKEN = 4


class Gate:
    """Shared by all roles that ask one server; the strictest of their limits hold. Thread-safe."""

    def __init__(
        self, *, concurrency: int, requests_per_minute: float | None, tokens_per_minute: float | None, pace: Pace
    ) -> None:
        self._concurrency = concurrency
        self._inside = 0
        self._left = threading.Condition()
        self._requests = _Limit(requests_per_minute, pace)
        self._tokens = _Limit(tokens_per_minute, pace)
        self._closed_until = 0.0
        self._pace = pace

    def narrow(self, *, concurrency: int, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        """Hold the limits of one more role too."""
        self._concurrency = min(self._concurrency, concurrency)
        self._requests.narrow(requests_per_minute)
        self._tokens.narrow(tokens_per_minute)

    @contextmanager
    def place(self, *, tokens: float) -> Iterator[None]:
        """A place for one call of about `tokens` tokens; waits for it."""
        with self._left:
            self._left.wait_for(lambda: self._inside < self._concurrency)
            self._inside += 1
        try:
            waits = (self._closed_until - self._pace.now(), self._requests.take(1), self._tokens.take(tokens))
            if max(waits) > 0:
                self._pace.sleep(max(waits))
            yield
        finally:
            with self._left:
                self._inside -= 1
                self._left.notify()

    def used(self, *, expected: float, raw: RawReply) -> None:
        """Correct the count of tokens once a reply says how many there were."""
        if raw.usage:
            self._tokens.correct(raw.usage.input + raw.usage.output - expected)

    def close(self, *, seconds: float) -> None:
        """Let nobody enter for a while: the server asked for it."""
        self._closed_until = max(self._closed_until, self._pace.now() + seconds)


class _Limit:
    """A limit per minute that can be narrowed; None is none."""

    def __init__(self, per_minute: float | None, pace: Pace) -> None:
        self._per_minute = math.inf if per_minute is None else per_minute
        self._pace = pace
        self._bucket = None if per_minute is None else Bucket(per_minute=per_minute, pace=pace)

    def narrow(self, per_minute: float | None) -> None:
        if per_minute is not None and per_minute < self._per_minute:
            self._per_minute, self._bucket = per_minute, Bucket(per_minute=per_minute, pace=self._pace)

    def take(self, amount: float) -> float:
        """Seconds to wait before using `amount`."""
        return 0.0 if self._bucket is None else self._bucket.take(amount)

    def correct(self, amount: float) -> None:
        if self._bucket is not None:
            self._bucket.correct(amount)


Server = tuple[str, str | None, str | None]
_gates: WeakValueDictionary[Server, Gate] = WeakValueDictionary()
_lock = threading.Lock()


def gate_of(settings: RoleSettings, *, pace: Pace) -> Gate:
    """The gate of the server that `settings` name, with their limits beside those of the roles that came before."""
    place = settings.base_url or settings.weights or settings.script or settings.model
    server = (settings.provider, place, settings.api_key_env)
    with _lock:
        gate = _gates.get(server)
        if gate is None:
            gate = _gates[server] = Gate(
                concurrency=settings.concurrency,
                requests_per_minute=settings.requests_per_minute,
                tokens_per_minute=settings.tokens_per_minute,
                pace=pace,
            )
        gate.narrow(
            concurrency=settings.concurrency,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
        )
        return gate


def expected_tokens(request: ChatRequest, settings: RoleSettings) -> float:
    """About how many tokens a call takes: a quarter of the characters, and the longest reply."""
    return said_tokens(request) + (settings.max_tokens or 0)


def said_tokens(request: ChatRequest) -> float:
    """About how many tokens a request has."""
    return sum(len(message.text) for message in request.messages) / CHARACTERS_PER_TOKEN
