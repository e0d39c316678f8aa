"""How pairs get to a merger and back: all at once where it computes, each in a call of its own where it waits."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, PriorityQueue, SimpleQueue
from types import TracebackType
from typing import Protocol, Self

from memforest.core.errors import MethodError
from memforest.core.outcomes import MergeResult
from memforest.core.protocols import Encode, Merger, WaitingMerger
from memforest.pipeline.attempt import Attempt


class Courier(Protocol):
    """Takes attempts to a merger; used in a `with` statement."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def idle(self) -> bool:
        """Whether more could be on the way than is."""

    def send(self, attempts: Sequence[Attempt], *, urgency: int) -> None:
        """Take attempts; those of higher urgency go first where not all can go at once."""

    def arrived(self) -> list[Attempt]:
        """Attempts that have a result now; waits for one when none has. There must be one on its way."""


class AtOnce:
    """Everything that was sent is merged in one call when it is asked for."""

    def __init__(self, merger: Merger, encode: Encode) -> None:
        self._merger = merger
        self._encode = encode
        self._sent: list[Attempt] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sent = []

    @property
    def idle(self) -> bool:
        """Never: one call takes everything."""
        return False

    def send(self, attempts: Sequence[Attempt], *, urgency: int) -> None:
        """Keep attempts until they are asked for."""
        self._sent += attempts

    def arrived(self) -> list[Attempt]:
        """All that was sent. Raises MethodError when the merger returns another number of results."""
        sent, self._sent = self._sent, []
        results = self._merger.merge(pairs=[attempt.pair for attempt in sent], encode=self._encode)
        if len(results) != len(sent):
            raise MethodError(
                f"merger {type(self._merger).__name__} returned {len(results)} results for {len(sent)} pairs"
            )
        for attempt, result in zip(sent, results, strict=True):
            attempt.receive(result, self._merger)
        return sent


class InFlight:
    """As many calls at once as the merger wants, each in a thread of its own.

    An exception in a call is raised by `arrived`. No further call begins after it, and those in flight are waited for,
    so that what they return is not lost to a merger that remembers. An interrupt (Ctrl-C) waits for nothing: the
    threads are daemons and end with the process.
    """

    def __init__(self, merger: WaitingMerger) -> None:
        if merger.concurrency < 1:
            raise MethodError(f"merger {type(merger).__name__} wants {merger.concurrency} calls at once, not even one")
        self._merger = merger
        self._waiting: PriorityQueue[tuple[float, int, Attempt | None]] = PriorityQueue()
        self._back: SimpleQueue[tuple[Attempt, MergeResult | BaseException]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._sent = 0
        self._away = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in range(len(self._threads)):
            # Before all that waits: a thread that is done with its call takes this and ends.
            self._waiting.put((-math.inf, number, None))
        if kind is None or issubclass(kind, Exception):
            for thread in self._threads:
                thread.join()

    @property
    def idle(self) -> bool:
        """Whether fewer pairs are on the way than calls can be in flight."""
        return self._away < self._merger.concurrency

    def send(self, attempts: Sequence[Attempt], *, urgency: int) -> None:
        """Take attempts; of equal urgency, in the order in which they come."""
        for attempt in attempts:
            self._waiting.put((-urgency, self._sent, attempt))
            self._sent += 1
        self._away += len(attempts)
        while len(self._threads) < min(self._merger.concurrency, self._away):
            self._threads.append(threading.Thread(target=self._work, name="merger", daemon=True))
            self._threads[-1].start()

    def arrived(self) -> list[Attempt]:
        """All that has come back meanwhile. Raises what a call raised."""
        back = [self._back.get()]
        with suppress(Empty):
            while True:
                back.append(self._back.get_nowait())
        self._away -= len(back)
        for attempt, result in back:
            if isinstance(result, BaseException):
                raise result
            attempt.receive(result, self._merger)
        return [attempt for attempt, _ in back]

    def _work(self) -> None:
        while (attempt := self._waiting.get()[-1]) is not None:
            try:
                result: MergeResult | BaseException = self._merger.merge_one(pair=attempt.pair)
            except BaseException as error:
                result = error
            self._back.put((attempt, result))
