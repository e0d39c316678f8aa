"""Mergers that wait, for tests: another merger's results after a while, and what it was like to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from memforest.core.outcomes import MergeResult
from memforest.core.protocols import Encode, Merger
from memforest.core.types import Pair
from memforest.core.vectors import Matrix
from memforest.mergers.concat import Concat


def no_vectors(texts: Sequence[str]) -> Matrix:
    """For mergers that do not ask for vectors."""
    raise AssertionError(texts)


class Waiting:
    """Asks another merger for each pair on its own, after `wait`, which may sleep, block or raise.

    Counts calls, and the most that were in flight at once.
    """

    def __init__(
        self,
        merger: Merger | None = None,
        *,
        wait: Callable[[Pair], None] = lambda pair: None,
        concurrency: int = 4,
        failures_in_a_row: int = 1000,
    ) -> None:
        self._merger = merger or Concat()
        self._wait = wait
        self._lock = threading.Lock()
        self.concurrency = concurrency
        self.failures_in_a_row = failures_in_a_row
        self.calls = 0
        self.returned = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.threads: set[int] = set()

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Pair by pair, in this thread."""
        return [self.merge_one(pair=pair) for pair in pairs]

    def merge_one(self, *, pair: Pair) -> MergeResult:
        """The other merger's result."""
        with self._lock:
            self.calls += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            self.threads.add(threading.get_ident())
        try:
            self._wait(pair)
            with self._lock:
                (result,) = self._merger.merge(pairs=[pair], encode=no_vectors)
                self.returned += 1
                return result
        finally:
            with self._lock:
                self.in_flight -= 1


def sleeping(seconds: float) -> Callable[[Pair], None]:
    """Waits so long, whatever the pair."""
    return lambda pair: time.sleep(seconds)
