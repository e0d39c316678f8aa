"""Every file of conf/llm: the same settings as `none`, values that hold, and a model for every role."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import yaml

from memforest.config.folder import conf_folder, options, settings
from memforest.core.chat import ROLES
from memforest.llm.prices import price_of
from memforest.llm.settings import RoleSettings, role_settings

OPTIONS = options("llm")
PAPERS = {
    "gpt_4o_mini": "gpt-4o-mini",
    "gpt_4o_2024_11_20": "gpt-4o-2024-11-20",
    "gpt_5_2": "gpt-5.2",
    "qwen2_5_7b_instruct": "Qwen/Qwen2.5-7B-Instruct",
    "qwen3_4b_instruct_2507": "Qwen/Qwen3-4B-Instruct-2507-FP8",
    "qwen3_30b_a3b_instruct_2507": "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8",
    "gemma_4_12b_it": "google/gemma-4-12B-it",
    "deepseek_judge": "deepseek-v4-flash",
}
MISSING = {
    "endpoint": {"base_url": "http://127.0.0.1:8000/v1", "model": "m"},
    "local": {"weights": "m.gguf"},
    "replay": {"recording": "r.jsonl"},
}


def of(option: str, role: str) -> RoleSettings:
    group = {**settings("llm", option), **MISSING.get(option, {})}
    return role_settings(group, role, presets=partial(settings, "llm"))


def shape(value: Any) -> Any:
    """The names of settings, all the way down but for what is sent as it is."""
    kept = {"extra_body", "arguments"}
    return {key: None if key in kept else shape(part) for key, part in value.items()} if isinstance(value, dict) else 0


@pytest.mark.parametrize("option", OPTIONS)
def test_a_file_has_all_settings_and_none_that_is_unknown(option: str) -> None:
    assert shape(settings("llm", option)) == shape(settings("llm", "none"))
    assert settings("llm", option)["name"] == option
    assert (conf_folder() / "llm" / f"{option}.yaml").read_text("utf-8").startswith("# ")


def test_all_roles_have_the_same_settings_and_leave_them_to_the_group() -> None:
    roles = settings("llm", "none")["roles"]
    assert tuple(roles) == ROLES
    assert all(own == dict.fromkeys(roles["merge"]) for own in roles.values())
    assert set(roles["merge"]) - {"preset"} <= set(settings("llm", "none"))


@pytest.mark.parametrize("option", [option for option in OPTIONS if option != "none"])
@pytest.mark.parametrize("role", ROLES)
def test_a_file_gives_every_role_a_model(option: str, role: str) -> None:
    of(option, role).require_complete(role=role)


@pytest.mark.parametrize(("option", "model"), PAPERS.items())
def test_the_models_of_the_papers_are_there_with_a_price(option: str, model: str) -> None:
    found = of(option, "merge")
    assert found.name == model
    assert price_of(found) is not None
    assert found.temperature == (None if option == "gpt_5_2" else 0.0)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_served_model_says_how_it_is_served(option: str) -> None:
    if settings("llm", option)["provider"] == "vllm":
        assert settings("llm", option)["serve"]["max_model_len"] >= 32768


def test_no_key_is_written_down() -> None:
    for option in OPTIONS:
        raw = yaml.safe_load((conf_folder() / "llm" / f"{option}.yaml").read_text("utf-8"))
        assert raw.get("api_key_env") in (None, "OPENAI_API_KEY", "DEEPSEEK_API_KEY")
