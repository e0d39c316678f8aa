"""What one role is asked of: the settings of `conf/llm`, resolved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from memforest.core.chat import ROLES
from memforest.core.checks import require
from memforest.core.digests import file_digest
from memforest.core.errors import ConfigError
from memforest.core.types import Json
from memforest.llm.script import script_digest

PROVIDERS = ("none", "openai", "vllm", "vllm_engine", "local", "scripted", "replay")
STRUCTURED = ("json_schema", "json_object", "prompt")
WHOLE_RUN = ("recording", "replay_only", "budget", "prices")
"""Settings of the group that hold for every role, a preset's too."""
LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout_seconds", "attempts")
"""Settings of the group that hold for a preset too, unless the preset's file says something else than `none`'s."""


_TEXTS = (
    "model",
    "base_url",
    "api_key_env",
    "weights",
    "weights_sha256",
    "script",
    "script_sha256",
    "recording",
    "prices",
)


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """The settings of one role. Raises ConfigError for a value out of range; `require_complete` for one that lacks."""

    provider: str
    model: str | None
    base_url: str | None
    api_key_env: str | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    max_tokens_name: str
    seed: int | None
    extra_body: Mapping[str, Json] = field(hash=False)
    structured: str
    weights: str | None
    weights_sha256: str | None
    script: str | None
    script_sha256: str | None
    recording: str | None
    replay_only: bool
    concurrency: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    timeout_seconds: float
    attempts: int
    budget: float | None
    prices: str | None
    serve: Mapping[str, Any] = field(hash=False)

    def __post_init__(self) -> None:
        _one_of("llm.provider", self.provider, PROVIDERS)
        for name in _TEXTS:
            _text_or_null(f"llm.{name}", getattr(self, name))
        require(
            self.base_url is None or self.base_url.startswith(("http://", "https://")),
            f"llm.base_url={self.base_url} must begin with http:// or https://",
        )
        _one_of("llm.structured", self.structured, STRUCTURED)
        _one_of("llm.max_tokens_name", self.max_tokens_name, ("max_tokens", "max_completion_tokens"))
        _number("llm.temperature", self.temperature, least=0, nullable=True)
        _number("llm.top_p", self.top_p, least=0, nullable=True)
        _whole("llm.max_tokens", self.max_tokens, least=1, nullable=True)
        _whole("llm.seed", self.seed, least=0, nullable=True)
        _whole("llm.concurrency", self.concurrency, least=1)
        _whole("llm.attempts", self.attempts, least=1)
        _number("llm.requests_per_minute", self.requests_per_minute, above=0, nullable=True)
        _number("llm.tokens_per_minute", self.tokens_per_minute, above=0, nullable=True)
        _number("llm.timeout_seconds", self.timeout_seconds, above=0)
        _number("llm.budget", self.budget, least=0, nullable=True)
        require(isinstance(self.extra_body, Mapping), f"llm.extra_body must be a mapping, got {self.extra_body!r}")

    @property
    def name(self) -> str:
        """The model's name in metrics and reports: `model`, or for a local file its name."""
        if self.model is None and self.weights is not None and self._counts("local"):
            return Path(self.weights).stem
        return self.model or self.provider

    def identity(self) -> dict[str, Json]:
        """All that can change a reply, and nothing else.

        Where a model is reached does not count: replies of a server can be replayed from a recording. A local file and
        a script are known by their content. Raises ConfigError where that cannot be read.
        """
        return {
            "model": self.name,
            "temperature": _plain(self.temperature),
            "top_p": _plain(self.top_p),
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra_body": _plain(self.extra_body),
            "structured": self.structured,
            "weights": self._weights() if self._counts("local") else None,
            "script": self._script() if self._counts("scripted") else None,
        }

    def require_complete(self, *, role: str) -> None:
        """Raises ConfigError that says what to set before `role` can ask anything."""
        require(
            self.provider != "none",
            f"the role {role} needs a language model: choose one with llm=NAME (a file of conf/llm) or "
            f"llm.roles.{role}.preset=NAME",
        )
        for provider, setting, example in _NEEDED:
            if self.provider == provider:
                value = getattr(self, setting)
                require(bool(value), f"llm.provider={provider} needs llm.{setting} (role {role}); set it, {example}")

    def _counts(self, provider: str) -> bool:
        """Whether a setting of `provider` counts: what replays stands for what was recorded."""
        return self.provider in (provider, "replay")

    def _weights(self) -> str | None:
        if self.weights_sha256 is not None or self.weights is None:
            return self.weights_sha256
        return weights_digest(self.weights)

    def _script(self) -> str | None:
        if self.script_sha256 is not None or not self.script:
            return self.script_sha256
        return script_digest(self.script)


