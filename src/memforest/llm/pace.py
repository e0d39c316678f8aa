"""Waiting: the clock, pauses between attempts, and limits per minute. Nothing here can change a reply."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 300.0
"""Seconds: a server that asks for more is not waited for."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A clock in seconds, a way to wait, and a number drawn evenly from [0, 1]; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random

    def pause(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the next attempt after `attempt` failed ones: full jitter under a doubling limit, and never
        less than what the server asked for."""
        jitter = self.draw() * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
        return max(jitter, retry_after or 0.0)


AT_ONCE = Pace(sleep=lambda _: None)
"""For scripted models: there is nobody to wait for."""


class Bucket:
    """A limit per minute: at most `per_minute` in any 60 seconds, with bursts of a second's worth (at least one).

    More than a burst may be taken at once; those who follow then wait the longer.
    """

    def __init__(self, *, per_minute: float, pace: Pace) -> None:
        self._burst = max(1.0, per_minute / 60)
        self._per_second = (per_minute - self._burst + 1) / 60
        self._level = self._burst
        self._pace = pace
        self._then = pace.now()
        self._lock = threading.Lock()

    def take(self, amount: float) -> float:
        """Take `amount`; returns the seconds to wait before using it."""
        with self._lock:
            now = self._pace.now()
            self._level = min(self._burst, self._level + (now - self._then) * self._per_second)
            self._then = now
            self._level -= amount
            return max(0.0, -self._level / self._per_second)

    def correct(self, amount: float) -> None:
        """Take `amount` more, or give back where it is negative, once what was really used is known."""
        with self._lock:
            self._level -= amount
