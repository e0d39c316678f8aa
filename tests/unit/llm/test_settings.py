"""How the settings of a role are found, what identifies a model, and which values are refused."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from memforest.config.folder import settings
from memforest.core.chat import ROLES
from memforest.core.errors import ConfigError
from memforest.llm.settings import RoleSettings, role_settings
from tests.unit.llm.support import resolved

CHANGED: dict[str, Any] = {
    "provider": "vllm",
    "model": "another",
    "base_url": "http://elsewhere/v1",
    "api_key_env": "ANOTHER_KEY",
    "temperature": 0.5,
    "top_p": 0.5,
    "max_tokens": 77,
    "max_tokens_name": "max_completion_tokens",
    "seed": 9,
    "extra_body": {"top_k": 3},
    "structured": "prompt",
    "weights": "another.gguf",
    "weights_sha256": "ab" * 32,
    "script": "another:script",
    "script_sha256": "ab" * 32,
    "recording": "another.jsonl",
    "replay_only": True,
    "concurrency": 3,
    "requests_per_minute": 60,
    "tokens_per_minute": 6000,
    "timeout_seconds": 3,
    "attempts": 2,
    "budget": 7,
    "prices": "another.json",
    "serve": {"max_model_len": 512},
}
IDENTIFYING = {"model", "temperature", "top_p", "max_tokens", "seed", "extra_body", "structured"}


def test_what_a_role_does_not_set_is_the_groups() -> None:
    group = resolved("gpt_4o_mini", role="merge")
    assert all(resolved("gpt_4o_mini", role=role) == group for role in ROLES)
    assert (group.model, group.temperature, group.base_url) == ("gpt-4o-mini", 0.0, "https://api.openai.com/v1")


def test_a_roles_own_settings_win_and_touch_no_other() -> None:
    roles = {"merge": {"max_tokens": 200, "temperature": 0.7}}
    assert resolved("gpt_4o_mini", roles=roles).max_tokens == 200
    assert resolved("gpt_4o_mini", roles=roles).temperature == 0.7
    assert resolved("gpt_4o_mini", role="judge", roles=roles) == resolved("gpt_4o_mini", role="judge")


def test_a_preset_comes_before_the_group_and_after_the_roles_own() -> None:
    roles = {"judge": {"preset": "deepseek_judge", "max_tokens": 256}}
    judge = resolved("gpt_4o_mini", role="judge", roles=roles, top_p=0.3, budget=5, replay_only=True, prices="p.json")
    assert (judge.model, judge.api_key_env, judge.structured) == (
        "deepseek-v4-flash",
        "DEEPSEEK_API_KEY",
        "json_object",
    )
    assert judge.top_p is None and judge.seed is None, "a preset is taken whole, what it leaves out too"
    assert judge.max_tokens == 256
    assert (judge.budget, judge.replay_only, judge.prices) == (5, True, "p.json"), "these are the run's, not a model's"


def test_a_group_that_replays_does_so_for_every_role() -> None:
    roles = {"judge": {"preset": "deepseek_judge"}}
    judge = resolved("gpt_4o_mini", role="judge", roles=roles, provider="replay", recording="r.jsonl")
    assert (judge.provider, judge.recording, judge.model) == ("replay", "r.jsonl", "deepseek-v4-flash")
    assert judge.identity() == resolved("deepseek_judge").identity()


def test_none_with_a_preset_for_one_role_gives_a_model_to_that_role_alone() -> None:
    roles = {"judge": {"preset": "deepseek_judge"}}
    resolved("none", role="judge", roles=roles).require_complete(role="judge")
    with pytest.raises(ConfigError, match=r"role answer needs a language model.*llm\.roles\.answer\.preset"):
        resolved("none", role="answer", roles=roles).require_complete(role="answer")


def test_every_setting_is_tried_below() -> None:
    assert set(CHANGED) == {field.name for field in fields(RoleSettings)}


@pytest.mark.parametrize("name", CHANGED)
def test_only_what_can_change_a_reply_is_in_the_identity(name: str) -> None:
    base = resolved("gpt_4o_mini")
    changed = replace(base, **{name: CHANGED[name]})
    assert getattr(changed, name) != getattr(base, name)
    assert (changed.identity() != base.identity()) == (name in IDENTIFYING)


def test_equal_numbers_are_equal_settings() -> None:
    assert (
        resolved(temperature=0.0, extra_body={"a": [1.0]}).identity()
        == resolved(temperature=0, extra_body={"a": [1]}).identity()
    )


def test_a_local_file_is_known_by_its_content(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("model.gguf", "b.gguf", "c.gguf"))
    first.write_bytes(b"weights")
    second.write_bytes(b"weights")
    third.write_bytes(b"others")
    one, two, three = (resolved("local", model="m", weights=str(path)).identity() for path in (first, second, third))
    assert one == two != three
    assert resolved("local", weights=str(first)).name == "model"
    replayed = resolved("local", model="m", provider="replay", weights_sha256=one["weights"])
    assert replayed.identity() == one, "a recording is replayed without the file"
    with pytest.raises(ConfigError, match=r"llm\.weights=.*missing\.gguf is no file"):
        resolved("local", weights=str(tmp_path / "missing.gguf")).identity()


def test_a_script_is_known_by_its_content_but_not_by_its_faults(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"replies": [{"reply": "a"}]}')
    first = resolved(script=str(script)).identity()
    script.write_text('{"replies": [{"reply": "a"}], "faults": [{"fault": "429"}]}')
    assert resolved(script=str(script)).identity() == first
    replayed = resolved(provider="replay", script=None, script_sha256=first["script"])
    assert replayed.identity() == first, "what was recorded is replayed without the script"
    script.write_text('{"replies": [{"reply": "b"}]}')
    assert resolved(script=str(script)).identity() != first


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("provider", "magic"),
        ("structured", "yaml"),
        ("max_tokens_name", "tokens"),
        ("temperature", -1),
        ("temperature", "warm"),
        ("temperature", float("nan")),
        ("top_p", True),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("seed", -1),
        ("concurrency", 0),
        ("attempts", 0),
        ("requests_per_minute", 0),
        ("tokens_per_minute", -5),
        ("timeout_seconds", 0),
        ("budget", -1),
        ("extra_body", [1]),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^llm\.{name}"):
        resolved("gpt_4o_mini", **{name: value})


@pytest.mark.parametrize(
    ("option", "changes", "setting"),
    [
        ("endpoint", {}, "base_url"),
        ("endpoint", {"base_url": "http://x/v1"}, "model"),
        ("qwen3_4b_instruct_2507", {"base_url": None}, "base_url"),
        ("qwen3_4b_instruct_2507", {"provider": "vllm_engine", "model": None}, "model"),
        ("local", {}, "weights"),
        ("scripted", {"script": None}, "script"),
    ],
)
def test_what_a_provider_needs_is_named(option: str, changes: dict[str, Any], setting: str) -> None:
    with pytest.raises(ConfigError, match=rf"needs llm\.{setting} .*role merge"):
        resolved(option, **changes).require_complete(role="merge")


def test_an_unknown_role_and_a_preset_that_cannot_be_looked_up_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"llm\.roles\.poet does not exist"):
        role_settings(settings("llm", "none"), "poet")
    group = settings("llm", "none")
    with_preset = {**group, "roles": {**group["roles"], "judge": {**group["roles"]["judge"], "preset": "local"}}}
    with pytest.raises(ConfigError, match="cannot be looked up"):
        role_settings(with_preset, "judge")


def test_limits_of_the_group_hold_for_a_preset_that_names_none() -> None:
    roles = {"judge": {"preset": "deepseek_judge"}}
    judge = resolved("gpt_4o_mini", role="judge", roles=roles, requests_per_minute=7, attempts=2, timeout_seconds=9.0)
    assert (judge.requests_per_minute, judge.attempts, judge.timeout_seconds) == (7, 2, 9.0)
    local = resolved("gpt_4o_mini", role="judge", roles={"judge": {"preset": "local"}}, concurrency=8)
    assert local.concurrency == 1, "what the preset's file says of itself holds"


def test_a_role_can_have_limits_of_its_own() -> None:
    roles = {"judge": {"preset": "deepseek_judge", "requests_per_minute": 3}}
    assert resolved("gpt_4o_mini", role="judge", roles=roles).requests_per_minute == 3
    assert resolved("gpt_4o_mini", roles=roles).requests_per_minute is None


@pytest.mark.parametrize("changes", [{"base_url": "foo"}, {"prices": 5}, {"model": 4.1}, {"script": 3}])
def test_settings_of_another_kind_are_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"llm\.{next(iter(changes))}="):
        resolved("endpoint", **changes)


@pytest.mark.parametrize("roles", [None, {"merge": None}, 5])
def test_roles_that_are_no_settings_are_refused(roles: Any) -> None:
    with pytest.raises(ConfigError, match=r"llm\.roles"):
        role_settings({**settings("llm", "endpoint"), "roles": roles}, "merge")
