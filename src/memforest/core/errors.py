"""Errors that users meet. Each says what was wrong, where, and what to do."""

from __future__ import annotations

UNFINISHED = 3
"""Exit status of a command that ended well but for failed calls, which the same command makes again."""


class MemforestError(Exception):
    """Base of every error that is shown to the user as one message, without a traceback."""


class ConfigError(MemforestError):
    """The asked configuration is impossible: an unknown name, a value out of range, an incompatible pair."""


class DataError(MemforestError):
    """An input file is missing, is not what it claims to be, or holds a value that cannot be read."""


class StoreError(MemforestError):
    """A stored artifact or run is damaged or does not match its manifest."""


class MethodError(MemforestError):
    """A method broke its protocol: wrong node count, lost lineage, too many hits."""


class MissingExtraError(MemforestError):
    """An optional package is absent; the message carries the install command."""


class CallsFailedError(MemforestError):
    """A server of language models fails again and again."""


class BudgetError(MemforestError):
    """The money that a run may spend on language models is spent."""


class ReplayError(MemforestError):
    """A reply is asked for that is not recorded, and nothing may be asked of a model."""


class ServiceError(MemforestError):
    """A server cannot be reached, refuses, or answers what cannot be read; the message says what to do."""


class BaselineError(MemforestError):
    """Another people's system, run in an environment of its own, failed."""
