"""`provider=scripted`: a model of rules, through the same client as every other, so that its faults are real ones."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence

from memforest.core.chat import ChatRequest
from memforest.core.checks import require
from memforest.core.digests import digest
from memforest.core.errors import ConfigError
from memforest.llm.cache import asked
from memforest.llm.completions import RawReply, Usage
from memforest.llm.faults import CallError, status_fault
from memforest.llm.script import Fault, RuleScript, Step, load_script, script_digest
from memforest.llm.settings import RoleSettings


class Scripted:
    """Replies and faults are functions of the request and of how often it was tried, never of the order of calls.

    Only a list, and rules for the nth request, go by order; they need `llm.concurrency=1` (ConfigError otherwise).
    """

    def __init__(self, settings: RoleSettings, *, role: str) -> None:
        assert settings.script is not None
        if settings.script_sha256 is not None:
            found, expected = script_digest(settings.script), settings.script_sha256
            require(
                found == expected,
                f"llm.script={settings.script} has sha256 {found}, but llm.script_sha256={expected}",
            )
        self._role = role
        self._settings = settings
        self._script = load_script(settings.script)
        ordered = isinstance(self._script, tuple) or (
            isinstance(self._script, RuleScript) and self._script.counts_calls
        )
        require(
            not ordered or settings.concurrency == 1,
            f"llm.script={settings.script} goes by the order of calls, which needs llm.concurrency=1",
        )
        self._tries: defaultdict[str, int] = defaultdict(int)
        self._numbers: dict[str, int] = {}
        self._calls = 0
        self._lock = threading.Lock()

    def send(self, *, request: ChatRequest) -> RawReply:
        """What the script says to this attempt at `request`."""
        step = self._step(request)
        if isinstance(step, Fault):
            return _faulty(step, request)
        return _raw(step, request)

    def _step(self, request: ChatRequest) -> Step:
        key = digest(asked(identity={}, request=request))
        with self._lock:
            self._tries[key] += 1
            self._calls += 1
            tries, call = self._tries[key], self._calls
            number = self._numbers.setdefault(key, len(self._numbers) + 1)
        if isinstance(self._script, tuple):
            return self._listed(self._script, call)
        if isinstance(self._script, RuleScript):
            return _at(self._script.steps(self._role, request, number), tries)
        return _at(self._script(self._role, request), tries)

    def _listed(self, steps: Sequence[Step], call: int) -> Step:
        if call > len(steps):
            raise ConfigError(f"llm.script={self._settings.script} has {len(steps)} replies; call {call} has none")
        return steps[call - 1]


def _at(steps: Step | Sequence[Step], tries: int) -> Step:
    """The step for one attempt; the last one stays."""
    if isinstance(steps, str | Fault):
        return steps
    return steps[min(tries, len(steps)) - 1]


def _raw(text: str, request: ChatRequest, *, finish_reason: str = "stop", refusal: str | None = None) -> RawReply:
    said = sum(len(message.text.split()) for message in request.messages)
    usage = Usage(input=said, cached=0, output=len(text.split()))
    return RawReply(text, finish_reason, refusal, "scripted", None, usage)


def _faulty(fault: Fault, request: ChatRequest) -> RawReply:
    """What a fault comes back as. Raises CallError, or what a broken provider might."""
    if fault.kind.isdigit():
        raise status_fault(int(fault.kind), "as the script says", retry_after=fault.retry_after)
    if fault.kind == "timeout":
        raise CallError("timeout", "as the script says")
    if fault.kind == "dropped":
        raise CallError("connection lost", "as the script says")
    if fault.kind == "exception":
        raise RuntimeError("as the script says")
    if fault.kind == "cut off":
        return _raw('{"cut', request, finish_reason="length")
    if fault.kind == "refused":
        return _raw("", request, refusal="as the script says")
    return _raw("" if fault.kind == "empty" else "{this is no JSON", request)
