"""Work under way: whoever asks for what another thread is at waits for it instead of doing it twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class Flights:
    """Results of work by key, as long as it lasts."""

    """Work under way, by key: whoever asks for what is under way waits for it instead of doing it twice."""

    def __init__(self) -> None:
        self._open: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()

    def share(self, key: str, work: Callable[[], Result]) -> tuple[Result, bool]:
        """The result of `work`, and whether it was another's; errors are shared too."""
        with self._lock:
            future = self._open.get(key)
            first = future is None
            if future is None:
                future = self._open[key] = Future()
        if not first:
            return future.result(), True
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(result)
            return result, False
        finally:
            with self._lock:
                del self._open[key]


FLIGHTS = Flights()
"""Of this process: a reply is paid once, whatever role, chat or thread asks for it."""
