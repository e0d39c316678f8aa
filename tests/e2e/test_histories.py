"""Runs on benchmarks of chat histories and on people's own, from small files made here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.turns import Turns
from memforest.config.compose import compose_spec
from memforest.core.protocols import NotRunnable
from memforest.core.types import Unit
from memforest.pipeline.front import run_and_print
from memforest.store.runs import METRICS, RUN, StoredRun
from tests.unit.datasets import exports, haystacks, personas


def run(folder: Path, *overrides: str) -> StoredRun:
    """A run with the test embedder on turns."""
    fixed = ["backbone=turns", "embedder=hashing", "compressor=tome", "ratio=0.5", f"paths.outputs={folder}/out"]
    return run_and_print(compose_spec([*overrides, *fixed]))


def metrics(of: StoredRun) -> Any:
    return of.read(METRICS)


def test_longmemeval_is_scored_by_turns_and_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = haystacks.written(tmp_path / "s.json", [haystacks.instance("a"), haystacks.instance("b_abs")])
    done = run(tmp_path, "dataset=longmemeval_s", f"dataset.path={path}")
    assert (metrics(done)["questions"], metrics(done)["scored"]) == (2, 1)
    assert metrics(done)["evidence_recall"] == metrics(done)["session_evidence_recall"] == 100.0
    assert done.read(RUN)["scope"] == "smoke"
    assert "notice: smoke: 2 of the 500 questions of LongMemEval-S" in capsys.readouterr().out


def test_where_only_sessions_are_known_the_table_is_about_sessions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unmarked = [haystacks.talk(topic) for topic in ("boats", "kites", "drums")]
    path = haystacks.written(tmp_path / "oracle.json", [haystacks.instance(haystack_sessions=unmarked)])
    done = run(tmp_path, "dataset=longmemeval_oracle", f"dataset.path={path}")
    assert (metrics(done)["evidence_recall"], metrics(done)["session_evidence_recall"]) == (None, 100.0)
    assert "sessions [95 %]" in capsys.readouterr().out


def test_a_limit_is_another_run(tmp_path: Path) -> None:
    rows = [personas.row("q1"), personas.row("q2", end_index_in_shared_context="3")]
    path = personas.written(tmp_path, rows)
    all_of_it, limited = (
        run(tmp_path, "dataset=personamem_32k", f"dataset.path={path}", f"dataset.limit={limit}")
        for limit in ("null", 1)
    )
    assert all_of_it.id != limited.id
    assert [metrics(done)["questions"] for done in (all_of_it, limited)] == [2, 1]


def test_personamem_is_clustered_by_persona(tmp_path: Path) -> None:
    path = personas.written(tmp_path, [personas.row("q1"), personas.row("q2", end_index_in_shared_context="3")])
    done = run(tmp_path, "dataset=personamem_32k", f"dataset.path={path}")
    assert [(record["unit"], record["cluster"]) for record in done.records()] == [
        ("c1/7", "persona 0"),
        ("c1/3", "persona 0"),
    ]
    assert metrics(done)["intervals"]["answer_token_recall"] is None


def test_option_length_is_of_the_questions_that_were_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inputs(self: Turns, *, unit: Unit) -> str | NotRunnable:
        return NotRunnable(unit.id, "no memory of it") if unit.id == "c1/3" else ""

    monkeypatch.setattr(Turns, "inputs", inputs)
    path = personas.written(tmp_path, [personas.row("q1"), personas.row("q2", end_index_in_shared_context="3")])
    done = run(tmp_path, "dataset=personamem_32k", f"dataset.path={path}")
    assert (metrics(done)["questions"], metrics(done)["option_length"]["questions"]) == (2, 1)


@pytest.mark.parametrize("name", exports.EXAMPLES)
def test_a_history_without_questions_is_compressed_and_nothing_is_claimed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    exports.load(tmp_path, exports.EXAMPLES[name])
    done = run(tmp_path, "dataset=chat_export", f"dataset.path={tmp_path}/mine.json")
    assert metrics(done)["questions"] == 0
    assert metrics(done)["nodes_after"] < metrics(done)["nodes_before"]
    said = capsys.readouterr().out
    assert "the data has no questions" in said
    assert "by category" not in said
    assert "oracle" not in said
