"""What can go wrong with one call, by the reasons of `core.chat.FAILURES`."""

from __future__ import annotations

RETRIED = ("rate limited", "server error", "timeout", "connection lost")
"""Reasons that another attempt may mend."""

DETAIL_LENGTH = 400


class CallError(Exception):
    """A call that gave no reply. `retry_after` is what the server asked to wait, in seconds."""

    def __init__(self, reason: str, detail: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail[:DETAIL_LENGTH]
        self.retry_after = retry_after

    @property
    def may_pass(self) -> bool:
        """Whether another attempt may succeed."""
        return self.reason in RETRIED


def status_fault(status: int, message: str, *, code: str | None = None, retry_after: float | None = None) -> CallError:
    """The fault behind an HTTP status above 399. A quota that is used up is a refusal: waiting does not refill it."""
    if status == 429 and code != "insufficient_quota":
        reason = "rate limited"
    elif status == 408:
        reason = "timeout"
    elif status >= 500:
        reason = "server error"
    else:
        reason = "request refused"
    return CallError(reason, f"{status}: {message}", retry_after=retry_after)
