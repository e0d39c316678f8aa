"""Merging, answering and judging by a served model: nothing is lost, hidden, or paid for twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main as memforest
from memforest.config.compose import PURSE
from memforest.store.runs import StoredRun
from tests.chat_server import ChatServer, Reaction, refuses, says
from tests.e2e.desk import SMALL, Desk, Said, wait_for

OPENINGS = {"merge": "You tidy up the memory", "answer": "You answer a question", "judge": "You mark the answer"}
QUESTIONS = 20
TIMEOUT = 4.0
"""Seconds: long enough for a busy machine to answer everything else in."""
FAULTS: dict[str, tuple[str, Callable[[], Reaction]]] = {
    "429": ("rate limited", lambda: refuses(429)),
    "500": ("server error", lambda: refuses(500)),
    "timeout": ("timeout", lambda: says("late", wait=TIMEOUT + 0.5)),
    "dropped": ("connection lost", lambda: Reaction(drop=True)),
    "cut off": ("reply cut off", lambda: says('{"label": "COR', finish_reason="length")),
    "empty": ("reply empty", lambda: says("")),
}


QUICK = ("429",)
each_fault = pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault in QUICK else pytest.mark.slow) for fault in FAULTS]
)


@dataclass
class Model:
    """A served model that says something sensible in every role, and fails at the questions in `faulty`."""

    server: ChatServer = field(init=False)
    faulty: dict[tuple[str, str], Reaction] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    stall_at_answer: int | None = None

    def __post_init__(self) -> None:
        self.server = ChatServer(self._react)

    def calls(self) -> Counter[str]:
        """Calls by role since this was asked last."""
        made = Counter(role for role, _ in self.asked)
        self.asked.clear()
        return made

    def _react(self, body: dict[str, Any], number: int) -> Reaction:
        text = body["messages"][-1]["content"]
        (role,) = (name for name, opening in OPENINGS.items() if text.startswith(opening))
        self.asked.append((role, text))
        for (wanted, contained), fault in self.faulty.items():
            if wanted == role and contained in text:
                return fault
        if role == "answer" and sum(made == "answer" for made, _ in self.asked) == self.stall_at_answer:
            return says("never heard", wait=30)
        replies = {"merge": _joined(text), "answer": "a red kite", "judge": json.dumps({"label": "CORRECT"})}
        return says(replies[role])


def _joined(prompt: str) -> str:
    """The texts between the fences."""
    return " ".join(part.strip() for part in prompt.split("~~~\n")[1::2])


@pytest.fixture
def model() -> Iterator[Model]:
    served = Model()
    with served.server.running():
        yield served


def command(model: Model) -> tuple[str, ...]:
    """Overrides of these tests."""
    return (
        *SMALL,
        "compressor=tome",
        "ratio=0.5",
        "merger=llm",
        "answerer=mem0",
        "judge=memtree_public",
        "skip_categories=[]",
        f"llm.base_url={model.server.url}",
        "llm.model=kite-1",
        "llm.attempts=1",
        f"llm.timeout_seconds={TIMEOUT}",
    )


@pytest.fixture
def ask(typed: Callable[..., Said], model: Model) -> Callable[..., Said]:
    """The command with the model, and more overrides."""
    return lambda *overrides: typed(*command(model), *overrides)


def stored(desk: Desk, said: Said, *, code: int = 0) -> StoredRun:
    assert said.code == code, said.err
    return StoredRun(desk.folder / said.folder)


def questions(run: StoredRun, model: Model) -> list[str]:
    """A text that each question's prompts hold and no other's do."""
    asked = [text for role, text in model.asked if role == "answer"]
    assert len(asked) == QUESTIONS
    return [text.split("The question:\n~~~\n")[1].split("\n~~~")[0] for text in asked]


def test_a_run_says_what_it_will_ask_and_what_it_asked(ask: Callable[..., Said], desk: Desk, model: Model) -> None:
    said = ask()
    run = stored(desk, said)
    made = model.calls()
    assert made["answer"] == made["judge"] == QUESTIONS
    assert made["merge"] == sum(report["merges"] for report in run.read("compression.json"))
    assert f"merge: at most {made['merge']} calls of kite-1" in said.out
    assert f"answer: at most {QUESTIONS} calls of kite-1" in said.out
    rows = {row["role"]: row for row in run.read("ledger.json")["rows"]}
    assert {role: row["calls"] for role, row in rows.items()} == dict(made)
    assert rows["answer"]["paid"]["output_tokens"] == 10 * QUESTIONS
    assert "memtree_public@kite-1#" in said.out


def test_the_same_command_and_another_judge_ask_nothing_twice(
    ask: Callable[..., Said], desk: Desk, model: Model
) -> None:
    first = stored(desk, ask())
    model.calls()
    assert stored(desk, ask()).id == first.id
    assert model.calls() == {}
    other = stored(desk, ask("judge=memtree_strict"))
    assert other.id != first.id
    # Both judges ask the same about questions that have no answer.
    assert model.calls() == {"judge": sum(record["answerable"] for record in first.records())}
    assert [r["answer"] for r in other.records()] == [r["answer"] for r in first.records()]


@each_fault
def test_a_failed_answer_is_counted_and_only_it_is_asked_again(
    ask: Callable[..., Said], desk: Desk, model: Model, fault: str
) -> None:
    reason, reaction = FAULTS[fault]
    calm = stored(desk, ask())
    (wanted, *_) = questions(calm, model)
    desk.outputs.rename(desk.folder / "calm")
    model.calls()
    model.faulty = {("answer", wanted): reaction()}
    said = ask()
    failed = stored(desk, said, code=3).read("metrics.json")["answers"]
    assert failed["failed"] == {f"answer: {reason}": 1}
    (judged,) = failed["judges"].values()
    assert (judged["scored"], judged["asked"]) == (QUESTIONS - 1, QUESTIONS)
    assert judged["unscored"] == {f"no answer: {reason}": 1}
    assert f"failed: answer: {reason} 1" in said.out
    model.calls()
    model.faulty = {}
    mended = stored(desk, ask())
    assert model.calls() == {"answer": 1, "judge": 1}
    assert mended.records() == StoredRun(desk.folder / "calm" / "runs" / calm.id).records()
    assert mended.attempts == 2


@each_fault
def test_a_failed_verdict_is_no_verdict_and_only_it_is_asked_again(
    ask: Callable[..., Said], desk: Desk, model: Model, fault: str
) -> None:
    reason, reaction = FAULTS[fault]
    calm = stored(desk, ask("judge=none"))
    (wanted, *_) = questions(calm, model)
    model.calls()
    model.faulty = {("judge", wanted): reaction()}
    (judged,) = stored(desk, ask(), code=3).read("metrics.json")["answers"]["judges"].values()
    assert judged["unscored"] == {f"judge failed: {reason}": 1}
    assert model.calls()["answer"] == 0
    model.faulty = {}
    (judged,) = stored(desk, ask()).read("metrics.json")["answers"]["judges"].values()
    assert model.calls() == {"judge": 1}
    assert (judged["unscored"], judged["mean"]) == ({}, 100.0)


@each_fault
def test_a_failed_merge_keeps_every_node_and_is_asked_again(
    ask: Callable[..., Said], desk: Desk, model: Model, fault: str
) -> None:
    reason, reaction = FAULTS[fault]
    calm = stored(desk, ask())
    merged = [text for role, text in model.asked if role == "merge"]
    desk.outputs.rename(desk.folder / "calm")
    model.calls()
    model.faulty = {("merge", merged[0]): reaction()}
    run = stored(desk, ask(), code=3)
    reports = run.read("compression.json")
    assert sum(report["failed_merges"].get(reason, 0) for report in reports) == run.retryable["compress"] == 1
    for report in reports:
        assert report["after"]["nodes"] == report["target"] + report["shortfall"]
        assert report["dropped_nodes"] == []
    made = model.calls()
    assert made["answer"] == made["judge"] == 0, "answers on a memory that is made anew would be paid for twice"
    assert run.read("metrics.json")["answers"]["asked"] == 0
    model.faulty = {}
    mended = stored(desk, ask())
    assert mended.retryable == {}
    made = model.calls()
    assert 0 < made["merge"] < len(merged) / 2 and made["answer"] == QUESTIONS
    assert mended.records() == StoredRun(desk.folder / "calm" / "runs" / calm.id).records()


def test_a_run_killed_at_7_of_20_answers_makes_13_calls_when_repeated(
    ask: Callable[..., Said], desk: Desk, model: Model
) -> None:
    alone = ("judge=none", "llm.concurrency=1", "llm.timeout_seconds=60")
    model.stall_at_answer = 8
    process = desk.begin(*command(model), *alone)
    wait_for(lambda: sum(role == "answer" for role, _ in model.asked) == 8, process)
    process.kill()
    process.communicate()
    model.stall_at_answer = None
    model.calls()
    run = stored(desk, ask(*alone))
    assert model.calls() == {"answer": 13}
    assert len(run.records()) == QUESTIONS


def test_a_server_that_is_gone_stops_the_run_and_what_was_answered_is_kept(
    ask: Callable[..., Said], desk: Desk, model: Model
) -> None:
    calm = stored(desk, ask("judge=none"))
    gone = questions(calm, model)[5:]
    desk.outputs.rename(desk.folder / "calm")
    model.calls()
    model.faulty = {("answer", text): refuses(401, "no such key") for text in gone}
    said = ask("judge=none", "failures_in_a_row=4", "llm.concurrency=1")
    assert said.code == 1
    assert (
        "4 questions in a row failed in their calls, the last one because: request refused 401: no such key" in said.err
    )
    assert model.calls()["answer"] < QUESTIONS
    model.faulty = {}
    stored(desk, ask("judge=none", "llm.concurrency=1"))
    assert model.calls() == {"answer": QUESTIONS - 5}


def test_a_merger_that_failed_can_be_answered_on_all_the_same(
    ask: Callable[..., Said], desk: Desk, model: Model
) -> None:
    ask()
    wanted = next(text for role, text in model.asked if role == "merge")
    model.faulty = {("merge", wanted): refuses(500)}
    run = stored(desk, ask("answer_incomplete=true", "paths.outputs=again"), code=3)
    assert run.read("metrics.json")["answers"]["asked"] == QUESTIONS


def test_a_budget_is_that_of_all_runs_of_a_sweep(ask: Callable[..., Said], model: Model, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"models": {"kite-1": {"input": 10_000, "cached_input": 10_000, "output": 0}}}))
    spent = PURSE.spent
    said = ask(
        "--multirun",
        f"llm.prices={prices}",
        f"llm.budget={spent + 30:.3f}",
        "llm.concurrency=1",
        "seed=0",
        "llm.seed=1,2",
        "merger=concat",
        "judge=none",
    )
    assert said.code == 1 and "the budget for language models is spent" in said.err
    assert model.calls() == {"answer": 30}


def test_a_spent_budget_stops_a_run_and_a_higher_one_continues_it(
    ask: Callable[..., Said], desk: Desk, model: Model, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.json"
    million = {"input": 10_000, "cached_input": 10_000, "output": 0}
    prices.write_text(json.dumps({"models": {"kite-1": million}}))
    poor = ask(f"llm.prices={prices}", f"llm.budget={PURSE.spent + 10.5}", "llm.concurrency=1")
    assert poor.code == 1 and "the budget for language models is spent" in poor.err
    assert sum(model.calls().values()) == 11
    run = stored(desk, ask(f"llm.prices={prices}", "llm.budget=100000", "llm.concurrency=1"))
    rest = sum(model.calls().values())
    ledger = run.read("ledger.json")["total"]
    assert (ledger["calls"], ledger["cached_calls"]) == (rest, 11)


def test_a_recording_repeats_a_run_without_the_model(
    ask: Callable[..., Said], typed: Callable[..., Said], desk: Desk, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stored(desk, ask())
    memforest(["record", run.id, "--out", "replies.jsonl.gz"])
    assert "replies" in capsys.readouterr().out
    model.calls()
    said = ask("llm=replay", "llm.base_url=null", "llm.recording=replies.jsonl.gz", "paths.outputs=again")
    again = stored(desk, said)
    assert again.id == run.id and model.calls() == {}
    assert again.records() == run.records()
    missing = ask("llm=replay", "llm.recording=replies.jsonl.gz", "paths.outputs=more", "seed=1", "ratio=0.6")
    assert missing.code == 1 and "no reply is kept for the role merge" in missing.err


def test_a_run_with_replies_that_were_none_is_recorded_and_repeated_with_them(
    ask: Callable[..., Said], desk: Desk, model: Model
) -> None:
    stored(desk, ask("paths.outputs=calm"))
    merged = next(text for role, text in model.asked if role == "merge").split("~~~\n")[1]
    model.faulty["merge", merged] = says("round and round", finish_reason="length")
    looping = stored(desk, ask("answer_incomplete=true"), code=3)
    assert looping.read("metrics.json")["retryable_failures"] > 0
    memforest(["record", looping.id, "--out", "replies.jsonl"])
    model.calls()
    said = ask("llm=replay", "llm.recording=replies.jsonl", "answer_incomplete=true", "paths.outputs=again")
    again = stored(desk, said, code=3)
    assert model.calls() == {}
    assert (again.id, again.records()) == (looping.id, looping.records())
    assert again.read("compression.json") == looping.read("compression.json")


def test_calls_that_brought_nothing_cannot_be_recorded(
    ask: Callable[..., Said], desk: Desk, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.faulty["judge", ""] = refuses(500)
    run = stored(desk, ask("failures_in_a_row=1000"), code=3)
    with pytest.raises(SystemExit):
        memforest(["record", run.id, "--out", "replies.jsonl"])
    assert "has failed calls; make them again first" in capsys.readouterr().err
    assert not (desk.folder / "replies.jsonl").exists()


def test_without_a_model_the_run_stops_before_it_starts(typed: Callable[..., Said]) -> None:
    said = typed(*SMALL, "compressor=tome", "merger=llm")
    assert (said.code, said.out) == (1, "")
    assert "merger=llm asks a language model, and none is chosen for the role merge" in said.err


def test_a_judge_without_answers_is_refused(typed: Callable[..., Said]) -> None:
    said = typed(*SMALL, "judge=letter")
    assert said.code == 1 and "answerer=none gives none" in said.err


def test_a_merger_that_nobody_asks_needs_no_model(typed: Callable[..., Said]) -> None:
    assert typed(*SMALL, "compressor=random_pruning", "merger=llm").code == 0
