"""Judging stored answers: the votes that they came with, ours, and how far both agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main
from memforest.config.compose import components, compose_spec
from memforest.core.errors import ConfigError, DataError
from memforest.exchange.judging import judge_answers
from memforest.exchange.published.answers import read_answers

DATA = ("dataset=synthetic", "dataset.units=1", "dataset.questions_per_unit=6")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(folder: Path, *labels: tuple[str, str]) -> str:
    """A scripted judge: CORRECT, or for answers with a text another label."""
    replies = [{"reply": {"label": label}, "contains": text} for text, label in labels]
    path = folder / "judge.json"
    path.write_text(json.dumps({"replies": [*replies, {"reply": {"label": "CORRECT"}}]}))
    return str(path)


def answers(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judged(source: Path, *settings: str, out: Path | None = None, sample: int | None = None) -> dict[str, Any]:
    chosen = [*DATA, "judge=memtree_public", "llm=scripted", *settings]
    return judge_answers(source, out=out, sample=sample, seed=0, replace=False, settings=chosen)


def question_ids() -> list[str]:
    return [question.id for question in components(compose_spec(DATA)).dataset.load().questions]


def stored(folder: Path) -> Path:
    names = question_ids()
    assert len(names) == 6
    return answers(
        folder, [{"question_id": name, "answer": f"kite {place}", "votes": [True]} for place, name in enumerate(names)]
    )


def test_our_votes_are_counted_beside_theirs_and_written(here: Path) -> None:
    found = judged(stored(here), f"llm.script={script(here, ('kite 2', 'WRONG'))}", out=here / "ours.jsonl")
    (accuracy,) = found["answers"]["judges"].values()
    assert accuracy["mean"] == pytest.approx(100 * 5 / 6)
    assert found["agreement"]["agreement"] == pytest.approx(100 * 5 / 6)
    assert (found["agreement"]["accepted_by_them"], found["agreement"]["scored"]) == (100.0, 6)
    assert [answer.votes for answer in read_answers(here / "ours.jsonl")].count((False,)) == 1
    assert found["calls"]["total"]["calls"] == 6


def test_a_sample_is_the_same_for_the_same_seed_and_costs_nothing_twice(here: Path) -> None:
    source = stored(here)
    first, second = (judged(source, f"llm.script={script(here)}", sample=3) for _ in range(2))
    assert first["answers"] == second["answers"] and first["answers"]["asked"] == 3
    assert second["calls"]["total"]["calls"] == 0


def test_answers_without_votes_have_no_agreement(here: Path) -> None:
    source = answers(here, [{"question_id": question_ids()[0], "answer": "x"}])
    assert judged(source, f"llm.script={script(here)}")["agreement"] is None


def test_answers_of_other_questions_are_refused_by_name(here: Path) -> None:
    source = answers(here, [{"question_id": "conv-1/qa0", "answer": "x"}])
    with pytest.raises(DataError, match=r"answers\.jsonl answers 1 questions .* such as 'conv-1/qa0'"):
        judged(source)


def test_somebody_has_to_judge(here: Path) -> None:
    with pytest.raises(ConfigError, match="choose who judges: judge=NAME"):
        judge_answers(stored(here), out=None, sample=None, seed=0, replace=False, settings=DATA)


def test_a_dataset_is_judged_whatever_backbone_would_fit_it(here: Path) -> None:
    data = ("dataset=m3_generated", "dataset.videos=1", "dataset.clips=4")
    dataset = components(compose_spec([*data, "backbone=m3_agent"])).dataset.load()
    source = answers(here, [{"question_id": dataset.questions[0].id, "answer": "a kite"}])
    chosen = [*data, "judge=m3_agent", "llm=scripted"]
    found = judge_answers(source, out=None, sample=None, seed=0, replace=False, settings=chosen)
    assert found["answers"]["asked"] == 1


def test_what_the_judge_needs_of_the_dataset_is_still_asked_for(here: Path) -> None:
    with pytest.raises(ConfigError, match="judge=longmemeval needs question_types, which dataset=synthetic"):
        judged(stored(here), "judge=longmemeval")


def test_the_command_prints_words_or_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["judge", str(stored(here)), *DATA, "judge=memtree_public", "llm=scripted"]
    main([*command, "--json"])
    assert json.loads(capsys.readouterr().out)["answers"]["asked"] == 6
    main(command)
    assert "beside the votes that 6 answers came with" in capsys.readouterr().out


def test_failed_verdicts_end_the_command_with_a_status_of_their_own(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = {"replies": [{"reply": {"label": "CORRECT"}}], "faults": [{"fault": "500", "contains": "kite 2"}]}
    (here / "faulty.json").write_text(json.dumps(faults))
    command = ["judge", str(stored(here)), *DATA, "judge=memtree_public", "llm=scripted", "llm.script=faulty.json"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--json"])
    assert ended.value.code == 3
    assert json.loads(capsys.readouterr().out)["failed_calls"] == {"judge": 1}
    (here / "faulty.json").write_text(json.dumps({**faults, "faults": []}))
    main([*command, "--json"])
    assert json.loads(capsys.readouterr().out)["calls"]["total"]["calls"] == 1
