"""Small checks of values, shared by constructors and readers."""

from __future__ import annotations

from memforest.core.errors import ConfigError


def require(condition: bool, message: str) -> None:
    """Raises ConfigError with `message` unless the condition holds."""
    if not condition:
        raise ConfigError(message)


def require_count_or_null(name: str, value: object) -> None:
    """Raises ConfigError unless `value` is None or a whole number of at least 1."""
    good = value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1)
    require(good, f"{name} must be a whole number of at least 1 or null, got {value}")


def require_count(name: str, value: object) -> None:
    """Raises ConfigError unless `value` is a whole number of at least 1."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    require(good, f"{name} must be a whole number of at least 1, got {value}")


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; half of an emoji, as a cut export may hold, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
