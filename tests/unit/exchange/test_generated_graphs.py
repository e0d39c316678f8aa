"""Generated videos as files are read as the generated dataset is, but for the evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memforest.config.compose import compose, instantiate
from memforest.config.spec import parse_choice
from memforest.core.errors import ConfigError
from memforest.core.protocols import LoadedDataset
from memforest.exchange.generated_graphs import ANNOTATIONS, write_generated
from memforest.graphs.read import read_graph

SMALL = ("videos=2", "clips=3", "questions_per_video=8")


def load(*overrides: str) -> LoadedDataset:
    data: LoadedDataset = instantiate(parse_choice("dataset", compose(list(overrides))["dataset"])).load()
    return data


@pytest.mark.parametrize("style", ["robot", "web"])
def test_files_hold_what_the_dataset_holds(tmp_path: Path, style: str) -> None:
    said = write_generated(tmp_path / "new", settings=[*SMALL, f"style={style}"])
    assert f"dataset=m3bench_{style} dataset.path={tmp_path / 'new' / ANNOTATIONS}" in said
    made = load("dataset=m3_generated", *(f"dataset.{setting}" for setting in SMALL), f"dataset.style={style}")
    read = load(f"dataset=m3bench_{style}", f"dataset.path={tmp_path / 'new' / ANNOTATIONS}")
    assert read.questions == made.questions
    assert read.golds == tuple(replace(gold, evidence=()) for gold in made.golds)
    for unit in made.units:
        found = read_graph(tmp_path / "new" / f"{unit.id}.graph.json", video=unit.id)
        assert (found.graph, found.repairs) == (unit.graph, ())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "note.txt").touch()
    with pytest.raises(ConfigError, match="not empty"):
        write_generated(tmp_path, settings=SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
