"""Scripted models: functions of the request, whatever the order of calls."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memforest.core.chat import ChatFailed, ChatReply, ChatRequest, Message
from memforest.core.errors import ConfigError
from memforest.llm.ledger import Ledger
from memforest.llm.script import Fault, Steps
from memforest.llm.scripts import echo
from tests.unit.llm.support import YES_OR_NO, ask, chat

LISTED = ["first", Fault("500"), "second", Fault("empty")]
NEITHER = 3


def by_role(role: str, request: ChatRequest) -> Steps:
    said = request.messages[-1].text
    if "hard" in said:
        return [Fault("429"), Fault("timeout"), f"{role} at last"]
    return Fault("refused") if "never" in said else f"{role}: {said}"


def test_a_function_replies_by_role_and_request_in_any_order(tmp_path: Path) -> None:
    texts = [f"{n} {'hard' if n % 3 == 0 else 'never' if n % 3 == 1 else ''}" for n in range(60)]
    ledgers = Ledger(), Ledger()
    one = chat(tmp_path / "a", script=f"{__name__}:by_role", role="plan", ledger=ledgers[0])
    two = chat(tmp_path / "b", script=f"{__name__}:by_role", role="plan", ledger=ledgers[1])
    in_turn = [one.ask(request=ask(text)) for text in texts]
    with ThreadPoolExecutor(16) as pool:
        at_once = list(pool.map(lambda text: two.ask(request=ask(text)), reversed(texts)))[::-1]
    assert in_turn == at_once
    assert in_turn[0] == ChatReply("plan at last")
    assert isinstance(in_turn[1], ChatFailed)
    assert in_turn[2] == ChatReply("plan: 2")
    first, second = ({**ledger.as_json()["total"], "seconds": 0} for ledger in ledgers)
    assert first == second
    assert first["retries"] == 40


def test_a_list_is_used_up_in_order_and_only_one_at_a_time(tmp_path: Path) -> None:
    script = f"{__name__}:LISTED"
    with pytest.raises(ConfigError, match=r"order of calls, which needs llm\.concurrency=1"):
        chat(tmp_path, script=script)
    model = chat(tmp_path, script=script, concurrency=1)
    outcomes = [model.ask(request=ask(f"{n}")) for n in range(3)]
    assert outcomes[:2] == [ChatReply("first"), ChatReply("second")]
    assert isinstance(outcomes[2], ChatFailed) and outcomes[2].reason == "reply empty"
    with pytest.raises(ConfigError, match="has 4 replies; call 5 has none"):
        model.ask(request=ask("more"))


def test_a_json_list_may_hold_faults_and_values(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"label": "YES"}, {"fault": "404"}]))
    model = chat(tmp_path / "c", script=str(path), concurrency=1)
    assert model.ask(request=ask("a", schema=YES_OR_NO)) == ChatReply('{"label":"YES"}', {"label": "YES"})
    outcome = model.ask(request=ask("b"))
    assert isinstance(outcome, ChatFailed) and outcome.reason == "request refused"


def test_rules_hold_by_role_and_text_and_the_first_wins(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    replies = [
        {"reply": "about cats", "contains": "cat"},
        {"reply": "a verdict", "role": "judge"},
        {"reply": "else", "role": "merge"},
    ]
    path.write_text(json.dumps({"replies": replies}))
    said = {
        (role, text): chat(tmp_path / "c", script=str(path), role=role).ask(request=ask(text))
        for role in ("merge", "judge")
        for text in ("a cat", "a dog")
    }
    assert said[("judge", "a cat")] == ChatReply("about cats")
    assert said[("judge", "a dog")] == ChatReply("a verdict")
    with pytest.raises(ConfigError, match="no reply for the role plan to 'a dog'"):
        chat(tmp_path / "d", script=str(path), role="plan").ask(request=ask("a dog"))


def test_a_fault_can_meet_the_call_of_a_number(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"replies": [{"reply": "r"}], "faults": [{"fault": "refused", "call": 2}]}))
    with pytest.raises(ConfigError, match="concurrency=1"):
        chat(tmp_path, script=str(path))
    model = chat(tmp_path / "c", script=str(path), concurrency=1)
    failed = [isinstance(model.ask(request=ask(f"{n}")), ChatFailed) for n in range(4)]
    assert failed == [False, True, False, False]


@pytest.mark.parametrize(
    "content",
    ['{"faults": []}', '{"replies": [{"role": "merge"}]}', '{"replies": [{"reply": "a", "rolle": "merge"}]}', "3"],
)
def test_a_json_script_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"llm\.script"):
        chat(tmp_path, script=str(path))


@pytest.mark.parametrize(
    "script", ["no.such.module:name", f"{__name__}:missing", f"{__name__}:NEITHER", "word", "x.json"]
)
def test_a_script_that_cannot_be_loaded_is_named(tmp_path: Path, script: str) -> None:
    with pytest.raises(ConfigError, match=r"llm\.script="):
        chat(tmp_path, script=script)


def test_a_script_that_is_not_the_recorded_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has sha256 [0-9a-f]{64}, but llm\.script_sha256=abc"):
        chat(tmp_path, script=f"{__name__}:by_role", script_sha256="abc")


@pytest.mark.parametrize(
    "schema",
    [
        YES_OR_NO,
        {"type": "array", "items": YES_OR_NO, "minItems": 2},
        {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}, "c": {"const": "x"}}},
        {"type": ["string", "null"]},
        {"type": "object", "properties": {"s": {"type": "array"}, "b": {"type": "boolean"}}, "required": ["s"]},
    ],
)
def test_the_packaged_script_satisfies_a_schema(schema: Any) -> None:
    Draft202012Validator(schema).validate(json.loads(echo("merge", ask(schema=schema))))


LOOP = "Found:\nAction: [Answer]\nContent: your kite\n\nReply in this form:\nAction: {}\nContent: your {}\n\nGood luck."


@pytest.mark.parametrize(
    ("form", "action"),
    [(("[Search] or [Answer]", "search text, or your answer"), "Search"), (("[Answer]", "answer"), "Answer")],
)
def test_the_packaged_script_searches_for_the_question_until_it_has_to_answer(
    form: tuple[str, str], action: str
) -> None:
    turn = Message("user", LOOP.format(*form))
    task = Message("system", "Between ~~~~ is a question.\n\n~~~~\nWho ~~~ sold\nthe kite?\n~~~~")
    assert echo("answer", ChatRequest((task, turn))) == f"Action: [{action}]\nContent: Who ~~~ sold the kite?"
    assert echo("merge", ChatRequest((task, turn))).endswith("Good luck.")
    assert echo("answer", ChatRequest((Message("system", "Who?"), turn))).endswith("Content: Who?")


def test_the_packaged_script_repeats_the_end() -> None:
    assert echo("merge", ask("a b c")) == "a b c"
    assert echo("merge", ask("")) == "nothing"


@pytest.mark.parametrize("content", ["{", '{"reply": "a", "reply": "b"}'])
def test_a_script_that_is_no_json_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"script\.json cannot be read as JSON"):
        chat(tmp_path, script=str(path)).ask(request=ask("a cat"))
