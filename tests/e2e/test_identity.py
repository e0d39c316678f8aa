"""A run's id changes with everything that can change an output, and with nothing else (DESIGN rule 2)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memforest.config.compose import components, compose_spec
from memforest.config.spec import run_id
from memforest.pipeline.plan import backbone_inputs, make_plan
from tests.builders import locomo_unit
from tests.e2e.desk import SMALL, Desk, Said, memories, results, stages, stamps

Typed = Callable[..., Said]


def finished(typed: Typed, desk: Desk, *overrides: str) -> Path:
    """The folder of a run that ends well."""
    said = typed(*overrides)
    assert said.code == 0, said.err
    return desk.folder / said.folder


def id_of(*overrides: str) -> str:
    """The id of a run on some fixed data."""
    return run_id(compose_spec(overrides).identity(), data="data")


def planned_id(*overrides: str) -> str:
    """The id of a run on the data that it names."""
    spec = compose_spec(overrides)
    parts = components(spec)
    dataset = parts.dataset.load()
    return make_plan(spec, dataset, backbone_inputs(parts, dataset)).run_id


def data_file(folder: Path, *units: dict[str, Any]) -> Path:
    """A file of LoCoMo's schema."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "data.json"
    path.write_text(json.dumps(units), "utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        "workers=7",
        "embedder.threads=1",
        "embedder.batch_tokens=64",
        "paths.outputs=elsewhere",
        "paths.data=elsewhere",
        "hydra.verbose=true",
    ],
)
def test_what_cannot_change_an_output_keeps_the_id(change: str) -> None:
    base = ("compressor=memforest", "ratio=0.5", "embedder=minilm")
    assert id_of(*base, change) == id_of(*base)


@pytest.mark.parametrize(
    "change",
    [
        "k=9",
        "word_budgets=[150]",
        "seed=1",
        "ratio=0.51",
        "compressor.alpha=0.06",
        "compressor.beta=0.7",
        "compressor.window=4",
        "compressor.eta=0.98",
        "compressor=kmeans",
        "merger=extractive",
        "retriever=agpr",
        "backbone=turns",
        "embedder=hashing",
        "embedder.max_tokens=128",
        "dataset=synthetic",
    ],
)
def test_what_can_change_an_output_changes_the_id(change: str) -> None:
    group = change.partition("=")[0]
    base = [
        word for word in ("compressor=memforest", "ratio=0.5", "embedder=minilm") if not word.startswith(f"{group}=")
    ]
    assert id_of(*base, change) != id_of("compressor=memforest", "ratio=0.5", "embedder=minilm")


@pytest.mark.parametrize("change", ["ratio=0.9", "seed=5", "merger=extractive"])
def test_without_compression_ratio_seed_and_merger_do_not_count(change: str) -> None:
    assert id_of("compressor=none", change) == id_of("compressor=none")


def test_a_method_without_randomness_is_one_run_whatever_the_seed() -> None:
    assert id_of("compressor=tome", "seed=5") == id_of("compressor=tome")


def test_a_pruner_is_one_run_whatever_the_merger() -> None:
    assert id_of("compressor=kmeans", "merger=extractive") == id_of("compressor=kmeans")


def test_a_short_name_is_the_same_run() -> None:
    assert id_of("compressor=random") == id_of("compressor=random_pruning")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("compressor=tome", "ratio=0"), ("compressor=tome", "ratio=0.0")),
        (("compressor=memforest", "compressor.beta=1"), ("compressor=memforest", "compressor.beta=1.0")),
    ],
)
def test_one_number_written_in_two_ways_is_one_run(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert id_of(*one) == id_of(*other)


def test_the_place_of_a_data_file_does_not_count_but_its_content_does(tmp_path: Path) -> None:
    here = data_file(tmp_path / "here", locomo_unit())
    there = Path(shutil.copy(here, tmp_path / "there.json"))
    other = data_file(tmp_path / "other", locomo_unit(turns=3))
    ids = [planned_id("dataset=locomo", f"dataset.path={path}", "embedder=hashing") for path in (here, there, other)]
    assert ids[0] == ids[1] != ids[2]


def test_what_a_backbone_reads_beside_the_data_counts(tmp_path: Path) -> None:
    data = data_file(tmp_path, locomo_unit())
    overrides = ("dataset=locomo", f"dataset.path={data}", "backbone=mem0", f"backbone.export_dir={tmp_path}")
    for speaker, text in (("Ada", "Ada has a lantern."), ("Ben", "Ben has a violin.")):
        (tmp_path / f"{speaker}_0.json").write_text(
            json.dumps([{"id": speaker, "memory": text, "metadata": {"timestamp": 1683000000}}]), "utf-8"
        )
    before = planned_id(*overrides)
    path = tmp_path / "Ben_0.json"
    path.write_text(path.read_text("utf-8").replace("violin", "saddle"), "utf-8")
    assert planned_id(*overrides) != before


def test_workers_and_places_find_the_finished_run(typed: Typed, desk: Desk) -> None:
    run = finished(typed, desk, *SMALL, "compressor=tome")
    before = stamps(desk.outputs)
    assert (
        finished(typed, desk, *SMALL, "compressor=tome", "workers=1", "paths.data=elsewhere", "hydra.verbose=true")
        == run
    )
    assert stamps(desk.outputs) == before


def test_two_ratios_share_one_build(typed: Typed, desk: Desk) -> None:
    first = finished(typed, desk, *SMALL, "compressor=tome", "ratio=0.3")
    built = stamps(desk.outputs / "artifacts" / "build")
    second = finished(typed, desk, *SMALL, "compressor=tome", "ratio=0.5")
    assert first != second
    assert stamps(desk.outputs / "artifacts" / "build") == built
    assert len(list((desk.outputs / "artifacts" / "build").iterdir())) == 2
    assert stages(second)["build"] == {**stages(second)["build"], "computed": 0, "cached": 2}


def test_no_compression_is_one_run_whatever_ratio_and_seed(typed: Typed, desk: Desk) -> None:
    run = finished(typed, desk, *SMALL, "ratio=0.3")
    before = stamps(desk.outputs)
    assert finished(typed, desk, *SMALL, "ratio=0.7", "seed=3") == run
    assert stamps(desk.outputs) == before


def test_the_files_of_an_uncompressed_run_do_not_depend_on_the_ratio_that_it_ignores(typed: Typed, desk: Desk) -> None:
    first = finished(typed, desk, *SMALL, "ratio=0.3")
    before = results(first), memories(desk.outputs)
    shutil.rmtree(desk.outputs)
    assert finished(typed, desk, *SMALL, "ratio=0.7", "seed=2") == first
    assert (results(first), memories(desk.outputs)) == before


def test_a_reference_that_is_there_is_not_computed_again(typed: Typed, desk: Desk) -> None:
    reference = finished(typed, desk, *SMALL)
    before = stamps(reference)
    finished(typed, desk, *SMALL, "compressor=tome")
    assert stamps(reference) == before
