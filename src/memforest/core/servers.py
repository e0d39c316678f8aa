"""What servers say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, from a number or a date; None where it does not say."""
    if milliseconds := _number(headers.get("retry-after-ms")):
        return milliseconds / 1000
    text = headers.get("retry-after")
    if text is None or (seconds := _number(text)) is not None:
        return None if text is None else seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
