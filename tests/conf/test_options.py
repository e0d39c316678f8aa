"""Every YAML file composes, instantiates, and lists exactly the parameters of its constructor."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra.utils import get_class

from memforest.config.compose import compose, instantiate
from memforest.config.folder import conf_folder, groups, options, root_settings, settings
from memforest.config.spec import GROUPS, OPTIONAL, RESERVED, parse_choice, parse_spec, run_id
from memforest.core.chat import ROLES
from tests.chats import failing

NOTHING = {(group, "none") for group in OPTIONAL}
"""Choices of nothing at all: there is no component behind them."""
FILES = sorted(
    {(path.parent.name, path.stem) for path in conf_folder().glob("*/*.yaml") if path.parent.name != "llm"} - NOTHING
)
ALIASES = {("compressor", "random"): "random_pruning"}
TRAITS = {"needs", "provides", "uses", "execution_only", "only_with", "seedless_with", "roles", "ignores", "nullable"}
METHODS = {
    "dataset": {"load"},
    "backbone": {"inputs", "build"},
    "embedder": {"embed", "identity", "dimension"},
    "compressor": {"compress"},
    "merger": {"merge"},
    "reembedding": {"carried", "embed"},
    "retriever": {"index"},
    "answerer": {"answer", "context", "concurrency"},
    "judge": {"judge", "identity", "concurrency"},
}
every_option = pytest.mark.parametrize(("group", "option"), FILES)


def overrides(group: str, option: str, folder: Path) -> list[str]:
    required = {("backbone", "mem0"): [f"backbone.export_dir={folder}"]}
    return [f"{group}={option}", *required.get((group, option), [])]


def parameters(group: str, option: str) -> dict[str, inspect.Parameter]:
    """The constructor's parameters that are settings: all but the model that a choice with roles is given."""
    signature = inspect.signature(get_class(settings(group, option)["_target_"]))
    given = {"chat"} if settings(group, option)["traits"].get("roles") else set()
    return {name: parameter for name, parameter in signature.parameters.items() if name not in given}


def test_there_are_options_and_only_in_known_groups() -> None:
    assert len(FILES) > 15
    assert groups() == sorted(GROUPS) == sorted([*METHODS, "llm"])
    assert all(options(group) for group in GROUPS)


@every_option
def test_an_option_composes_and_instantiates(group: str, option: str, tmp_path: Path) -> None:
    choice = parse_choice(group, compose(overrides(group, option, tmp_path))[group])
    made = instantiate(choice, **({"chat": failing("timeout")} if choice.roles else {}))
    assert set(dir(made)) >= METHODS[group]


@every_option
def test_every_key_of_an_option_is_a_parameter_and_every_parameter_a_key(group: str, option: str) -> None:
    keys = {key for key in settings(group, option) if key not in (*RESERVED, "_target_")}
    assert keys == set(parameters(group, option))


@every_option
def test_parameters_are_keyword_only_and_have_no_default_outside_the_yaml(group: str, option: str) -> None:
    for parameter in parameters(group, option).values():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        assert parameter.default is inspect.Parameter.empty


@every_option
def test_an_option_has_the_name_of_its_file(group: str, option: str) -> None:
    assert settings(group, option)["name"] == ALIASES.get((group, option), option)


@every_option
def test_traits_are_known_and_name_what_is_there(group: str, option: str) -> None:
    traits = settings(group, option)["traits"]
    provided = {trait for other, name in FILES for trait in settings(other, name)["traits"].get("provides", ())}
    assert set(traits) <= TRAITS
    assert set(traits.get("needs", ())) <= provided
    assert set(traits.get("uses", ())) <= {"ratio", "seed", "merger"}
    assert set(traits.get("roles", ())) <= set(ROLES)
    assert set(traits.get("ignores", ())) <= {"k"}
    assert set(traits.get("nullable", ())) <= set(parameters(group, option))
    assert set(traits.get("execution_only", ())) <= set(parameters(group, option))
    assert set(traits.get("seedless_with", {})) <= set(parameters(group, option))
    for setting, wanted in traits.get("only_with", {}).items():
        assert {setting, *wanted} <= set(parameters(group, option))


@every_option
def test_an_option_says_what_it_is_in_its_first_line(group: str, option: str) -> None:
    first = (conf_folder() / group / f"{option}.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ")


@every_option
def test_the_composed_settings_are_those_that_are_read_without_hydra(group: str, option: str) -> None:
    composed = compose([f"{group}={option}"])[group]
    plain = dict(settings(group, option))
    resolved = {key: value for key, value in plain.items() if "${" not in str(value)}
    assert {key: composed[key] for key in resolved} == resolved
    assert set(composed) == set(plain)


def test_the_defaults_are_those_of_the_design() -> None:
    spec = parse_spec(compose([]))
    assert {group: spec[group].name for group in GROUPS} == {
        "dataset": "sample",
        "backbone": "observations",
        "embedder": "minilm",
        "compressor": "none",
        "merger": "concat",
        "reembedding": "text",
        "retriever": "topk",
        "answerer": "none",
        "judge": "none",
        "llm": "none",
    }
    assert (spec.k, spec.seed, spec.word_budgets) == (10, 0, (150, 300, 600))


def test_hydra_writes_no_folder_of_its_own() -> None:
    hydra: Any = root_settings()["hydra"]
    assert hydra["output_subdir"] is None
    assert hydra["run"]["dir"] == "."
    assert hydra["sweep"] == {"dir": "${paths.outputs}/sweeps", "subdir": "."}


def test_every_default_names_an_option() -> None:
    named = [entry for entry in root_settings()["defaults"] if isinstance(entry, dict)]
    entries = [entry for entry in named if not any(key.startswith("override hydra/") for key in entry)]
    assert {pair for entry in entries for pair in entry.items()} <= {*FILES, *NOTHING}
    assert {group for entry in entries for group in entry} == set(GROUPS)


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    for group, option in FILES:
        for value in yaml.safe_load((conf_folder() / group / f"{option}.yaml").read_text(encoding="utf-8")).values():
            assert not str(value).startswith("/")


@pytest.mark.parametrize(("alias", "name"), [(alias, name) for (_, alias), name in ALIASES.items()])
def test_an_alias_is_the_same_run_as_the_option_it_stands_for(alias: str, name: str) -> None:
    first, second = (parse_spec(compose([f"compressor={option}"])).identity() for option in (alias, name))
    assert run_id(first, data="data") == run_id(second, data="data")


@pytest.mark.parametrize("option", options("compressor"))
def test_a_compressor_uses_the_ratio_unless_it_is_none(option: str) -> None:
    assert ("ratio" in settings("compressor", option)["traits"]["uses"]) == (option != "none")


@pytest.mark.parametrize("group", sorted(set(OPTIONAL) - {"llm"}))
def test_a_choice_of_nothing_has_no_settings(group: str) -> None:
    assert settings(group, "none") == {"name": "none", "traits": {}}
