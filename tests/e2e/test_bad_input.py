"""Bad input gets one clear error that names it, exit code 1 or 2, and no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builders import locomo_unit, question_row
from tests.e2e.desk import SMALL, Desk, Said

Typed = Callable[..., Said]


def write(path: Path, content: object) -> Path:
    """JSON in a file."""
    path.write_text(json.dumps(content), "utf-8")
    return path


def finished(typed: Typed, desk: Desk, *overrides: str) -> Path:
    """The folder of a run that ends well."""
    said = typed(*overrides)
    assert (said.code, said.err) == (0, "")
    return desk.folder / said.folder


def refused(said: Said, *words: str) -> None:
    """One error on standard error that holds the words; no traceback, nothing of Hydra's."""
    assert said.code in (1, 2)
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err
    assert "HYDRA_FULL_ERROR" not in said.err
    assert [word for word in words if word not in said.err] == []


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("ratio=1", ("ratio=1", "[0, 1)")),
        ("ratio=-0.1", ("ratio=-0.1", "[0, 1)")),
        ("ratio=nan", ("ratio=nan", "[0, 1)")),
        ("ratio=abc", ("ratio=abc", "[0, 1)")),
        ("k=0", ("k=0",)),
        ("k=2.5", ("k=2.5",)),
        ("seed=-1", ("seed=-1",)),
        ("workers=0", ("workers=0",)),
        ("word_budgets=[0]", ("word_budgets",)),
        ("compresor=tome", ("compresor", "did you mean compressor")),
        ("compressor=tomee", ("tomee", "did you mean tome")),
        ("compressor.alfa=1", ("alfa",)),
        ("embedder.max_tokns=1", ("max_tokns",)),
        ("ratio", ("ratio", "name=value")),
    ],
)
def test_a_bad_override_is_refused_with_its_name(typed: Typed, desk: Desk, override: str, words: Sequence[str]) -> None:
    refused(typed(override), *words)
    assert not desk.outputs.exists()


def test_all_bad_values_are_told_at_once(typed: Typed, desk: Desk) -> None:
    refused(typed("ratio=1", "k=0", "seed=-1"), "ratio=1", "k=0", "seed=-1")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["word_budgets=[a]"], ["word_budgets"]),
        (["backbone=mem0"], ["backbone.export_dir"]),
        (["backbone=mem0", "backbone.export_dir=no"], ["backbone.export_dir=no"]),
        (["retriever=agpr", "retriever.gamma=2"], ["retriever.gamma"]),
        (["compressor=dart", "+compressor.speed=1"], ["speed"]),
        (["dataset=synthetic", "dataset.units=0"], ["units"]),
        (["embedder.buckets=0"], ["buckets"]),
        (["compressor=memforest", "compressor.alpha=abc"], ["alpha"]),
        (["compressor=memforest", "compressor.alpha=-1"], ["alpha"]),
        (["compressor=memforest", "compressor.eta=5"], ["eta"]),
        (["compressor=memforest", "compressor.window=inf"], ["compressor.window=inf", "finite"]),
        (["compressor=dart", "compressor.pivot_share=3"], ["pivot_share"]),
        (["compressor=tome", "merger=extractive", "merger.max_words=-1"], ["max_words"]),
        (["embedder=minilm", "embedder.threads=0"], ["threads"]),
        (["compressor=kmeans", "seed=5000000000"], ["seed"]),
        (["paths.outputs=/proc/none"], ["/proc/none"]),
    ],
)
def test_a_bad_setting_of_a_choice_is_refused_with_its_name(
    typed: Typed, overrides: Sequence[str], words: Sequence[str]
) -> None:
    refused(typed(*overrides), *words)


def test_an_option_that_nothing_reads_is_refused_even_when_added(typed: Typed, desk: Desk) -> None:
    refused(typed(*SMALL, "+ratioo=1"), "ratioo")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ("data.json", "does not exist", "memforest data fetch locomo")),
        ("{", ("data.json", "not JSON")),
        ("{}", ("data.json", "not a LoCoMo file")),
        ("[1]", ("data.json", "not a LoCoMo file")),
        ('[{"sample_id": "u1"}]', ("data.json", "u1", "conversation")),
        ("\udcff", ("data.json", "not JSON")),
    ],
)
def test_a_file_that_is_not_locomo_is_named(
    typed: Typed, desk: Desk, content: str | None, words: Sequence[str]
) -> None:
    path = desk.folder / "data.json"
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    refused(typed("dataset=locomo", f"dataset.path={path}"), *words)


def test_a_date_that_does_not_parse_names_file_unit_and_value(typed: Typed, desk: Desk) -> None:
    unit = locomo_unit()
    unit["conversation"]["session_2_date_time"] = "some day in May"
    path = write(desk.folder / "data.json", [unit])
    refused(
        typed("dataset=locomo", f"dataset.path={path}"), "data.json", "u1", "session_2_date_time", "some day in May"
    )


def test_an_unknown_category_names_question_and_value(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit(qa=[question_row(), question_row(category=6)])])
    refused(typed("dataset=locomo", f"dataset.path={path}"), "u1", "qa[1]", "6")


