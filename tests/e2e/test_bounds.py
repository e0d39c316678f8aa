"""`memforest bounds`, on runs of the bundled sample."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main
from memforest.datasets.sample import Sample
from memforest.store.code import code_of
from tests.e2e.desk import Said

Typed = Callable[..., Said]


@pytest.fixture
def bounds(typed: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """`memforest bounds arguments` at the desk of `typed`."""

    def ask(*arguments: str) -> Said:
        code = 0
        try:
            main(["bounds", *arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        said = capsys.readouterr()
        return Said(code, said.out, said.err, 0.0)

    return ask


def run(typed: Typed, *overrides: str) -> str:
    said = typed(*overrides)
    assert said.code == 0, said.err
    return said.folder


def measured(bounds: Callable[..., Said], folder: str) -> dict[str, Any]:
    said = bounds(folder, "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def outside(item: dict[str, Any]) -> int:
    """Losses above their bound that no negative sum explains."""
    return int(item["exceeded"] - item["exceeded_with_negative_sum"])


def evidence_in_sample() -> int:
    """Answerable questions of the sample with each observation that rests on their evidence."""
    sample = Sample().load()
    return sum(
        gold.answerable and not set(gold.evidence).isdisjoint(observation.turn_ids)
        for question, gold in zip(sample.questions, sample.golds, strict=True)
        for unit in sample.units
        if unit.id == question.unit_id
        for observation in unit.observations
    )


@pytest.mark.parametrize("reembedding", [["interpolate", "reembedding.weight=0.3"], ["mean"]])
@pytest.mark.parametrize("compressor", ["memforest", "tome"])
def test_interpolated_vectors_keep_to_the_bounds(
    typed: Typed, bounds: Callable[..., Said], reembedding: list[str], compressor: str
) -> None:
    name, *weight = reembedding
    found = measured(bounds, run(typed, f"compressor={compressor}", f"reembedding={name}", *weight))
    inequalities = found["inequalities"]
    assert found["cosine_to_equation_11"]["smallest"] == pytest.approx(1, abs=2e-6)
    assert inequalities["equation_13"]["exceeded"] > 0
    for equation in ("equation_13", "equation_14", "equation_15", "cauchy_schwarz"):
        assert outside(inequalities[equation]) == 0, equation


def test_embedded_texts_leave_equation_13(typed: Typed, bounds: Callable[..., Said]) -> None:
    folder = run(typed, "compressor=memforest", "reembedding=text")
    found = measured(bounds, folder)
    metrics = json.loads(Path(folder, "metrics.json").read_bytes())
    assert (found["merges"], found["questions"]) == (metrics["merges"], metrics["questions"])
    assert outside(found["inequalities"]["equation_13"]) > 0
    assert found["inequalities"]["equation_14"]["exceeded"] == 0
    assert found["inequalities"]["cauchy_schwarz"]["exceeded"] == 0
    assert found["inequalities"]["evidence"]["cases"] > 0
    assert found["standing"]["evidence"]["cases"] == evidence_in_sample()


def test_the_run_is_left_as_it_is_and_the_answer_is_the_same_again(typed: Typed, bounds: Callable[..., Said]) -> None:
    folder = run(typed, "compressor=tome", "seed=1")
    before = {path: path.read_bytes() for path in Path("outputs").rglob("*") if path.is_file()}
    first = bounds(Path(folder).name)
    assert "15: s_i - s_l <= " in first.out
    assert "no λ, and 1/2 stands for it" in first.out
    assert bounds(folder, "--outputs", "outputs").out == first.out
    assert {path: path.read_bytes() for path in Path("outputs").rglob("*") if path.is_file()} == before


def test_merges_of_a_script_need_no_script(typed: Typed, bounds: Callable[..., Said], tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": [{"reply": "a red kite"}]}))
    models = ("merger=llm", "answerer=mem0", "llm=scripted", f"llm.script={script}")
    folder = run(typed, "compressor=tome", "ratio=0.3", *models)
    script.unlink()
    assert measured(bounds, folder)["merges"] > 0


def test_a_method_that_merges_nothing_is_refused(typed: Typed, bounds: Callable[..., Said]) -> None:
    said = bounds(run(typed, "compressor=kmeans"))
    assert said.code == 1
    assert "compressor=kmeans, which merges nothing" in said.err


def test_a_run_without_merges_is_refused(typed: Typed, bounds: Callable[..., Said]) -> None:
    said = bounds(run(typed, "compressor=tome", "ratio=0"))
    assert said.code == 1
    assert "merged no nodes" in said.err


@pytest.mark.parametrize("stage", ["build", "compress"])
def test_artifacts_that_are_gone_are_named_with_what_makes_them(
    typed: Typed, bounds: Callable[..., Said], stage: str
) -> None:
    folder = run(typed, "compressor=tome", "ratio=0.3")
    shutil.rmtree(Path("outputs/artifacts") / stage)
    said = bounds(folder)
    assert said.code == 1
    assert f"the {stage} artifacts of 4 of 4 units" in said.err
    assert "python run.py" in said.err
    shutil.rmtree(folder)
    command = said.err.strip().rpartition("python run.py ")[2].split()
    assert {"embedder=hashing", "compressor=tome", "ratio=0.3"} <= set(command)
    assert bounds(run(typed, *command)).code == 0


def test_a_stale_run_is_refused(typed: Typed, bounds: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(typed, "compressor=tome")
    edited = "memforest.compressors.tome"
    monkeypatch.setattr("memforest.store.runs.code_of", lambda names: {**code_of(names), edited: "edited"})
    said = bounds(folder)
    assert said.code == 1
    assert f"is stale, changed since are {edited}; make it anew with: python run.py" in said.err


def test_data_that_is_not_the_runs_is_refused(typed: Typed, bounds: Callable[..., Said]) -> None:
    for name, units in (("one.json", 1), ("two.json", 2)):
        main(["data", "generate", name, f"units={units}", "sessions=3"])
    folder = run(typed, "dataset=locomo", "dataset.path=one.json", "compressor=tome")
    assert bounds(folder, "dataset.path=one.json").code == 0
    said = bounds(folder, "dataset.path=two.json")
    assert said.code == 1
    assert "the data is not that of" in said.err
    assert "makes another run" in bounds(folder, "dataset.path=one.json", "k=3").err
