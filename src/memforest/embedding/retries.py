"""Asking a server again when what went wrong may pass: too many requests, an error of its own, a lost connection."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from memforest.core.servers import retry_after

LONGEST_PAUSE = 60.0
"""Seconds; a server that asks for more is asked again after this."""

Reply = TypeVar("Reply")
Pause = Callable[[float], bool]
"""Waits so many seconds and says whether to give up, as `threading.Event.wait` does."""


class MalformedReplyError(Exception):
    """The server answered, but not what was asked for."""


def with_retries(ask: Callable[[], Reply], *, attempts: int, pause: Pause) -> Reply:
    """What `ask` returns; a passing error is followed by a pause and, at most `attempts` times in all, another try."""
    for attempt in range(attempts - 1):
        try:
            return ask()
        except Exception as error:
            if not passes(error) or pause(pause_before_retry(error, attempt)):
                raise
    return ask()


def passes(error: Exception) -> bool:
    """Whether the same request may succeed later. An exhausted quota does not come back by waiting."""
    import openai

    if isinstance(error, openai.APIStatusError):
        passing = error.status_code in (408, 409, 429) or error.status_code >= 500
        return passing and error.code != "insufficient_quota"
    return isinstance(error, (openai.APIConnectionError, MalformedReplyError))


def pause_before_retry(error: Exception, attempt: int) -> float:
    """Seconds: what the server asks for, else half a second doubled with every attempt, less up to half by chance so
    that those who failed together do not return together."""
    response = getattr(error, "response", None)
    asked = None if response is None else retry_after(response.headers)
    if asked is not None:
        return min(asked, LONGEST_PAUSE)
    return min(0.5 * 2.0**attempt, LONGEST_PAUSE) * (1 - random.random() / 2)
