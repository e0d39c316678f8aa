"""Checks command-line overrides against the YAML files, before Hydra composes anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memforest.config.folder import groups, options, root_settings, settings, unknown
from memforest.config.spec import RESERVED
from memforest.core.errors import ConfigError

_FLAGS_WITH_VALUE = (
    "--cfg",
    "-c",
    "--package",
    "-p",
    "--config-path",
    "-cp",
    "--config-name",
    "-cn",
    "--config-dir",
    "-cd",
)


def check_overrides(overrides: Sequence[str]) -> None:
    """Raises ConfigError for an unknown group, option or setting, with the nearest known name.

    Hydra's own keys and anything added or removed with + or ~ are left to Hydra.
    """
    chosen = {group: [option] for group, option in default_options().items()}
    keys: list[str] = []
    for override in without_flags(overrides):
        if override.startswith(("+", "~", "hydra")):
            continue
        key, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"{override!r} is no override; write name=value, for example ratio=0.5")
        if key in groups():
            chosen[key] = [_require_option(key, name) for name in _sweep(value)]
        else:
            keys.append(key)
    for key in keys:
        _require_setting(key, chosen)


def check_grammar(arguments: Sequence[str]) -> None:
    """Raises ConfigError for what Hydra cannot parse, and for several values without --multirun."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    several = any(flag in ("--multirun", "-m") for flag in flags(arguments))
    for override in without_flags(arguments):
        try:
            (parsed,) = OverridesParser.create().parse_overrides([override])
        except HydraException as error:
            raise ConfigError(f"cannot read {override!r}: {str(error).splitlines()[0]}") from error
        if parsed.is_sweep_override() and not several:
            raise ConfigError(f"{override} names several values; add --multirun to run each of them")


def without_flags(arguments: Sequence[str]) -> list[str]:
    """The overrides among the arguments."""
    return [argument for argument, is_flag in _told_apart(arguments) if not is_flag]


def flags(arguments: Sequence[str]) -> list[str]:
    """Hydra's flags among the arguments, with the values that follow them."""
    return [argument for argument, is_flag in _told_apart(arguments) if is_flag]


def _told_apart(arguments: Sequence[str]) -> Iterator[tuple[str, bool]]:
    flag = ""
    for argument in arguments:
        if argument.startswith("-"):
            if argument.lstrip("-").partition("=")[0] in (*root_settings(), *groups()):
                raise ConfigError(f"settings have no dashes: write {argument.lstrip('-')}")
            flag = "" if "=" in argument else argument
            yield argument, True
        else:
            yield argument, flag in _FLAGS_WITH_VALUE
            flag = ""


def default_options() -> dict[str, str]:
    """The option of each group that is chosen when none is named."""
    entries = root_settings()["defaults"]
    return {
        group: option
        for entry in entries
        if isinstance(entry, dict)
        for group, option in entry.items()
        if group in groups()
    }


def _sweep(value: str) -> list[str]:
    """The names of `a`, `a,b` or `choice(a, b)`."""
    inner = value.removeprefix("choice(").removesuffix(")") if value.startswith("choice(") else value
    return [name.strip().strip("'\"") for name in inner.split(",")]


def _require_option(group: str, name: str) -> str:
    if name not in options(group):
        raise unknown(f"the {group}", name, options(group))
    return name


def _require_setting(key: str, chosen: dict[str, list[str]]) -> None:
    root, *rest = key.split(".")
    if root in chosen:
        for option in chosen[root]:
            known = {
                name: value for name, value in settings(root, option).items() if name not in (*RESERVED, "_target_")
            }
            _require_part(rest, known, what=f"the setting of {root}={option}")
        return
    known_root = {name: value for name, value in root_settings().items() if name != "defaults"}
    _require_path(key, known_root)


def _require_path(key: str, tree: dict[str, Any]) -> None:
    root, *rest = key.split(".")
    if root not in tree:
        raise unknown("the option", key, [name for name in [*tree, *groups()] if name != "hydra"])
    _require_part(rest, tree[root], what="the option", above=f"{root}.")


def _require_part(parts: Sequence[str], tree: Any, *, what: str, above: str = "") -> None:
    """Raises ConfigError unless the parts of a dotted name lead to a setting in a tree of settings."""
    node = tree
    for part in parts:
        if not isinstance(node, dict) or part not in node:
            raise unknown(what, above + ".".join(parts), list(node) if isinstance(node, dict) else [])
        node = node[part]
    if not parts and not above:
        raise unknown(what, "", list(tree))
