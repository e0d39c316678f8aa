"""A run whose answerer searches and answers in turn: nothing is asked twice, and its searches are counted and timed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main as memforest
from memforest.store.runs import StoredRun
from tests.chat_server import ChatServer, Reaction, says
from tests.e2e.desk import SMALL, Desk, Said, results

QUESTIONS = 20
SEARCHED = "Content: a lantern in the harbour"
"""Holds from the second round on."""

SCRIPT = {
    "replies": [
        {"role": "answer", "contains": "Content: a violin", "reply": "Action: [Answer]\nContent: a red kite"},
        {"role": "answer", "contains": SEARCHED, "reply": "Action: [Search]\nContent: a violin"},
        {"role": "answer", "reply": f"Action: [Search]\n{SEARCHED}"},
        {"role": "judge", "reply": "Yes."},
    ]
}
LOOP = (*SMALL, "skip_categories=[]", "answerer=m3_agent", "judge=m3_agent", "failures_in_a_row=50", "llm=scripted")


@pytest.fixture
def ask(typed: Callable[..., Said], tmp_path: Path) -> Callable[..., Said]:
    """The loop with a model that searches twice and then answers; `faults` as in a script."""

    def run(*overrides: str, faults: Any = ()) -> Said:
        path = tmp_path / "script.json"
        path.write_text(json.dumps({**SCRIPT, "faults": list(faults)}))
        return typed(*LOOP, f"llm.script={path}", "llm.attempts=1", *overrides)

    return run


def stored(desk: Desk, said: Said, *, code: int = 0) -> StoredRun:
    assert said.code == code, said.err
    return StoredRun(desk.folder / said.folder)


def calls(run: StoredRun, role: str = "answer") -> tuple[int, int]:
    """Calls made and replies found."""
    (row,) = (row for row in run.read("ledger.json")["rows"] if row["role"] == role)
    return row["calls"], row["cached_calls"]


def test_a_loop_says_how_often_it_searched_and_how_long_that_took(
    ask: Callable[..., Said], desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ask()
    run = stored(desk, said)
    assert calls(run) == (3 * QUESTIONS, 0)
    assert f"answer: at most {5 * QUESTIONS} calls of scripted" in said.out
    answers, times = run.read("metrics.json")["answers"], run.read("timings.json")["searches"]
    assert answers["searches"] == {"mean": 2.0, "interval": [2.0, 2.0], "total": 2 * QUESTIONS, "questions": QUESTIONS}
    assert (times["measured"], times["questions"]) == (3 * QUESTIONS, QUESTIONS), "the question itself is searched too"
    assert "seconds" not in json.dumps(run.read("metrics.json")) + json.dumps(run.records())
    assert f"Avg-R 2.00 [2.00, 2.00] searches per question, of {QUESTIONS}; R-Time " in said.out
    capsys.readouterr()
    memforest(["show", run.id])
    assert "T-Time" in capsys.readouterr().out
    for record in run.records():
        assert record["shown"]["texts"] == ["a lantern in the harbour", "a violin"]
        assert record["shown"]["nodes"] == 2 * 10, "two searches, and nothing twice"
    (judged,) = answers["judges"].values()
    assert (judged["mean"], judged["scored"]) == (100.0, QUESTIONS)


@pytest.mark.parametrize("fault", ["429", "cut off"])
def test_a_failed_round_is_a_failed_answer_and_only_it_is_asked_again(
    ask: Callable[..., Said], desk: Desk, fault: str
) -> None:
    calm = stored(desk, ask())
    desk.outputs.rename(desk.folder / "calm")
    failed = stored(desk, ask(faults=[{"fault": fault, "role": "answer", "contains": SEARCHED}]), code=3)
    assert calls(failed) == (2 * QUESTIONS, 0)
    answers = failed.read("metrics.json")["answers"]
    assert sum(answers["failed"].values()) == QUESTIONS == failed.retryable["answer"]
    (judged,) = answers["judges"].values()
    assert (judged["scored"], judged["mean"]) == (0, None)
    mended = stored(desk, ask())
    assert calls(mended) == (2 * QUESTIONS, QUESTIONS), "the first round of each question is kept"
    assert mended.records() == StoredRun(desk.folder / "calm" / "runs" / calm.id).records()


def test_who_never_answers_is_wrong_and_not_failed(ask: Callable[..., Said], desk: Desk, tmp_path: Path) -> None:
    script = tmp_path / "stubborn.json"
    script.write_text(json.dumps({"replies": [{"reply": f"Action: [Search]\n{SEARCHED}"}]}))
    answers = stored(desk, ask(f"llm.script={script}", "answerer=m3_agent_released")).read("metrics.json")["answers"]
    assert (answers["abstained"], answers["failed"], answers["searches"]["mean"]) == (QUESTIONS, {}, 5.0)
    (judged,) = answers["judges"].values()
    assert (judged["mean"], judged["scored"], judged["unscored"]) == (0.0, QUESTIONS, {})


def test_without_a_model_the_loop_gives_its_evidence_and_times_and_no_answers(
    typed: Callable[..., Said], desk: Desk
) -> None:
    command = (*SMALL, "skip_categories=[]", "answerer=m3_agent_question", "answerer.rounds=3")
    run = stored(desk, typed(*command))
    answers = run.read("metrics.json")["answers"]
    assert (answers["unanswered"], answers["searches"]["mean"]) == (QUESTIONS, 3.0)
    assert answers["shown"]["evidence_recall"]["mean"] > run.read("metrics.json")["evidence_recall"]
    assert not run.has("ledger.json") and run.retryable == {}
    again = stored(desk, typed(*command, "paths.outputs=again"))
    assert results(again.folder) == results(run.folder)
    assert typed(*command).folder == run.folder.relative_to(desk.folder).as_posix(), "it is finished"


def test_the_packaged_script_runs_the_loop(typed: Callable[..., Said], desk: Desk) -> None:
    run = stored(desk, typed(*LOOP, "judge=none", "answerer.rounds=3"))
    answers = run.read("metrics.json")["answers"]
    assert calls(run) == (3 * QUESTIONS, 0)
    assert (answers["answered"], answers["searches"]["mean"]) == (QUESTIONS, 2.0)
    assert {record["shown"]["nodes"] for record in run.records()} == {2 * 10}, "two searches, and nothing twice"


def test_a_scripted_run_is_recorded_without_naming_its_script(
    typed: Callable[..., Said], desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stored(desk, typed(*LOOP, "judge=none", "answerer.rounds=2"))
    memforest(["record", run.id, "--out", "replies.jsonl"])
    assert f"{2 * QUESTIONS} replies" in capsys.readouterr().out


def test_who_only_searches_cannot_be_judged_wrong(ask: Callable[..., Said], desk: Desk) -> None:
    run = stored(desk, ask("answerer=m3_agent_question"))
    (judged,) = run.read("metrics.json")["answers"]["judges"].values()
    assert (judged["scored"], judged["unscored"]) == (0, {"no answer: no model is asked": QUESTIONS})


def test_a_served_model_gets_the_conversation_as_messages_and_a_recording_repeats_it(
    typed: Callable[..., Said], desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[list[str]] = []

    def react(body: dict[str, Any], number: int) -> Reaction:
        roles = [message["role"] for message in body["messages"]]
        seen.append(roles)
        answers = "assistant" in roles
        return says("Action: [Answer]\nContent: a red kite" if answers else f"Action: [Search]\n{SEARCHED}")

    served = ChatServer(react)
    with served.running():
        model = (f"llm.base_url={served.url}", "llm.model=kite-1")
        run = stored(desk, typed(*SMALL, "skip_categories=[]", "answerer=m3_agent", *model))
    assert sorted(seen) == sorted([["system", "user"], ["system", "user", "assistant", "user"]] * QUESTIONS)
    memforest(["record", run.id, "--out", "replies.jsonl.gz"])
    assert "replies" in capsys.readouterr().out
    replayed = ("llm=replay", "llm.model=kite-1", "llm.recording=replies.jsonl.gz", "paths.outputs=again")
    again = stored(desk, typed(*SMALL, "skip_categories=[]", "answerer=m3_agent", *replayed))
    assert again.id == run.id and again.records() == run.records()
