"""From the settings that a run recorded back to its command and its spec."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memforest.config.compose import compose_spec
from memforest.config.folder import options, root_settings, settings
from memforest.config.overrides import default_options
from memforest.config.spec import GROUPS, MODELS, RunSpec
from memforest.core.errors import ConfigError

_WORD = re.compile(r"[A-Za-z_/][\w./-]*")
_NO_WORDS = ("null", "true", "false", "nan", "inf")


def recorded_spec(identity: Mapping[str, Any], *, extra: Sequence[str], outputs: Path) -> RunSpec:
    """The spec with this identity. `extra` are overrides of what is not part of it, such as where files lie.

    Raises ConfigError when `extra` changes what the run is, or the option files have changed.
    """
    spec = replace(compose_spec([*recorded_overrides(identity), *extra]), outputs=outputs)
    if spec.identity() != identity:
        if extra:
            raise ConfigError(f"{' '.join(extra)} makes another run; only what is not in a run's id can be set here")
        raise ConfigError(f"the option files are not those of the run; make it anew with: {command(identity, outputs)}")
    return spec


def command(identity: Mapping[str, Any], outputs: Path) -> str:
    """The command line of the run, up to settings that are not recorded, such as where files lie."""
    where = [] if str(outputs) == root_settings()["paths"]["outputs"] else [f"paths.outputs={outputs}"]
    return shlex.join(["python", "run.py", *recorded_overrides(identity), *where])


def recorded_overrides(identity: Mapping[str, Any]) -> list[str]:
    """Overrides that compose a spec with this identity: whatever differs from the defaults."""
    chosen = {group: dict(identity[group]) for group in GROUPS if identity.get(group) is not None}
    models = {role: model for choice in chosen.values() for role, model in choice.pop(MODELS, {}).items()}
    return [
        *(f"{group}={choice['name']}" for group, choice in chosen.items() if choice["name"] != _default(group)),
        *(override for group, choice in chosen.items() for override in _changed(group, choice)),
        *_models(models),
        *(
            f"{name}={_written(value)}"
            for name, value in identity.items()
            if name not in GROUPS and value is not None and value != root_settings()[name]
        ),
    ]


def _models(models: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The models of each role, to be replayed from the cache: where they were served is not recorded.

    What is the same for all roles is said once. Null in a role means "as above", so what is null for one role is null
    above, and the others say what they have.
    """
    if not models:
        return
    yield "llm=replay"
    asked = {role: _as_settings(model) for role, model in models.items()}
    above = dict(settings("llm", "replay"))
    for name in next(iter(asked.values())):
        values = [model[name] for model in asked.values()]
        shared = values[0] if all(value == values[0] for value in values) else None
        if (shared is not None or None in values) and shared != above[name]:
            above[name] = shared
            yield f"llm.{name}={_written(shared)}"
        yield from (
            f"llm.roles.{role}.{name}={_written(model[name])}"
            for role, model in asked.items()
            if model[name] is not None and model[name] != above[name]
        )


def _as_settings(model: Mapping[str, Any]) -> dict[str, Any]:
    """A model's identity under the names of settings; a file of weights and a script are known by their hashes."""
    names = {"weights": "weights_sha256", "script": "script_sha256"}
    return {names.get(name, name): None if value == {} else value for name, value in model.items()}


def _default(group: str) -> str:
    return default_options()[group]


def _changed(group: str, choice: Mapping[str, Any]) -> Iterator[str]:
    """Settings of a choice that are not those of its file; what the file does not have, or is no setting, is added."""
    known = settings(group, choice["name"]) if choice["name"] in options(group) else {}
    for key, value in choice.items():
        if key not in known or value != known[key]:
            added = "" if key in known and key != "_target_" else "++"
            yield f"{added}{group}.{key}={_written(value)}"


def _written(value: Any) -> str:
    """A value in Hydra's grammar."""
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) and value.lower() not in _NO_WORDS else json.dumps(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_written(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)
