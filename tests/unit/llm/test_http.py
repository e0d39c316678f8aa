"""The client against a real server: what is sent, and every way in which a call can go wrong."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any

import pytest

from memforest.core.chat import ChatFailed, ChatOutcome, ChatReply, Message
from memforest.core.digests import canonical_json
from memforest.core.servers import retry_after
from memforest.llm.client import ModelChat
from memforest.llm.ledger import Ledger
from tests.chat_server import ChatServer, React, Reaction, refuses, says
from tests.unit.llm.support import YES_OR_NO, Clock, ask, chat, files

GOOD = says("Ada is a cat.")


def to(server: ChatServer, folder: Path, *, clock: Clock | None = None, **changes: Any) -> ModelChat:
    option = changes.pop("option", "endpoint")
    changes = {"base_url": server.url, "model": "ada-1", "timeout_seconds": 5, **changes}
    return chat(folder, option=option, pace=(clock or Clock()).pace(draw=0), **changes)


def outcomes(react: React, folder: Path, **changes: Any) -> tuple[ChatOutcome, dict[str, Any], ChatServer]:
    """What one question comes to, its row of the ledger, and the server with what it was sent."""
    ledger = Ledger()
    with ChatServer(react).running() as server:
        outcome = to(server, folder, ledger=ledger, **changes).ask(request=ask())
    return outcome, ledger.as_json()["rows"][0], server


def test_what_is_sent_and_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAS_KEY", "secret-of-ada")
    changes = {"top_p": 0.8, "extra_body": {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}}
    outcome, row, server = outcomes(lambda *_: GOOD, tmp_path, api_key_env="ADAS_KEY", seed=7, **changes)
    assert outcome == ChatReply("Ada is a cat.")
    assert server.keys == ["Bearer secret-of-ada"]
    assert server.bodies == [
        {
            "model": "ada-1",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Who is Ada?"},
            ],
            "temperature": 0.0,
            "top_p": 0.8,
            "max_tokens": 1024,
            "seed": 7,
            "top_k": 20,
            "chat_template_kwargs": {"enable_thinking": False},
        }
    ]
    assert row["paid"]["input_tokens_uncached"] == 40
    assert row["paid"]["input_tokens_cached_by_server"] == 60
    assert row["paid"]["output_tokens"] == 10
    assert row["paid"]["cost_dollars"] is None, "the price of an unknown model is not 0"
    (file,) = files(tmp_path)
    kept = file.read_text()
    assert "secret" not in kept
    for part in ("served-model-0613", "fp_44709d6fcb", '"finish_reason": "stop"', "Who is Ada?"):
        assert part in kept


def test_the_gpt_5_family_gets_its_own_name_for_the_limit_and_no_temperature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    _, _, server = outcomes(lambda *_: GOOD, tmp_path, option="gpt_5_2", model="gpt-5.2")
    assert set(server.bodies[0]) == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_a_schema_is_asked_for_as_the_server_takes_it(tmp_path: Path, structured: str) -> None:
    with ChatServer(lambda *_: says('{"label": "NO"}')).running() as server:
        model = to(server, tmp_path, structured=structured)
        assert model.ask(request=ask(schema=YES_OR_NO)) == ChatReply('{"label": "NO"}', {"label": "NO"})
    (body,) = server.bodies
    expected: dict[str, Any] = {
        "json_schema": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": YES_OR_NO, "strict": True},
        },
        "json_object": {"type": "json_object"},
    }
    assert body.get("response_format") == expected.get(structured)
    said = canonical_json(body["messages"])
    assert ("JSON schema" in said) == (structured != "json_schema")


def test_429_then_good(tmp_path: Path) -> None:
    clock = Clock()
    outcome, row, server = outcomes(
        lambda _, number: refuses(429, "slow down", retry_after="7") if number == 1 else GOOD, tmp_path, clock=clock
    )
    assert outcome == ChatReply("Ada is a cat.")
    assert (row["calls"], row["retries"], len(server.bodies)) == (1, 1, 2)
    assert clock.slept == [7]


def test_500_then_good(tmp_path: Path) -> None:
    outcome, row, _ = outcomes(lambda _, number: refuses(500) if number < 3 else GOOD, tmp_path)
    assert outcome == ChatReply("Ada is a cat.")
    assert row["retries"] == 2


def test_a_dropped_connection_then_good(tmp_path: Path) -> None:
    outcome, row, _ = outcomes(lambda _, number: Reaction(drop=True) if number == 1 else GOOD, tmp_path)
    assert outcome == ChatReply("Ada is a cat.")
    assert row["retries"] == 1


@pytest.mark.parametrize(
    ("reaction", "reason", "calls", "detail"),
    [
        (refuses(429, "slow down"), "rate limited", 2, "slow down"),
        (refuses(429, "no money", code="insufficient_quota"), "request refused", 1, "no money"),
        (refuses(500, "sorry"), "server error", 2, "sorry"),
        (refuses(400, "context of 8192 is too short"), "request refused", 1, "context of 8192 is too short"),
        (refuses(401, "wrong key"), "request refused", 1, "wrong key"),
        (says("late", wait=0.6), "timeout", 2, "timeout_seconds=0.2"),
        (Reaction(drop=True), "connection lost", 2, "127.0.0.1"),
        (Reaction("<html>gateway</html>", headers={"Content-Type": "text/html"}), "server error", 2, "gateway"),
        (Reaction('{"choices": [{"mess'), "server error", 2, "no JSON"),
        (Reaction({"error": "none of that"}), "server error", 2, "none of that"),
        (Reaction({"choices": []}), "server error", 2, "no chat completion"),
        (says("Ada is a", finish_reason="length"), "reply cut off", 1, "max_tokens"),
        (says("<think>who is that", finish_reason="stop"), "reply cut off", 1, "thinking"),
        (says(None), "reply empty", 1, ""),
        (says("<think>hm</think>\n"), "reply empty", 1, ""),
        (says(None, refusal="I cannot say."), "reply refused", 1, "I cannot say."),
        (says("", finish_reason="content_filter"), "reply refused", 1, "filter"),
    ],
)
def test_a_fault_that_stays_has_its_reason(
    tmp_path: Path, reaction: Reaction, reason: str, calls: int, detail: str
) -> None:
    outcome, row, server = outcomes(lambda *_: reaction, tmp_path, attempts=2, timeout_seconds=0.2)
    assert isinstance(outcome, ChatFailed)
    assert outcome.reason == reason
    assert detail in outcome.detail
    assert len(server.bodies) == calls
    assert row["failures"] == {reason: 1}
    assert files(tmp_path) == []


def test_a_server_that_is_not_there_is_a_lost_connection(tmp_path: Path) -> None:
    with ChatServer(lambda *_: GOOD).running() as server:
        model = to(server, tmp_path, attempts=2)
    outcome = model.ask(request=ask())
    assert isinstance(outcome, ChatFailed) and outcome.reason == "connection lost"


def test_the_repair_shows_the_reply_and_the_error(tmp_path: Path) -> None:
    with ChatServer(
        lambda _, number: says('{"label": "NO"}' if number == 2 else '{"label": "PERHAPS"}')
    ).running() as s:
        outcome = to(s, tmp_path).ask(request=ask(schema=YES_OR_NO))
    assert outcome == ChatReply('{"label": "NO"}', {"label": "NO"})
    first, second = (body["messages"] for body in s.bodies)
    assert second[:2] == first
    assert second[2] == {"role": "assistant", "content": '{"label": "PERHAPS"}'}
    assert "$.label" in second[3]["content"] and "'PERHAPS'" in second[3]["content"]


def test_a_reply_that_stays_malformed_is_a_failure_after_one_repair(tmp_path: Path) -> None:
    with ChatServer(lambda *_: says("no JSON at all")).running() as server:
        outcome = to(server, tmp_path).ask(request=ask(schema=YES_OR_NO))
    assert isinstance(outcome, ChatFailed) and outcome.reason == "reply malformed"
    assert len(server.bodies) == 2
    assert files(tmp_path) == []


def test_thinking_is_taken_out_and_kept_in_the_file(tmp_path: Path) -> None:
    outcome, _, _ = outcomes(lambda *_: says("<think>a cat?</think>\n\nA cat."), tmp_path)
    assert outcome == ChatReply("A cat.")
    (file,) = files(tmp_path)
    assert "a cat?" in file.read_text()


def test_roles_of_one_server_share_its_places(tmp_path: Path) -> None:
    with ChatServer(lambda *_: says("yes", wait=0.05)).running() as server:
        models = [to(server, tmp_path, role=role, concurrency=3) for role in ("merge", "answer", "judge")]
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda n: models[n % 3].ask(request=ask(f"{n}")), range(18)))
    assert server.most_at_once == 3


def test_roles_with_equal_settings_share_their_replies(tmp_path: Path) -> None:
    with ChatServer(lambda *_: says("yes", wait=0.1)).running() as server:
        models = [to(server, tmp_path, role=role) for role in ("merge", "answer", "judge")]
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda n: models[n % 3].ask(request=ask()), range(12)))
    assert len(server.bodies) == 1


def test_samples_have_seeds_of_their_own(tmp_path: Path) -> None:
    with ChatServer(lambda *_: GOOD).running() as server:
        model = to(server, tmp_path, seed=5, temperature=0.7)
        for sample in (0, 3):
            model.ask(request=ask(sample=sample))
    assert [body["seed"] for body in server.bodies] == [5, 8]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, 0),
    ],
)
def test_what_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_wait_for_is_read() -> None:
    wait = retry_after({"retry-after": formatdate(time() + 60, usegmt=True)})
    assert wait is not None and 55 < wait <= 60


def test_the_messages_of_a_conversation_keep_their_authors(tmp_path: Path) -> None:
    from memforest.core.chat import ChatRequest

    messages = (Message("system", "s"), Message("user", "u"), Message("assistant", "a"), Message("user", "v"))
    with ChatServer(lambda *_: GOOD).running() as server:
        to(server, tmp_path).ask(request=ChatRequest(messages))
    assert [message["role"] for message in server.bodies[0]["messages"]] == ["system", "user", "assistant", "user"]
