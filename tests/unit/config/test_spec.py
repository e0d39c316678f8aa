"""A run's identity is everything chosen that can change an output, and nothing else."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from memforest.compressors.eventtree.method import EventTree
from memforest.compressors.within_kinds import WithinKinds
from memforest.config.compose import components, compose
from memforest.config.spec import RunSpec, parse_spec, run_id
from memforest.core.errors import ConfigError
from memforest.pipeline.stages import stage_code

BASE = ("compressor=memforest", "embedder=hashing")


def spec(*overrides: str) -> RunSpec:
    return parse_spec(compose([*BASE, *overrides]))


def identity(*overrides: str) -> str:
    return run_id(spec(*overrides).identity(), data="data")


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    return compose([*BASE])


def changed(raw: dict[str, Any], *path: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(raw)
    record = made
    for key in path[:-1]:
        record = record[key]
    record[path[-1]] = value
    return made


def test_the_same_choices_have_the_same_id_in_any_order() -> None:
    assert identity("ratio=0.3", "k=5") == identity("k=5", "ratio=0.3")


@pytest.mark.parametrize("override", ["paths.outputs=/elsewhere", "paths.data=/elsewhere", "workers=7"])
def test_paths_and_workers_are_not_in_the_id(override: str) -> None:
    assert identity(override) == identity()


@pytest.mark.parametrize("override", ["embedder.threads=7", "embedder.batch_tokens=64"])
def test_threads_and_batches_are_not_in_the_id(override: str) -> None:
    assert identity("embedder=minilm", override) == identity("embedder=minilm")


def test_where_a_file_lies_is_not_in_the_id_but_its_content_is() -> None:
    here, there = spec("dataset=locomo", "dataset.path=/a.json"), spec("dataset=locomo", "dataset.path=/b.json")
    assert run_id(here.identity(), data="x") == run_id(there.identity(), data="x")
    assert run_id(here.identity(), data="x") != run_id(here.identity(), data="y")


@pytest.mark.parametrize(
    "override",
    [
        "ratio=0.3",
        "k=5",
        "seed=1",
        "word_budgets=[150]",
        "merger=extractive",
        "reembedding=mean",
        "reembedding=interpolate",
        "compressor.alpha=0.1",
        "compressor=tome",
        "retriever=agpr",
        "backbone=turns",
        "embedder.buckets=128",
        "dataset=synthetic",
    ],
)
def test_what_can_change_an_output_is_in_the_id(override: str) -> None:
    assert identity(override) != identity()


@pytest.mark.parametrize(
    ("compressor", "ignored"),
    [
        ("none", ["ratio=0.3", "seed=1", "merger=extractive", "reembedding=mean"]),
        ("tome", ["seed=1"]),
        ("kmeans", ["merger=extractive", "reembedding=interpolate"]),
        ("random_pruning", ["merger=extractive"]),
        ("dart", ["merger=extractive"]),
    ],
)
def test_what_a_method_ignores_is_not_in_the_id(compressor: str, ignored: list[str]) -> None:
    for override in ignored:
        assert identity(f"compressor={compressor}", override) == identity(f"compressor={compressor}")


@pytest.mark.parametrize("compressor", ["memforest", "memforest_without_global"])
@pytest.mark.parametrize(
    ("changes", "draws"),
    [
        (["compressor.partition=scan"], False),
        (["compressor.partition=scan", "compressor.edge_rule=random"], True),
        (["compressor.partition=union"], True),
    ],
)
def test_the_seed_is_in_the_id_where_something_is_drawn(compressor: str, changes: list[str], draws: bool) -> None:
    first, second = (identity(f"compressor={compressor}", *changes, f"seed={seed}") for seed in (0, 1))
    assert (first != second) == draws


@pytest.mark.parametrize(
    ("chosen", "idle"),
    [
        ("compressor.degree=none", "compressor.eta=0.5"),
        ("compressor.edge_rule=random", "compressor.eta=0.5"),
        ("compressor.edge_rule=random", "compressor.degree=max_norm"),
        ("compressor.partition=scan", "compressor.alpha=0.2"),
        ("compressor.partition=union", "compressor.scan_size=7"),
    ],
)
def test_settings_that_nothing_reads_are_not_in_the_id(chosen: str, idle: str) -> None:
    both = ("compressor=memforest", chosen)
    assert identity(*both, idle) == identity(*both)


def test_settings_of_an_unused_merger_are_not_in_the_id() -> None:
    chosen = ("compressor=none", "merger=extractive")
    assert identity(*chosen, "merger.max_words=3") == identity(*chosen)


def test_the_identity_holds_settings_but_no_traits(raw: dict[str, Any]) -> None:
    idle = {"scan_size", "scan_threshold"}
    assert set(parse_spec(raw).identity()["compressor"]) == set(raw["compressor"]) - {"traits"} - idle


def test_short_names_are_the_same_run() -> None:
    assert identity("compressor=random") == identity("compressor=random_pruning")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["ratio=0"], ["ratio=0.0"]),
        (["compressor.eta=1"], ["compressor.eta=1.0"]),
        (["retriever=agpr", "retriever.gamma=1"], ["retriever=agpr", "retriever.gamma=1.0"]),
    ],
)
def test_equal_numbers_are_the_same_run(one: list[str], other: list[str]) -> None:
    assert identity(*one) == identity(*other)


def test_a_setting_that_another_setting_switches_off_is_not_in_the_id() -> None:
    assert identity("retriever=agpr", "retriever.time_scale=60.0") == identity("retriever=agpr")


@pytest.mark.parametrize(("hubness", "counts"), [("none", False), ("mean", True), ("local", True)])
def test_a_setting_can_count_with_one_of_several_values_of_another(hubness: str, counts: bool) -> None:
    base = ("retriever=hybrid", f"retriever.hubness={hubness}")
    assert (identity(*base, "retriever.correction=0.5") != identity(*base)) == counts


def test_the_id_is_readable() -> None:
    assert identity().startswith("sample-observations-memforest-0.5-concat-topk-seed0-")
    assert identity("compressor=none").startswith("sample-observations-none-topk-")


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("ratio",), 1, "ratio=1 is not in [0, 1)"),
        (("ratio",), -0.1, "ratio=-0.1 is not in [0, 1)"),
        (("ratio",), float("nan"), "ratio=nan is not in [0, 1)"),
        (("ratio",), "half", "ratio=half is not in [0, 1)"),
        (("ratio",), True, "ratio=True is not in [0, 1)"),
        (("ratio",), None, "ratio=None is not in [0, 1)"),
        (("k",), 0, "k=0 must be a whole number of at least 1"),
        (("k",), 2.5, "k=2.5 must be a whole number of at least 1"),
        (("k",), True, "k=True must be a whole number of at least 1"),
        (("workers",), 0, "workers=0 must be a whole number of at least 1"),
        (("seed",), -1, "seed=-1 must be a whole number from 0"),
        (("seed",), "x", "seed=x must be a whole number from 0"),
        (("word_budgets",), [150, 0], "word_budgets=[150, 0] must be whole numbers of at least 1"),
        (("word_budgets",), ["many"], "word_budgets=['many'] must be whole numbers of at least 1"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(
    raw: dict[str, Any], path: tuple[str, ...], value: Any, complaint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(changed(raw, *path, value=value))
    assert complaint in str(caught.value)


def test_a_single_word_budget_is_a_list_of_one(raw: dict[str, Any]) -> None:
    assert parse_spec(changed(raw, "word_budgets", value=150)).word_budgets == (150,)


def test_all_problems_are_told_at_once(raw: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(changed(changed(raw, "ratio", value=3), "k", value=0))
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("group", "need", "complaint"),
    [
        ("compressor", "graph", "compressor=memforest needs graph, which backbone=observations does not provide"),
        ("retriever", "graph", "retriever=topk needs graph, which backbone=observations does not provide"),
        ("backbone", "video", "backbone=observations needs video, which dataset=sample does not provide"),
    ],
)
def test_incompatible_choices_fail_in_one_sentence_that_names_both(
    raw: dict[str, Any], group: str, need: str, complaint: str
) -> None:
    needs = [*raw[group]["traits"]["needs"], need]
    with pytest.raises(ConfigError) as caught:
        parse_spec(changed(raw, group, "traits", "needs", value=needs))
    assert str(caught.value) == complaint


def of_kinds(raw: dict[str, Any], **changes: Any) -> RunSpec:
    """A run whose backbone has nodes of several kinds."""
    provides = [*raw["backbone"]["traits"]["provides"], "kinds"]
    made = changed(raw, "backbone", "traits", "provides", value=provides)
    for name, value in changes.items():
        made = changed(made, name, value=value)
    return parse_spec(made)


def test_merging_across_kinds_counts_where_nodes_of_several_kinds_merge(raw: dict[str, Any]) -> None:
    across, within = (of_kinds(raw, merge_across_kinds=value) for value in (True, False))
    assert (across.identity()["merge_across_kinds"], within.identity()["merge_across_kinds"]) == (True, False)
    assert run_id(across.identity(), data="data") != run_id(within.identity(), data="data")
    assert (across.within_kinds, within.within_kinds) == (False, True)


@pytest.mark.parametrize("compressor", ["kmeans", "none"])
def test_merging_across_kinds_is_nothing_to_methods_that_do_not_merge(raw: dict[str, Any], compressor: str) -> None:
    made = of_kinds({**raw, "compressor": compose([f"compressor={compressor}"])["compressor"]})
    assert "merge_across_kinds" not in made.identity()
    assert not made.within_kinds


def test_merging_across_kinds_is_nothing_to_memories_of_one_kind(raw: dict[str, Any]) -> None:
    across = parse_spec(changed(raw, "merge_across_kinds", value=True))
    assert across.identity() == parse_spec(raw).identity()
    assert not parse_spec(raw).within_kinds


def test_the_compressor_of_a_run_keeps_to_kinds_unless_asked(raw: dict[str, Any]) -> None:
    across, within = (components(of_kinds(raw, merge_across_kinds=value)).compressor for value in (True, False))
    assert isinstance(across, EventTree)
    assert isinstance(within, WithinKinds)
    assert isinstance(within.compressor, EventTree)


def test_the_keys_of_a_run_tell_whether_it_keeps_to_kinds(raw: dict[str, Any]) -> None:
    module = "memforest.compressors.within_kinds"
    assert module in stage_code(of_kinds(raw))["compress"]
    assert module not in stage_code(of_kinds(raw, merge_across_kinds=True))["compress"]
    assert module not in stage_code(parse_spec(raw))["compress"]


def test_another_compressor_leaves_the_other_choices(raw: dict[str, Any]) -> None:
    before = parse_spec(raw)
    after = before.with_choices(compressor=spec("compressor=tome")["compressor"])
    assert after["compressor"].name == "tome"
    assert before["compressor"].name == "memforest"
    assert {group: after[group] for group in after.choices if group != "compressor"} == {
        group: before[group] for group in before.choices if group != "compressor"
    }


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["answerer=mem0", "llm=scripted", "llm.roles.judge.preset=nofile"], "the preset 'nofile' does not exist"),
        (["answerer=mem0", "llm=scripted", "llm.roles.merge.preset=../judge/letter"], "the preset '../judge/letter'"),
        (["answerer=mem0", "llm=scripted", "llm.cache_folder=5"], "llm.cache_folder=5"),
        (["answerer=abstain", "judge=letter"], "judge=letter needs options, which dataset=sample does not provide"),
        (["answerer=abstain", "judge=longmemeval", "llm=scripted"], "judge=longmemeval needs question_types"),
        (["answerer=personamem", "llm=scripted"], "answerer=personamem needs options"),
        (["skip_categories=[1]"], "must be names of categories"),
        (["answer_incomplete=maybe"], "answer_incomplete=maybe must be true or false"),
        (["merge_across_kinds=maybe"], "merge_across_kinds=maybe must be true or false"),
        (["compressor=streammeco"], "compressor=streammeco needs graph, which backbone=observations does not provide"),
        (["failures_in_a_row=0"], "failures_in_a_row=0 must be a whole number of at least 1"),
        (["answerer=mem0", "llm=scripted", "answerer.max_context_words=2.5"], "answerer.max_context_words must be"),
        (["compressor=tome", "merger=llm", "llm=scripted", "merger.max_words=foo"], "merger.max_words must be"),
    ],
)
def test_what_a_model_cannot_be_asked_is_refused_before_it_is(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        components(parse_spec(compose(overrides)))
