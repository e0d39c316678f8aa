"""Scripts of models for tests: what they reply and which faults they have, as functions of the request."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.checks import require
from memforest.core.digests import canonical_json, digest, file_digest
from memforest.core.errors import ConfigError
from memforest.core.json_keys import unique_keys

FAULTS = ("timeout", "dropped", "cut off", "empty", "refused", "malformed", "exception")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong in place of a reply: an HTTP status such as "429", or one of FAULTS."""

    kind: str
    retry_after: float | None = None

    def __post_init__(self) -> None:
        known = self.kind in FAULTS or (self.kind.isdigit() and 400 <= int(self.kind) <= 599)
        require(known, f"llm.script: {self.kind!r} is no fault; known: a status from 400 to 599, {', '.join(FAULTS)}")


Step = str | Fault
Steps = Step | Sequence[Step]
"""What a request meets: one step always, or one for each attempt at it, the last again and again."""

Respond = Callable[[str, ChatRequest], Steps]
"""A script as a function of role and request."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Holds for requests of a role (None: any) that contain a text, and where `call` is given only for the distinct
    request of that number. `times` is how many attempts a fault lasts; None: all."""

    step: Step
    role: str | None
    contains: str
    call: int | None
    times: int | None

    def holds(self, role: str, request: ChatRequest, number: int) -> bool:
        """Whether the rule is for this request, the `number`th distinct one of its role."""
        said = "\n".join(message.text for message in request.messages)
        return self.role in (None, role) and self.contains in said and self.call in (None, number)


@dataclass(frozen=True, slots=True)
class RuleScript:
    """A JSON script: the first fault that holds, then the first reply."""

    replies: tuple[Rule, ...]
    faults: tuple[Rule, ...]

    @property
    def counts_calls(self) -> bool:
        """Whether a rule goes by the order of requests."""
        return any(rule.call is not None for rule in (*self.replies, *self.faults))

    def steps(self, role: str, request: ChatRequest, number: int) -> tuple[Step, ...]:
        """What the attempts at a request meet."""
        reply = next((rule.step for rule in self.replies if rule.holds(role, request, number)), None)
        if reply is None:
            raise ConfigError(
                f"llm.script has no reply for the role {role} to {request.messages[-1].text[:60]!r}; add one that "
                "holds always"
            )
        fault = next((rule for rule in self.faults if rule.holds(role, request, number)), None)
        if fault is None:
            return (reply,)
        return (fault.step,) if fault.times is None else (*[fault.step] * fault.times, reply)


Script = Respond | tuple[Step, ...] | RuleScript


def load_script(script: str) -> Script:
    """The function, list or rules that `module:name` or a JSON file hold. Raises ConfigError."""
    if _is_file(script):
        return _parsed(_content(script))
    module, _, name = script.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"llm.script={script} cannot be loaded: {error}") from error
    if callable(found):
        return found  # type: ignore[no-any-return]
    require(isinstance(found, list | tuple), f"llm.script={script} is neither a function nor a list")
    return tuple(found)


def script_digest(script: str) -> str:
    """sha256 of all that a script may reply. The faults of a JSON file are no part of it: they change no reply."""
    if _is_file(script):
        content = _content(script)
        return digest(content["replies"] if isinstance(content, dict) else content)
    module, _, name = script.partition(":")
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"llm.script={script} cannot be found: {error}") from error
    if found is None or found.origin is None or not name:
        raise ConfigError(f"llm.script={script} is neither module:name nor the path of a JSON file")
    return digest([file_digest(Path(found.origin)), name])


def _is_file(script: str) -> bool:
    if not script.endswith(".json"):
        return False
    require(Path(script).is_file(), f"llm.script={script} is no file")
    return True


def _content(script: str) -> Any:
    try:
        return json.loads(Path(script).read_text("utf-8"), object_pairs_hook=unique_keys)
    except (OSError, ValueError) as error:
        raise ConfigError(f"llm.script={script} cannot be read as JSON: {error}") from error


def _parsed(content: Any) -> Script:
    if isinstance(content, list):
        return tuple(_step(item) for item in content)
    try:
        return RuleScript(
            replies=tuple(_rule(item, "reply") for item in content["replies"]),
            faults=tuple(_rule({"times": None, **item}, "fault") for item in content.get("faults", [])),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            "llm.script: a JSON script is a list of replies, or {replies: [{reply, role, contains}], "
            f"faults: [{{fault, role, contains, call, times}}]}} ({error!r})"
        ) from error


def _rule(item: Any, kind: str) -> Rule:
    known = {"reply", "fault", "role", "contains", "call", "times", "retry_after"}
    require(
        set(item) <= known, f"llm.script: a rule has {sorted(set(item) - known)}; known: {', '.join(sorted(known))}"
    )
    step = Fault(str(item["fault"]), item.get("retry_after")) if kind == "fault" else _text(item["reply"])
    return Rule(step, item.get("role"), item.get("contains", ""), item.get("call"), item.get("times"))


def _step(item: Any) -> Step:
    if isinstance(item, dict) and set(item) <= {"fault", "retry_after"}:
        return Fault(str(item["fault"]), item.get("retry_after"))
    return _text(item)


def _text(item: Any) -> str:
    return item if isinstance(item, str) else canonical_json(item)
