"""Edited code never returns old numbers, and the old run stays until the new one is complete (DESIGN rules 1 and 2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.desk import SMALL, STALLING, Desk, copy_source, edit, results, stages, stamps

TOME = (*SMALL, "compressor=tome")


@pytest.fixture
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package to edit."""
    return copy_source(tmp_path_factory.mktemp("copy"))


def test_an_edited_compressor_makes_its_run_stale_and_is_named(desk: Desk, source: Path) -> None:
    run = desk.finish(*TOME, source=source)
    edit(source, "memforest.compressors.tome")
    listed = desk.memforest("runs", source=source).out.splitlines()
    assert ["stale" in line for line in listed if run.name in line] == [True]
    assert ["finished" in line for line in listed if "-none-" in line] == [True]
    assert "memforest.compressors.tome" in desk.memforest("why", run.name, source=source).out
    assert "stale" in desk.memforest("show", run.name, source=source).out


def test_the_same_command_computes_a_stale_run_anew_in_its_place_and_builds_nothing(desk: Desk, source: Path) -> None:
    run = desk.finish(*TOME, source=source)
    built, old = stamps(desk.outputs / "artifacts" / "build"), results(run)
    edit(source, "memforest.compressors.tome")
    said = desk.run(*TOME, source=source)
    assert "stale" in said.out.partition("percent")[0]
    assert desk.folder / said.folder == run
    assert stamps(desk.outputs / "artifacts" / "build") == built
    assert [stages(run)[stage]["computed"] for stage in ("build", "compress", "search")] == [0, 2, 20]
    assert results(run) == old
    assert "stale" not in desk.memforest("runs", source=source).out


def test_the_old_run_is_intact_until_the_new_one_is_complete(desk: Desk, source: Path) -> None:
    run = desk.finish(*STALLING, source=source)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    edit(source, "memforest.pipeline.search")
    _, release = desk.stall_at("search:8", *STALLING, source=source)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert release().code == 0
    assert (run / "run.json").read_bytes() != before["run.json"]


@pytest.mark.parametrize(
    ("module", "computed"),
    [
        ("memforest.retrieval.topk", [0, 0, 20]),
        ("memforest.backbones.observations", [2, 2, 20]),
    ],
)
def test_an_edited_module_is_computed_again_with_what_stands_on_it(
    desk: Desk, source: Path, module: str, computed: list[int]
) -> None:
    run = desk.finish(*TOME, source=source)
    edit(source, module)
    assert desk.finish(*TOME, source=source) == run
    assert [stages(run)[stage]["computed"] for stage in ("build", "compress", "search")] == computed


def test_what_no_number_depends_on_makes_nothing_stale(desk: Desk, source: Path) -> None:
    desk.finish(*TOME, source=source)
    for module in (
        "memforest.report.table",
        "memforest.cli",
        "memforest.compressors.kmeans",
        "memforest.retrieval.agpr",
    ):
        edit(source, module)
    before = stamps(desk.outputs)
    assert "stale" not in desk.memforest("runs", source=source).out
    desk.finish(*TOME, source=source)
    assert stamps(desk.outputs) == before


def test_an_edited_component_outside_the_package_is_computed_again(desk: Desk, tmp_path: Path) -> None:
    own = tmp_path / "own_tome.py"
    own.write_text("from memforest.compressors.tome import ToMe\n\n\nclass Own(ToMe):\n    pass\n")
    command = (*TOME, "++compressor._target_=own_tome.Own")
    before = stamps(desk.finish(*command, source=tmp_path))
    own.write_text(own.read_text() + "\n# edited\n")
    assert stamps(desk.finish(*command, source=tmp_path)) != before
