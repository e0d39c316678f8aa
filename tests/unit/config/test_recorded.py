"""A run's recorded settings lead back to its command and its spec."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from memforest.config.compose import compose_spec
from memforest.config.recorded import command, recorded_overrides, recorded_spec
from memforest.core.errors import ConfigError

OUTPUTS = Path("outputs")
CHOSEN = [
    [],
    ["compressor=memforest", "compressor.alpha=0.1", "ratio=0.3", "seed=2"],
    ["compressor=tome", "reembedding=interpolate", "reembedding.weight=0.25", "merger=extractive"],
    ["compressor=memforest", "compressor.partition=scan", "embedder=hashing", "embedder.buckets=32"],
    ["dataset=locomo", "retriever=agpr", "k=5", "word_budgets=[100,200]"],
    ["dataset=synthetic", "dataset.units=3", "compressor=none"],
    ["compressor=tome", "merger=llm", "answerer=mem0", "judge=eventtree", "llm=gpt_4o_mini"],
    [
        "dataset=longmemeval_s",
        "backbone=turns",
        "answerer=longmemeval",
        "judge=longmemeval",
        "llm=gpt_5_2",
        "llm.roles.judge.preset=deepseek_judge",
    ],
    ["answerer=mem0", "skip_categories=[]", "llm=qwen3_4b_instruct_2507", "llm.roles.answer.temperature=0.7"],
    ["compressor=tome", "merger=llm", "answerer=mem0", "llm=scripted"],
    ["answerer=mem0", "judge=eventtree", "llm=gpt_4o_mini", "llm.roles.judge.preset=scripted"],
    ["++embedder._target_=elsewhere.Mine", "++embedder.words=[a b,'1',null]", "++embedder.table={a:1.5,b:true}"],
]


@pytest.mark.parametrize("overrides", CHOSEN)
def test_recorded_settings_compose_the_same_spec(overrides: list[str]) -> None:
    identity = json.loads(json.dumps(compose_spec(overrides).identity()))
    assert recorded_spec(identity, extra=[], outputs=OUTPUTS).identity() == identity
    words = shlex.split(command(identity, OUTPUTS))
    assert words[:2] == ["python", "run.py"]
    assert compose_spec(words[2:]).identity() == identity


def test_only_what_differs_from_the_defaults_is_written() -> None:
    assert recorded_overrides(compose_spec([]).identity()) == []
    overrides = ["compressor=tome", "reembedding=interpolate", "reembedding.weight=0.25", "ratio=0.3"]
    assert recorded_overrides(compose_spec(overrides).identity()) == overrides


def test_the_outputs_folder_is_named_unless_it_is_the_usual_one() -> None:
    identity = compose_spec([]).identity()
    assert command(identity, OUTPUTS) == "python run.py"
    assert command(identity, Path("/my runs")) == "python run.py 'paths.outputs=/my runs'"


def test_where_files_lie_can_be_said_and_outputs_are_those_of_the_run() -> None:
    identity = compose_spec(["dataset=locomo"]).identity()
    spec = recorded_spec(identity, extra=["dataset.path=/a.json"], outputs=Path("/elsewhere"))
    assert spec["dataset"].settings["path"] == "/a.json"
    assert spec.outputs == Path("/elsewhere")


def test_what_makes_another_run_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"ratio=0\.3 makes another run"):
        recorded_spec(compose_spec(["compressor=tome"]).identity(), extra=["ratio=0.3"], outputs=OUTPUTS)


def test_option_files_that_changed_since_are_named_with_the_command() -> None:
    identity = compose_spec(["compressor=memforest"]).identity()
    del identity["compressor"]["alpha"]
    with pytest.raises(ConfigError, match=r"option files .* python run\.py compressor=memforest"):
        recorded_spec(identity, extra=[], outputs=OUTPUTS)


def test_models_are_replayed_from_the_cache_and_what_is_the_same_for_all_roles_is_said_once() -> None:
    chosen = ["compressor=tome", "merger=llm", "answerer=mem0", "llm=gpt_4o_mini", "llm.roles.merge.max_tokens=200"]
    assert recorded_overrides(compose_spec(chosen).identity()) == [
        "compressor=tome",
        "merger=llm",
        "answerer=mem0",
        "llm=replay",
        "llm.model=gpt-4o-mini",
        "llm.roles.merge.max_tokens=200",
    ]


def test_where_a_model_is_served_and_how_fast_is_no_part_of_a_run() -> None:
    chosen = ["answerer=mem0", "llm.model=m"]
    here = [*chosen, "llm.base_url=http://a/v1", "llm.concurrency=1", "llm.budget=3", "llm.attempts=2"]
    there = [*chosen, "llm=replay", "llm.timeout_seconds=9", "llm.requests_per_minute=5"]
    assert compose_spec(here).identity() == compose_spec(there).identity()
    assert compose_spec(here).identity() != compose_spec([*here, "llm.max_tokens=9"]).identity()