_NEEDED = (
    ("openai", "base_url", "for example llm.base_url=https://api.openai.com/v1"),
    ("openai", "model", "as the server calls it"),
    ("vllm", "base_url", "for example llm.base_url=http://127.0.0.1:8000/v1"),
    ("vllm", "model", "as the server calls it"),
    ("vllm_engine", "model", "a name or folder that vLLM can load"),
    ("local", "weights", "the path of a GGUF file"),
    ("scripted", "script", "module:name or the path of a JSON file"),
)


def role_settings(
    group: Mapping[str, Any], role: str, *, presets: Callable[[str], Mapping[str, Any]] | None = None
) -> RoleSettings:
    """The settings that hold for `role`: its own where they are not null, then its preset's, then the group's.

    `presets` gives the settings of a file of conf/llm by its name. What holds for a whole run is the group's, and a
    group that replays does so for every role. Whoever names a `base_url` and nothing else means a server of OpenAI's
    protocol. Raises ConfigError for an unknown role or a preset without `presets`.
    """
    if role not in ROLES:
        raise ConfigError(f"llm.roles.{role} does not exist; roles: {', '.join(ROLES)}")
    own = _own(group["roles"], role)
    base = dict(group)
    if own["preset"] is not None:
        require(presets is not None, f"llm.roles.{role}.preset={own['preset']} cannot be looked up here")
        assert presets is not None
        chosen, usual = presets(own["preset"]), presets("none")
        from_group = (*WHOLE_RUN, *(name for name in LIMITS if chosen[name] == usual[name]))
        base = {**chosen, **{name: group[name] for name in from_group}}
    base |= {name: value for name, value in own.items() if name != "preset" and value is not None}
    if base["provider"] == "none" and base["base_url"] is not None:
        base["provider"] = "openai"
    if group["provider"] == "replay":
        base["provider"] = "replay"
    base["extra_body"] = {} if base["extra_body"] is None else base["extra_body"]
    return RoleSettings(**{item.name: base[item.name] for item in fields(RoleSettings)})


def _own(roles: Any, role: str) -> Mapping[str, Any]:
    """What is said of one role alone."""
    require(isinstance(roles, Mapping), f"llm.roles must hold settings by role, got {roles!r}")
    own = roles.get(role)
    require(isinstance(own, Mapping), f"llm.roles.{role} must hold settings, got {own!r}")
    return own  # type: ignore[no-any-return]


_hashed: dict[tuple[str, int, int], str] = {}


def weights_digest(weights: str) -> str:
    """sha256 of a file of weights, hexadecimal; read once as long as the file does not change."""
    path = Path(weights)
    require(path.is_file(), f"llm.weights={weights} is no file; set it to the path of a GGUF file")
    state = path.stat()
    key = (str(path.resolve()), state.st_size, state.st_mtime_ns)
    if key not in _hashed:
        _hashed[key] = file_digest(path)
    return _hashed[key]


def _plain(value: Any) -> Any:
    """1.0 as 1, in mappings and lists too: equal settings have equal hashes."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    require(value in known, f"{name}={value} is none of {', '.join(known)}")


def _text_or_null(name: str, value: object) -> None:
    require(value is None or isinstance(value, str), f"{name}={value} must be a text or null")


def _number(
    name: str, value: Any, *, least: float = -math.inf, above: float = -math.inf, nullable: bool = False
) -> None:
    if nullable and value is None:
        return
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    bound = f"at least {least:g}" if math.isfinite(least) else f"above {above:g}"
    require(good and value >= least and value > above, f"{name}={value} must be a number {bound}")


def _whole(name: str, value: Any, *, least: int, nullable: bool = False) -> None:
    if nullable and value is None:
        return
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    require(good, f"{name}={value} must be a whole number of at least {least}")
