"""Progress bars on standard error, only where a person is watching, and notices between them."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

from tqdm import tqdm


class Progress:
    """A bar that appears after a second; `total` None counts without an end. Safe to advance from several threads."""

    def __init__(self, name: str, total: int | None) -> None:
        self._bar: Any = tqdm(total=total, desc=name, delay=1, disable=None, leave=False)
        self._lock = threading.Lock()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def advance(self, steps: int) -> None:
        """Count `steps` more."""
        with self._lock:
            self._bar.update(steps)


def notice(text: str) -> None:
    """A line on standard error that bars do not overwrite."""
    tqdm.write(f"notice: {text}", file=sys.stderr)
