"""Sweeps: every job runs, a failing one stops no other, and nothing is left beside the outputs."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.desk import SMALL, Desk, Said

SWEEP = ("--multirun", *SMALL, "compressor=none,memforest,tome", "ratio=0.3,0.5")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, Said]:
    """A finished sweep."""
    desk = Desk(tmp_path_factory.mktemp("sweep"))
    said = desk.run(*SWEEP)
    assert said.code == 0, said.err
    return desk, said


def test_every_combination_is_run(swept: tuple[Desk, Said]) -> None:
    runs = [json.loads(path.read_bytes())["settings"] for path in (swept[0].outputs / "runs").glob("*/run.json")]
    pairs = sorted((run["compressor"]["name"], run["ratio"]) for run in runs if run["ratio"] is not None)
    assert pairs == [("memforest", 0.3), ("memforest", 0.5), ("tome", 0.3), ("tome", 0.5)]
    assert len(runs) == 5


def test_all_runs_share_one_build(swept: tuple[Desk, Said]) -> None:
    assert len(list((swept[0].outputs / "artifacts" / "build").iterdir())) == 2


def test_the_last_line_is_the_folder_of_the_last_run(swept: tuple[Desk, Said]) -> None:
    desk, said = swept
    assert (desk.folder / said.folder / "run.json").is_file()


def test_only_multirun_yaml_lands_in_the_sweeps_folder(swept: tuple[Desk, Said]) -> None:
    assert [path.name for path in (swept[0].outputs / "sweeps").iterdir()] == ["multirun.yaml"]


def test_no_folder_of_hydras_appears(swept: tuple[Desk, Said]) -> None:
    desk = swept[0]
    assert [path.name for path in desk.folder.iterdir()] == ["outputs"]
    assert sorted(path.name for path in desk.outputs.iterdir()) == ["artifacts", "runs", "sweeps"]
    assert list(desk.folder.rglob(".hydra")) == []


def test_the_switch_may_stand_between_overrides(desk: Desk) -> None:
    said = desk.run("compressor=none", "--multirun", *SMALL)
    assert said.code == 0, said.err


def finished(outputs: Path) -> set[str]:
    """Compressors with a complete run."""
    runs = [json.loads(path.read_bytes())["settings"] for path in (outputs / "runs").glob("*/run.json")]
    return {run["compressor"]["name"] for run in runs}


def test_a_job_with_a_bad_value_stops_no_other(desk: Desk) -> None:
    said = desk.run("--multirun", *SMALL, "compressor=dart,tome", "ratio=1,0.5")
    assert said.code == 1
    assert said.err.count("error: ") == 2
    assert "Traceback" not in said.err
    assert finished(desk.outputs) == {"none", "dart", "tome"}


def test_a_job_whose_component_refuses_its_setting_stops_no_other(desk: Desk) -> None:
    said = desk.run("--multirun", *SMALL, "compressor=tome", "retriever=agpr", "retriever.gamma=2,0.5")
    assert said.code == 1
    assert finished(desk.outputs) == {"none", "tome"}


def test_a_job_that_crashes_stops_no_other(desk: Desk) -> None:
    said = desk.run(
        "--multirun", *SMALL, "compressor=tome", "++merger._target_=no.such.Merger,memforest.mergers.concat.Concat"
    )
    assert said.code == 1
    assert finished(desk.outputs) == {"none", "tome"}


@pytest.mark.slow
def test_commands_at_once_that_share_a_reference_all_end_well(desk: Desk) -> None:
    compressors = ("tome", "kmeans", "dart", "random_pruning")
    with ThreadPoolExecutor(len(compressors)) as pool:
        said = list(pool.map(lambda name: desk.run(f"compressor={name}", *SMALL), compressors))
    assert [(item.code, item.err) for item in said] == [(0, "")] * len(compressors)
    assert len(list((desk.outputs / "runs").iterdir())) == len(compressors) + 1
