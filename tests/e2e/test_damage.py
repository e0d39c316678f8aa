"""Damaged files are named with what to do about them, and are never used."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.desk import SMALL, Desk, Said


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs of a finished run; tests work on copies."""
    desk = Desk(tmp_path_factory.mktemp("finished"))
    desk.finish(*SMALL, "compressor=tome")
    return desk.outputs


@pytest.fixture
def used(desk: Desk, finished: Path) -> Desk:
    """A desk with those outputs."""
    shutil.copytree(finished, desk.outputs)
    return desk


def flip(path: Path) -> None:
    """Change the last byte."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def names(said: Said, path: Path) -> None:
    """One error that names `path` and says what to do, and no traceback."""
    assert said.code == 1
    assert said.err.startswith("error: ")
    assert path.name in said.err
    assert "delete" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("vectors.npy", flip),
        ("memories.jsonl", Path.unlink),
        ("manifest.json", lambda path: path.write_text("{")),
    ],
)
def test_a_damaged_artifact_is_named(used: Desk, file: str, damage: Callable[[Path], object]) -> None:
    path = sorted((used.outputs / "artifacts" / "build").glob(f"*/{file}"))[0]
    damage(path)
    said = used.run(*SMALL, "compressor=dart")
    names(said, path)
    assert str(path.parent.relative_to(used.folder)) in said.err


@pytest.mark.parametrize("text", ["[]", "{}", '{"files": 1}'])
def test_a_manifest_of_another_form_is_named(used: Desk, text: str) -> None:
    path = sorted((used.outputs / "artifacts" / "build").glob("*/manifest.json"))[0]
    path.write_text(text)
    names(used.run(*SMALL, "compressor=dart"), path)


def test_what_the_error_says_helps(used: Desk) -> None:
    path = sorted((used.outputs / "artifacts" / "build").glob("*/vectors.npy"))[0]
    flip(path)
    shutil.rmtree(path.parent)
    used.finish(*SMALL, "compressor=dart")


def test_an_artifact_without_its_manifest_is_built_again(used: Desk) -> None:
    path = sorted((used.outputs / "artifacts" / "build").glob("*/manifest.json"))[0]
    path.unlink()
    used.finish(*SMALL, "compressor=dart")
    assert path.is_file()


def test_a_damaged_shard_of_vectors_is_named(used: Desk) -> None:
    path = sorted((used.outputs / "artifacts" / "vectors").rglob("*.npz"))[0]
    flip(path)
    names(used.run(*SMALL, "compressor=tome", "ratio=0.3"), path)


def test_a_damaged_run_is_named(used: Desk) -> None:
    path = sorted((used.outputs / "runs").glob("*tome*/run.json"))[0]
    path.write_text("{")
    names(used.run(*SMALL, "compressor=tome"), path)
    names(used.memforest("show", "tome"), path)


def test_a_damaged_run_does_not_hide_the_others_from_the_list(used: Desk) -> None:
    sorted((used.outputs / "runs").glob("*tome*/metrics.json"))[0].unlink()
    assert "-none-" in used.memforest("runs").out