def test_a_file_of_the_schema_with_an_unknown_hash_runs_with_one_notice(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit()])
    said = typed("dataset=locomo", f"dataset.path={path}")
    assert said.code == 0
    assert sum("sha256" in line for line in said.out.splitlines() if line.startswith("notice: ")) == 1


@pytest.mark.parametrize("qa", [[], [question_row(category=5, answer=...)], [question_row(evidence=["D"])]])
def test_a_unit_without_questions_that_score_is_no_error(typed: Typed, desk: Desk, qa: list[dict[str, Any]]) -> None:
    path = write(desk.folder / "data.json", [locomo_unit(qa=qa)])
    run = finished(typed, desk, "dataset=locomo", f"dataset.path={path}")
    metrics = json.loads((run / "metrics.json").read_bytes())
    assert metrics["questions"] == len(qa)


def test_a_unit_with_one_observation_keeps_it_at_any_ratio(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit(sessions=1)])
    run = finished(typed, desk, "dataset=locomo", f"dataset.path={path}", "compressor=memforest", "ratio=0.9")
    metrics = json.loads((run / "metrics.json").read_bytes())
    assert (metrics["nodes_before"], metrics["nodes_after"]) == (1, 1)


def test_a_unit_without_observations_is_listed_and_counted(typed: Typed, desk: Desk) -> None:
    bare = locomo_unit(sample_id="bare") | {"observation": {}}
    path = write(desk.folder / "data.json", [locomo_unit(), bare])
    said = typed("dataset=locomo", f"dataset.path={path}", "compressor=tome")
    assert said.code == 0
    assert "not runnable: bare" in said.out
    metrics = json.loads((desk.folder / said.folder / "metrics.json").read_bytes())
    assert (metrics["questions"], metrics["scored"], metrics["memories"]) == (2, 1, 1)
    assert metrics["not_runnable"]["questions"] == 1
    assert list(metrics["not_runnable"]["units"]) == ["bare"]


def test_without_observations_anywhere_the_error_names_what_to_use(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit() | {"observation": {}}])
    refused(typed("dataset=locomo", f"dataset.path={path}"), "observations", "backbone=turns")


def test_a_dataset_without_units_is_told_as_such(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [])
    said = typed("dataset=locomo", f"dataset.path={path}")
    refused(said, "data.json")
    assert not said.err.rstrip().endswith(":")


@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
def test_a_text_with_an_unusual_line_end_is_a_text(typed: Typed, desk: Desk, separator: str) -> None:
    unit = locomo_unit()
    unit["observation"]["session_1_observation"]["Ada"][0][0] = f"Ada said{separator}this."
    finished(
        typed, desk, "dataset=locomo", f"dataset.path={write(desk.folder / 'data.json', [unit])}", "compressor=tome"
    )


def test_empty_texts_everywhere_are_no_error(typed: Typed, desk: Desk) -> None:
    unit = locomo_unit(qa=[question_row(question="", answer="")])
    for facts in unit["observation"].values():
        facts["Ada"][0][0] = ""
    run = finished(
        typed,
        desk,
        "dataset=locomo",
        f"dataset.path={write(desk.folder / 'data.json', [unit])}",
        "compressor=memforest",
    )
    metrics = json.loads((run / "metrics.json").read_bytes())
    assert (metrics["scored"], metrics["nodes_after"], metrics["answer_token_recall"]) == (1, 1, None)


def export(folder: Path, speakers: Mapping[str, float]) -> Path:
    """Mem0 exports `<speaker>_<index>.json` with one memory each."""
    folder.mkdir()
    for name, time in speakers.items():
        write(folder / f"{name}.json", [{"id": name, "memory": f"{name} has a kite.", "metadata": {"timestamp": time}}])
    return folder


def test_a_unit_that_lacks_an_export_is_listed_and_counted(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit(), locomo_unit(sample_id="u2")])
    folder = export(desk.folder / "exports", {"Ada_0": 1683000000, "Ben_0": 1683000000, "Ada_1": 1683000000})
    said = typed("dataset=locomo", f"dataset.path={path}", "backbone=mem0", f"backbone.export_dir={folder}")
    assert said.code == 0, said.err
    assert "not runnable: u2, no export Ben_1.json" in said.out
    metrics = json.loads((desk.folder / said.folder / "metrics.json").read_bytes())
    assert (metrics["memories"], metrics["questions"], metrics["not_runnable"]["questions"]) == (2, 2, 1)
    assert metrics["evidence_recall"] is None
    assert metrics["scored"] == 1


def test_a_folder_without_any_export_is_an_error(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit()])
    folder = export(desk.folder / "exports", {})
    said = typed("dataset=locomo", f"dataset.path={path}", "backbone=mem0", f"backbone.export_dir={folder}")
    refused(said, "Ada_0.json", "backbone.export_dir")


def test_an_export_with_a_bad_time_names_file_record_and_value(typed: Typed, desk: Desk) -> None:
    path = write(desk.folder / "data.json", [locomo_unit()])
    folder = export(desk.folder / "exports", {"Ada_0": 1683000000, "Ben_0": 1683000000})
    write(folder / "Ben_0.json", [{"id": "x", "memory": "m", "metadata": {"timestamp": "soon"}}])
    said = typed("dataset=locomo", f"dataset.path={path}", "backbone=mem0", f"backbone.export_dir={folder}")
    refused(said, "Ben_0.json", "record 0", "soon")
