"""Where the YAML files are, and what they offer: looked up without Hydra, so that mistakes are met at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import memforest
from memforest.core.errors import ConfigError


def conf_folder() -> Path:
    """The `conf` folder: inside an installed wheel, or at the root of a checkout."""
    package = Path(memforest.__file__).parent
    for folder in (package / "conf", package.parent.parent / "conf"):
        if (folder / "config.yaml").is_file():
            return folder
    raise ConfigError(f"the configuration files are missing beside {package}; reinstall memforest")


def options(group: str) -> list[str]:
    """Names that `group=` takes."""
    return sorted(path.stem for path in (conf_folder() / group).glob("*.yaml"))


def groups() -> list[str]:
    """Folders of options."""
    return sorted(path.name for path in conf_folder().iterdir() if path.is_dir())


@cache
def settings(group: str, option: str) -> dict[str, Any]:
    """All settings of one option, those of the files it builds on included."""
    raw: dict[str, Any] = yaml.safe_load((conf_folder() / group / f"{option}.yaml").read_text("utf-8")) or {}
    merged: dict[str, Any] = {}
    for base in raw.pop("defaults", []):
        if base != "_self_":
            merged = _overlaid(merged, settings(group, base))
    return _overlaid(merged, raw)


def _overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of which those in `above` win, mappings key by key, as Hydra composes them."""
    both = {
        key: _overlaid(below[key], value)
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        else value
        for key, value in above.items()
    }
    return {**below, **both}


@cache
def root_settings() -> dict[str, Any]:
    """The settings of config.yaml, without its list of defaults."""
    raw: dict[str, Any] = yaml.safe_load((conf_folder() / "config.yaml").read_text("utf-8"))
    return raw


def unknown(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """An error for a name that is not there, with the nearest that is."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else "."
    return ConfigError(f"{what} {name!r} does not exist{hint} Known: {', '.join(names) or 'none'}")
