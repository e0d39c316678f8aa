"""Reading and writing times. A date that is present and cannot be parsed is an error, never a guess."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memforest.core.errors import DataError
from memforest.core.types import CLIP_SECONDS, Clock

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The calendar's years 1 to 9999, in seconds since 1970."""

_SPOKEN = re.compile(
    r"(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})\s*(?P<half>[ap]m)\s+on\s+)?"
    r"(?P<day>\d{1,2})\s+(?P<month>[a-z]+)\.?,?\s+(?P<year>\d{4})",
    re.IGNORECASE,
)
_SLASHED = re.compile(r"(\d{4})/(\d{2})/(\d{2})(?:\s+\([a-z]+\))?(?:\s+(\d{2}):(\d{2}))?", re.IGNORECASE)
"""LongMemEval's dates: 2023/05/30 (Tue) 23:40."""


def parse_time(value: object, *, where: str) -> float:
    """Seconds since 1970 UTC of a number or a string: ISO 8601, `1:56 pm on 8 May, 2023`, or LongMemEval's dates.

    Month names are read in English whatever the locale; a time without a zone is taken as UTC. `where` names file,
    unit and field for the error. Raises DataError.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and _FIRST <= value <= _LAST:
        return float(value)
    text = value.strip() if isinstance(value, str) else ""
    parsed = _spoken(text) or _slashed(text) or _iso(text)
    if parsed is None:
        raise DataError(
            f"{where}: cannot read the time {value!r}; write ISO 8601 (2023-05-08T13:56:00), "
            "'1:56 pm on 8 May, 2023', or seconds since 1970 (not milliseconds)"
        )
    return parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp()


def _spoken(text: str) -> datetime | None:
    match = _SPOKEN.fullmatch(text)
    if match is None:
        return None
    name = match["month"].lower()
    months = [number for number, month in enumerate(_MONTHS, 1) if name in (month, month[:3])]
    hour = int(match["hour"] or 12)
    if not months or not 1 <= hour <= 12:
        return None
    hour = hour % 12 + (12 if (match["half"] or "am").lower() == "pm" else 0)
    try:
        return datetime(int(match["year"]), months[0], int(match["day"]), hour, int(match["minute"] or 0))
    except ValueError:
        return None


def _slashed(text: str) -> datetime | None:
    match = _SLASHED.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute = (int(part or 0) for part in match.groups())
    try:
        return datetime(year, month, day, hour, minute)
    except ValueError:
        return None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def long_date(time: float) -> str:
    """A calendar time as `08 May 2023`."""
    date = datetime.fromtimestamp(time, tz=UTC)
    return f"{date.day:02d} {_MONTHS[date.month - 1].capitalize()} {date.year}"


def written_time(time: float | None, *, clock: Clock) -> str | None:
    """A time for a reader: `Monday 8 May 2023, 1:56 pm`, or of a video `clip 12 (371 s)`; None where there is none.

    A time at midnight is a date whose time of day was not given, and is written without one.
    """
    if time is None:
        return None
    if clock == "video":
        return f"clip {int(time // CLIP_SECONDS)} ({int(time)} s)"
    date = datetime.fromtimestamp(time, tz=UTC)
    day = f"{_WEEKDAYS[date.weekday()]} {date.day} {_MONTHS[date.month - 1].capitalize()} {date.year}"
    if not (date.hour or date.minute):
        return day
    return f"{day}, {date.hour % 12 or 12}:{date.minute:02d} {'pm' if date.hour >= 12 else 'am'}"


def spoken_time(time: float) -> str:
    """A calendar time as `1:56 pm on 8 May, 2023`, to the minute; `parse_time` reads it back."""
    date = datetime.fromtimestamp(time, tz=UTC)
    half = "am" if date.hour < 12 else "pm"
    month = _MONTHS[date.month - 1].capitalize()
    return f"{date.hour % 12 or 12}:{date.minute:02d} {half} on {date.day} {month}, {date.year:04d}"


def iso_date(time: float) -> str:
    """A calendar time's day as `2023-05-08`."""
    return datetime.fromtimestamp(time, tz=UTC).date().isoformat()
