"""Checks composed values against the kinds of the values in the YAML files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from memforest.config.folder import options, root_settings, settings, unknown
from memforest.config.spec import GROUPS
from memforest.core.errors import ConfigError


def check_values(raw: Mapping[str, Any]) -> None:
    """Raises ConfigError that names every setting of a choice whose value is of another kind than its default."""
    missing = [group for group in GROUPS if not isinstance(raw.get(group), Mapping)]
    unknown_keys = [key for key in raw if key not in (*GROUPS, *root_settings())]
    if unknown_keys:
        raise unknown("the option", unknown_keys[0], [*GROUPS, *(key for key in root_settings() if key != "defaults")])
    if missing:
        raise ConfigError(f"nothing is chosen for {' and '.join(missing)}; every run needs one of each")
    problems = [problem for group in GROUPS for problem in _problems(group, raw[group])]
    if problems:
        raise ConfigError("\n".join(problems))


def _problems(group: str, chosen: Mapping[str, Any]) -> Iterator[str]:
    name = chosen.get("name")
    defaults = settings(group, name) if name in options(group) else {}
    for key, default in defaults.items():
        kind = _KINDS.get(type(default))
        if key in ("name", "traits", "_target_") or kind is None or _interpolated(default):
            continue
        value = chosen.get(key)
        if value is None and (group == "llm" or key in defaults["traits"].get("nullable", ())):
            # Null is "not sent" for models; what must not be null is checked with the role that asks.
            continue
        accepted = (int, float) if type(default) is float else (type(default),)
        if not isinstance(value, accepted) or (isinstance(value, bool) and type(default) is not bool):
            yield f"{group}.{key}={value} must be {kind}, as its default {default} is"
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"{group}.{key}={value} must be a finite number; for no limit take a large one"


def _interpolated(default: object) -> bool:
    return isinstance(default, str) and "${" in default


_KINDS: Mapping[type, str] = {float: "a number", int: "a whole number", bool: "true or false", str: "a word"}
