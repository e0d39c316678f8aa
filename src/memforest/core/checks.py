"""Small checks of values, shared by constructors and readers."""

from __future__ import annotations

from memforest.core.errors import ConfigError


def require(condition: bool, message: str) -> None:
    """Raises ConfigError with `message` unless the condition holds."""
    if not condition:
        raise ConfigError(message)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; half of an emoji, as a cut export may hold, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
