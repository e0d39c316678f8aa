"""The client with scripted models: faults, checks, repair, cache, budget; each fault is counted under its reason."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memforest.core.chat import FAILURES, ROLES, ChatFailed, ChatReply, ChatRequest
from memforest.core.errors import BudgetError, ReplayError, StoreError
from memforest.llm.client import ModelChat
from memforest.llm.ledger import Ledger
from memforest.llm.script import Fault, Steps
from tests.unit.llm.support import YES_OR_NO, Clock, ask, chat, files

REASONS = {
    "429": "rate limited",
    "500": "server error",
    "503": "server error",
    "400": "request refused",
    "404": "request refused",
    "timeout": "timeout",
    "dropped": "connection lost",
    "cut off": "reply cut off",
    "empty": "reply empty",
    "refused": "reply refused",
    "malformed": "reply malformed",
    "exception": "exception",
}
RETRIED = ("429", "500", "503", "timeout", "dropped")
GOOD = '{"label": "YES"}'


def rules(path: Path, faults: Sequence[dict[str, Any]], *, reply: str = GOOD) -> str:
    path.write_text(json.dumps({"replies": [{"reply": reply}], "faults": list(faults)}))
    return str(path)


def questions(count: int = 10) -> list[ChatRequest]:
    return [ask(f"question {number}.", schema=YES_OR_NO) for number in range(count)]


def ask_all(model: ModelChat, requests: Sequence[ChatRequest]) -> list[Any]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda request: model.ask(request=request), requests))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", REASONS)
def test_a_fault_in_any_role_is_counted_under_its_reason_and_only_it_is_asked_again(
    tmp_path: Path, role: str, kind: str
) -> None:
    script = rules(tmp_path / "script.json", [{"role": role, "contains": "question 3.", "fault": kind}])
    ledger = Ledger()
    outcomes = ask_all(chat(tmp_path / "c", role=role, script=script, ledger=ledger), questions())
    failed = [outcome for outcome in outcomes if isinstance(outcome, ChatFailed)]
    assert [failure.reason for failure in failed] == [REASONS[kind]]
    assert isinstance(outcomes[3], ChatFailed)
    assert all(outcome == ChatReply(GOOD, {"label": "YES"}) for outcome in outcomes if outcome not in failed)
    (row,) = ledger.as_json()["rows"]
    assert row["failures"] == {REASONS[kind]: 1}
    assert row["calls"] == 10
    assert row["retries"] == (4 if kind in RETRIED else 0)
    assert len(files(tmp_path / "c")) == 9

    rules(tmp_path / "script.json", [])
    again = Ledger()
    assert all(
        isinstance(outcome, ChatReply)
        for outcome in ask_all(chat(tmp_path / "c", role=role, script=script, ledger=again), questions())
    )
    (row,) = again.as_json()["rows"]
    assert (row["calls"], row["cached_calls"], row["failures"]) == (1, 9, {})


@pytest.mark.parametrize("kind", RETRIED)
def test_a_fault_that_passes_costs_retries_and_no_reply(tmp_path: Path, kind: str) -> None:
    script = rules(tmp_path / "script.json", [{"contains": "question", "fault": kind, "times": 3}])
    ledger = Ledger()
    model = chat(tmp_path / "c", script=script, ledger=ledger)
    assert isinstance(model.ask(request=questions()[0]), ChatReply)
    (row,) = ledger.as_json()["rows"]
    assert (row["calls"], row["retries"], row["failures"]) == (1, 3, {})


def test_every_reason_of_the_contract_is_met_by_a_fault() -> None:
    assert set(REASONS.values()) == set(FAILURES)


def test_the_libraries_are_imported_only_when_something_is_asked() -> None:
    code = "import sys, memforest.llm.open; print({'openai', 'jsonschema'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_pauses_double_and_are_drawn_from_zero_up(tmp_path: Path) -> None:
    script = rules(tmp_path / "script.json", [{"contains": "", "fault": "500"}])
    longest, shortest = Clock(), Clock()
    chat(tmp_path / "c", script=script, attempts=9, pace=longest.pace(draw=1.0)).ask(request=ask())
    chat(tmp_path / "c", script=script, attempts=9, pace=shortest.pace(draw=0.0)).ask(request=ask())
    assert longest.slept == [1, 2, 4, 8, 16, 32, 60, 60]
    assert shortest.slept == [0] * 8


def test_what_a_server_asks_to_wait_is_waited_and_no_more_than_five_minutes(tmp_path: Path) -> None:
    clock = Clock()
    fault = {"contains": "", "fault": "429", "times": 1, "retry_after": 33}
    script = rules(tmp_path / "script.json", [fault])
    assert isinstance(chat(tmp_path / "c", script=script, pace=clock.pace(draw=0)).ask(request=ask()), ChatReply)
    assert clock.slept == [33]
    rules(tmp_path / "script.json", [fault | {"retry_after": 3600}])
    outcome = chat(tmp_path / "d", script=script, pace=clock.pace(draw=0)).ask(request=ask())
    assert isinstance(outcome, ChatFailed) and outcome.reason == "rate limited"
    assert clock.slept == [33]


def bad_then_good(role: str, request: ChatRequest) -> Steps:
    return GOOD if "cannot be used" in request.messages[-1].text else '```json\n{"label": "MAYBE"}\n```'


def test_a_malformed_reply_is_shown_to_the_model_with_the_error_and_repaired_once(tmp_path: Path) -> None:
    ledger = Ledger()
    model = chat(tmp_path, script=f"{__name__}:bad_then_good", ledger=ledger)
    question = ask(schema=YES_OR_NO)
    assert model.ask(request=question) == ChatReply(GOOD, {"label": "YES"})
    assert model.ask(request=question) == ChatReply(GOOD, {"label": "YES"})
    (row,) = ledger.as_json()["rows"]
    assert (row["calls"], row["repairs"], row["cached_calls"]) == (1, 1, 1)
    (file,) = files(tmp_path)
    kept = json.loads(file.read_text())
    assert kept["repaired"].startswith("```json") and kept["reply"]["text"] == GOOD
    # Both calls were paid, so both are in what the reply had taken.
    assert row["found"]["output_tokens"] == row["paid"]["output_tokens"]
    assert row["found"]["input_tokens_uncached"] == row["paid"]["input_tokens_uncached"]


class Crowd:
    """A script that notes who is inside at once."""

    def __init__(self) -> None:
        self.calls = 0
        self.lock = threading.Lock()
        self.go = threading.Event()

    def __call__(self, role: str, request: ChatRequest) -> str:
        with self.lock:
            self.calls += 1
        self.go.wait(5)
        return request.messages[-1].text


crowd = Crowd()


def test_a_question_of_sixteen_threads_is_asked_once(tmp_path: Path) -> None:
    crowd.calls = 0
    crowd.go.clear()
    ledger = Ledger()
    models = [chat(tmp_path, script=f"{__name__}:crowd", ledger=ledger) for _ in range(2)]
    with ThreadPoolExecutor(16) as pool:
        waiting = [pool.submit(models[place % 2].ask, request=ask("one for all")) for place in range(16)]
        while crowd.calls == 0:
            threading.Event().wait(0.005)
        threading.Event().wait(0.1)
        crowd.go.set()
        replies = {future.result() for future in waiting}
    assert replies == {ChatReply("one for all")}
    assert crowd.calls == 1
    total = ledger.as_json()["total"]
    assert (total["calls"], total["cached_calls"]) == (1, 15)
    assert len(files(tmp_path)) == 1


def test_samples_are_different_questions(tmp_path: Path) -> None:
    ledger = Ledger()
    model = chat(tmp_path, ledger=ledger)
    assert len({model.key(ask(sample=sample)) for sample in range(5)}) == 5
    for sample in (0, 1, 0):
        model.ask(request=ask(sample=sample))
    assert ledger.as_json()["total"]["calls"] == 2


def dear(tmp_path: Path) -> str:
    """A price file in which one scripted reply of one word to one word costs a dollar."""
    path = tmp_path / "prices.json"
    prices = {"scripted": {"input": 0, "cached_input": 0, "output": 1e6}}
    path.write_text(json.dumps({"date": "2026-01-01", "source": "a test", "models": prices}))
    return str(path)


def test_a_budget_stops_all_roles_and_what_was_paid_is_kept(tmp_path: Path) -> None:
    ledger = Ledger()
    changes: dict[str, Any] = {"script": rules(tmp_path / "s.json", [], reply="word"), "prices": dear(tmp_path)}
    merge = chat(tmp_path / "c", role="merge", ledger=ledger, budget=3, **changes)
    judge = chat(tmp_path / "c", role="judge", ledger=ledger, budget=3, **changes)
    for number in range(3):
        assert merge.ask(request=ask(f"{number}")) == ChatReply("word")
    with pytest.raises(BudgetError, match=r"\$3\.0000 of llm\.budget=3.*higher llm\.budget continues"):
        judge.ask(request=ask("4"))
    # What is kept costs nothing, and a higher budget goes on where this one stopped.
    assert merge.ask(request=ask("2")) == ChatReply("word")
    total = ledger.as_json()["total"]
    assert (total["calls"], total["cached_calls"], total["failures"]) == (3, 1, {})
    assert total["paid"]["cost_dollars"] == 3
    assert total["found"]["cost_dollars"] == 1
    again = Ledger()
    more = chat(tmp_path / "c", role="merge", ledger=again, budget=4, **changes)
    for number in range(5):
        more.ask(request=ask(f"{number}"))
    assert again.as_json()["total"]["calls"] == 2


def test_what_fails_after_it_was_paid_is_in_the_cost(tmp_path: Path) -> None:
    script = rules(tmp_path / "s.json", [{"contains": "", "fault": "cut off"}])
    ledger = Ledger()
    chat(tmp_path / "c", script=script, prices=dear(tmp_path), ledger=ledger).ask(request=ask())
    total = ledger.as_json()["total"]
    assert total["failures"] == {"reply cut off": 1}
    assert total["paid"]["cost_dollars"] == 1
    assert files(tmp_path / "c") == []


def test_replay_only_asks_nothing_and_names_what_is_missing(tmp_path: Path) -> None:
    chat(tmp_path).ask(request=ask("kept"))
    ledger = Ledger()
    model = chat(tmp_path, replay_only=True, ledger=ledger)
    assert model.ask(request=ask("kept")) == ChatReply("kept")
    with pytest.raises(ReplayError) as raised:
        model.ask(request=ask("something new that nobody asked before, and much longer than twelve words in all"))
    missing = model.key(ask("something new that nobody asked before, and much longer than twelve words in all"))
    for part in (missing, "role merge", "something new that nobody asked", str(tmp_path), "llm.replay_only"):
        assert part in str(raised.value)
    assert "in all" not in str(raised.value)
    assert ledger.as_json()["total"]["calls"] == 0


def test_replay_only_needs_no_key_and_an_open_chat_without_one_fails_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat(tmp_path, option="gpt_4o_mini", replay_only=True)
    with pytest.raises(Exception, match="OPENAI_API_KEY holds no key for gpt-4o-mini"):
        chat(tmp_path, option="gpt_4o_mini")


def test_a_damaged_file_is_named_and_asked_again_and_where_nothing_may_be_asked_an_error(tmp_path: Path) -> None:
    chat(tmp_path).ask(request=ask("kept"))
    (file,) = files(tmp_path)
    good = file.read_bytes()
    for damaged in (good[: len(good) // 2], good.replace(b'"text": "kept"', b'"text": "bent"'), b"[]", b""):
        file.write_bytes(damaged)
        with pytest.raises(StoreError, match=file.name):
            chat(tmp_path, replay_only=True).ask(request=ask("kept"))
        with pytest.warns(UserWarning, match=file.name):
            assert chat(tmp_path).ask(request=ask("kept")) == ChatReply("kept")
        assert json.loads(file.read_bytes())["reply"]["text"] == "kept"


def test_a_failure_is_shared_by_those_who_ask_at_once_and_never_kept(tmp_path: Path) -> None:
    script = rules(tmp_path / "s.json", [{"contains": "", "fault": "empty"}])
    model = chat(tmp_path / "c", script=script)
    assert isinstance(model.ask(request=ask()), ChatFailed)
    assert isinstance(model.ask(request=ask()), ChatFailed)
    assert files(tmp_path / "c") == []


def test_fault_kinds_that_are_none_are_refused() -> None:
    with pytest.raises(Exception, match="is no fault"):
        Fault("earthquake")
