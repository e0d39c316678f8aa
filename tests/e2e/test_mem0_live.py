"""The real Mem0 library, both lines, against a scripted server; where `make baseline-mem0` has not run they skip."""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.mem0_attempts import ADDS, MEMORIES, SUMMARY
from memforest.core.errors import BaselineError
from memforest.core.types import Memory
from tests.e2e.real_mem0 import DIMENSION, build, lines
from tests.mem0_script import TIMES, obedient
from tests.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
DATES = ("2023-05-08", "2023-05-24")
MARKS = {1: ("Today's date is {}.",), 2: ("## Observation Date\n{0}\n\n## Current Date\n{0}",)}
BUILD = """
import sys
from pathlib import Path
from tests.e2e.real_mem0 import build
build(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
"""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(obedient, dimension=DIMENSION).serving() as running:
        yield running


def only_folder(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def summary(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((only_folder(folder) / SUMMARY).read_bytes())
    return loaded


def texts(memory: Memory) -> list[tuple[str, tuple[str, ...], float | None]]:
    return [(node.text, node.sources, node.time) for node in memory.nodes]


@lines(1)
@pytest.mark.parametrize("store", ["qdrant", "faiss"])
def test_line_1_updates_and_deletes(server: OpenAIServer, tmp_path: Path, line: int, store: str) -> None:
    ada, ben = build(server.url, tmp_path, line, vector_store=store)
    assert (ada.id, ben.id, ada.source_level) == ("u/Ada", "u/Ben", "session")
    assert texts(ada) == [
        ("Ada moved from Paris to Berlin", ("D2",), TIMES[1]),
    ]
    assert [text for text, _, _ in texts(ben)] == [
        "Ben: I have a cat",
        "Ben: I like tea",
        "Ben: my cat is old",
        "Ben: see you",
    ]
    facts = summary(tmp_path)
    assert facts["events"] == {"ADD": 6, "DELETE": 1, "UPDATE": 1}
    assert (facts["adds"], facts["failed_adds"], facts["unreported"], facts["missing"]) == (8, {}, 0, 0)
    assert facts["calls"]["llm"] == len(server.chats) == 16
    assert facts["tokens"] == {"completion": 48, "prompt": 112}
    assert facts["environment"]["versions"]["mem0ai"].startswith("1.")


@lines(2)
@pytest.mark.parametrize("store", ["qdrant", "faiss"])
def test_line_2_only_adds(server: OpenAIServer, tmp_path: Path, line: int, store: str) -> None:
    ada, ben = build(server.url, tmp_path, line, vector_store=store)
    assert texts(ada) == [
        ("Ada: I live in Paris", ("D1",), TIMES[0]),
        ("Ada: I play the violin", ("D1",), TIMES[0]),
        ("Ada: I moved to Berlin", ("D2",), TIMES[1]),
        ("Ada: I sold the violin", ("D2",), TIMES[1]),
    ]
    assert len(ben) == 4
    facts = summary(tmp_path)
    assert facts["events"] == {"ADD": 8}
    assert facts["calls"]["llm"] == len(server.chats) == 8
    assert (facts["failed_adds"], facts["unreported"], facts["missing"]) == ({}, 0, 0)


@lines(1, 2)
def test_no_prompt_holds_the_date_of_the_run_but_that_of_the_session(
    server: OpenAIServer, tmp_path: Path, line: int
) -> None:
    today = datetime.datetime.now(tz=datetime.UTC).date()
    days = {str(today - datetime.timedelta(days=shift)) for shift in (-1, 0, 1)}
    build(server.url, tmp_path, line)
    prompts = [message["content"] for messages in server.chats for message in messages]
    assert not any(day in prompt for day in days for prompt in prompts)
    extraction = [messages for messages in server.chats if messages[0]["role"] == "system"]
    for messages, date in zip(extraction, [date for date in DATES for _ in range(4)], strict=True):
        assert any(mark.format(date) in message["content"] for message in messages for mark in MARKS[line])


@lines(1, 2)
def test_without_the_option_the_prompts_hold_the_date_of_the_run(
    server: OpenAIServer, tmp_path: Path, line: int
) -> None:
    build(server.url, tmp_path, line, event_time_in_prompt=False)
    prompts = [message["content"] for messages in server.chats for message in messages]
    assert not any(mark.format(date) in prompt for mark in MARKS[line] for date in DATES for prompt in prompts)


@lines(1, 2)
def test_the_store_holds_both_speakers_with_the_time_in_words(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    build(server.url, tmp_path, line)
    stored = json.loads((only_folder(tmp_path) / MEMORIES).read_bytes())
    assert list(stored) == ["Ada_3", "Ben_3"]
    for user, rows in stored.items():
        assert {row["payload"]["user_id"] for row in rows} == {user}
        times = {row["payload"]["session"]: row["payload"]["timestamp"] for row in rows}
        said = {"D1": "1:56 pm on 8 May, 2023", "D2": "2:00 pm on 24 May, 2023"}
        assert times.items() <= said.items()


@lines(1, 2)
def test_the_second_speakers_view_turns_the_roles_round(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    build(server.url, tmp_path, line)
    prompts = [messages[-1]["content"] for messages in server.chats if messages[0]["role"] == "system"]
    assert "user: Ada: I live in Paris\nassistant: Ben: I have a cat\n" in prompts[0]
    assert "assistant: Ada: I live in Paris\nuser: Ben: I have a cat\n" in prompts[2]


@lines(1, 2)
def test_building_again_asks_nothing_and_gives_the_same(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    first = build(server.url, tmp_path, line)
    asked = len(server.chats)
    again = build(server.url, tmp_path, line)
    assert len(server.chats) == asked
    anew = build(server.url, tmp_path / "other", line)
    for memories in (again, anew):
        assert [[(node.id, node.segments) for node in memory.nodes] for memory in memories] == [
            [(node.id, node.segments) for node in memory.nodes] for memory in first
        ]


FAULTS: dict[str, Any] = {
    "status": 500,
    "empty": "",
    "malformed": "not json",
    "no key": "{}",
    "list": "[1]",
}
REASONS = {
    (1, "status"): "llm: InternalServerError",
    (1, "no key"): "llm: reply without facts",
    (1, "list"): "llm: reply without facts",
    (2, "status"): "llm: InternalServerError",
    (2, "no key"): "llm: reply without memory",
    (2, "list"): "llm: reply without memory",
}


@lines(1, 2)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_add_stops_and_the_same_command_makes_only_what_is_missing(
    server: OpenAIServer, tmp_path: Path, line: int, fault: str
) -> None:
    def script(messages: list[dict[str, str]]) -> str | int:
        reply: str | int = FAULTS[fault] if "moved to Berlin" in messages[-1]["content"] else obedient(messages)
        return reply

    reason = REASONS.get((line, fault), f"llm: {fault} reply")
    server.script = script
    with pytest.raises(BaselineError, match=f"unit u: add 5 of 8 failed \\({reason}"):
        build(server.url, tmp_path, line)
    done = len(server.chats)
    server.script = obedient
    ada, _ = build(server.url, tmp_path, line)
    per_add = {1: 2, 2: 1}[line]
    assert len(server.chats) - done == 4 * per_add
    anew, _ = build(server.url, tmp_path / "anew", line)
    assert texts(ada) == texts(anew)


@lines(1, 2)
def test_a_kill_in_the_middle_costs_only_the_add_that_it_met(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    command = [sys.executable, "-c", BUILD, server.url, str(tmp_path / "stores"), str(line)]
    # A group of its own, so that the library dies with it at once.
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)

    def script(messages: list[dict[str, str]]) -> str:
        if "user: Ada: I sold the violin" in messages[-1]["content"]:
            os.killpg(process.pid, signal.SIGKILL)
        return obedient(messages)

    server.script = script
    assert process.wait(timeout=300) == -signal.SIGKILL
    done = len(server.chats)
    server.script = obedient
    ada, _ = build(server.url, tmp_path / "stores", line)
    assert len(server.chats) - done == 3 * {1: 2, 2: 1}[line]
    anew, _ = build(server.url, tmp_path / "anew", line)
    assert texts(ada) == texts(anew)
    assert len(list((tmp_path / "stores").iterdir())) == 1


@lines(1, 2)
def test_a_skipped_failure_is_counted_under_its_reason(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    server.script = lambda messages: "" if "Ben: I like tea\n" in messages[-1]["content"] else obedient(messages)
    build(server.url, tmp_path, line, on_failure="skip")
    facts = summary(tmp_path)
    assert facts["failed_adds"]["llm: empty reply"] >= 2
    assert facts["adds"] == 8
    records = (only_folder(tmp_path) / ADDS).read_text().splitlines()
    assert len(records) == 8
    with pytest.raises(BaselineError):
        build(server.url, tmp_path, line)


@lines(1, 2)
def test_a_reply_that_was_cut_off_is_a_failure_even_if_it_can_be_read(
    server: OpenAIServer, tmp_path: Path, line: int
) -> None:
    server.finish_reason = "length"
    with pytest.raises(BaselineError, match=r"add 1 of 8 failed \(llm: reply cut off\)"):
        build(server.url, tmp_path, line)


@lines(1)
def test_an_update_call_that_fails_is_not_silent(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    server.script = lambda messages: obedient(messages) if messages[0]["role"] == "system" else 500
    with pytest.raises(BaselineError, match=r"add 1 of 8 failed \(llm: InternalServerError, Error in new memory"):
        build(server.url, tmp_path, line)


@lines(1)
def test_an_update_of_a_memory_that_is_not_there_is_counted(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    wrong = json.dumps({"memory": [{"id": "77", "text": "x", "event": "UPDATE", "old_memory": "y"}]})
    server.script = lambda messages: obedient(messages) if messages[0]["role"] == "system" else wrong
    with pytest.raises(BaselineError, match="Error processing memory action"):
        build(server.url, tmp_path, line)


@lines(1, 2)
def test_without_inference_every_message_is_stored_and_no_model_is_asked(
    server: OpenAIServer, tmp_path: Path, line: int
) -> None:
    ada, ben = build(server.url, tmp_path, line, infer=False)
    assert server.chats == []
    assert [node.text for node in ada.nodes] == [node.text for node in ben.nodes]
    assert len(ada) == 8


@lines(1, 2)
def test_the_key_is_sent_and_written_nowhere_and_no_home_is_left(
    server: OpenAIServer, tmp_path: Path, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "secret-of-the-test")
    monkeypatch.setenv("OPENROUTER_API_KEY", "elsewhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    build(server.url, tmp_path, line, llm_key_env="SOME_KEY", embedder_key_env="SOME_KEY")
    assert server.keys == {"Bearer secret-of-the-test"}
    assert not (tmp_path / "home").exists()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"secret-of-the-test" in path.read_bytes() for path in files)
