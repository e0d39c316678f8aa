"""Recordings: written from kept replies, replayed without network, key or file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.core.chat import ChatReply
from memforest.core.errors import ReplayError, StoreError
from memforest.llm.ledger import Ledger
from memforest.llm.recording import read_recording, write_recording
from tests.chat_server import ChatServer, says
from tests.unit.llm.support import ask, chat, files


def recorded(folder: Path, count: int = 4) -> Path:
    """A recording of gpt-4o-mini's replies to some questions, as a server gave them."""
    ledger = Ledger()
    with ChatServer(lambda body, _: says(f"to {body['messages'][-1]['content']}")).running() as server:
        model = chat(folder / "c", option="gpt_4o_mini", base_url=server.url, api_key_env=None, ledger=ledger)
        for number in range(count):
            model.ask(request=ask(f"question {number}"))
    path = folder / "recording.jsonl"
    assert write_recording(folder / "c", ledger.keys, path) == count
    return path


def replaying(recording: Path, folder: Path, **changes: Any) -> Any:
    return chat(folder / "unused", option="gpt_4o_mini", provider="replay", recording=str(recording), **changes)


def test_a_recording_is_replayed_without_key_or_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ledger = Ledger()
    model = replaying(recording, tmp_path, ledger=ledger)
    for number in range(4):
        assert model.ask(request=ask(f"question {number}")) == ChatReply(f"to question {number}")
    total = ledger.as_json()["total"]
    assert (total["calls"], total["cached_calls"]) == (0, 4)
    assert total["found"]["cost_dollars"] == pytest.approx(4 * (40 * 0.15 + 60 * 0.075 + 10 * 0.6) / 1e6)
    assert total["paid"]["cost_dollars"] == 0
    assert files(tmp_path / "unused") == []


def test_a_recording_of_the_same_replies_is_the_same_file(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    content = recording.read_bytes()
    keys = list(read_recording(recording))
    write_recording(tmp_path / "c", [*reversed(keys), keys[0]], recording)
    assert recording.read_bytes() == content
    assert content.count(b"\n") == len(keys) == 4


def test_what_is_not_recorded_is_named_and_so_is_what_differs(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    with pytest.raises(ReplayError, match=r"role merge.*question 9.*recording\.jsonl") as raised:
        replaying(recording, tmp_path).ask(request=ask("question 9"))
    assert "another" not in str(raised.value)
    with pytest.raises(ReplayError, match="nearest model has another max_tokens and temperature"):
        replaying(recording, tmp_path, temperature=1, max_tokens=5).ask(request=ask("question 0"))


def test_what_was_no_reply_is_asked_for_again_and_repeated_from_a_recording(tmp_path: Path) -> None:
    ledger = Ledger()
    with ChatServer(lambda body, _: says("round and round", finish_reason="length")).running() as server:
        model = chat(tmp_path / "c", option="gpt_4o_mini", base_url=server.url, api_key_env=None, ledger=ledger)
        failed = [model.ask(request=ask("question 0")) for _ in range(2)]
    assert [getattr(one, "reason", None) for one in failed] == ["reply cut off"] * 2
    assert ledger.as_json()["total"]["calls"] == 2
    assert files(tmp_path / "c") == [], "a failure is kept for nobody who can ask again"
    write_recording(tmp_path / "c", ledger.keys, tmp_path / "recording.jsonl")
    again = Ledger()
    repeated = replaying(tmp_path / "recording.jsonl", tmp_path, ledger=again).ask(request=ask("question 0"))
    assert repeated == failed[0]
    total = again.as_json()["total"]
    assert (total["calls"], total["cached_calls"], total["failures"]) == (0, 0, {"reply cut off": 1})


def test_a_reply_is_recorded_though_it_was_none_before(tmp_path: Path) -> None:
    ledger = Ledger()
    reactions = [says("round and", finish_reason="length"), says("done")]
    with ChatServer(lambda body, number: reactions[number]).running() as server:
        model = chat(tmp_path / "c", option="gpt_4o_mini", base_url=server.url, api_key_env=None, ledger=ledger)
        outcomes = [model.ask(request=ask("question 0")) for _ in range(2)]
    assert outcomes[1] == ChatReply("done")
    write_recording(tmp_path / "c", ledger.keys, tmp_path / "recording.jsonl")
    assert replaying(tmp_path / "recording.jsonl", tmp_path).ask(request=ask("question 0")) == ChatReply("done")


def test_a_missing_reply_is_not_recorded_and_no_file_is_written(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    with pytest.raises(StoreError, match="0123"):
        write_recording(tmp_path / "c", ["0123" * 16], tmp_path / "new.jsonl")
    assert not (tmp_path / "new.jsonl").exists()
    assert recording.exists()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda lines: [lines[0][:50], *lines[1:]], "line 1"),
        (lambda lines: [lines[0], lines[1].replace("to question", "to a question"), *lines[2:]], "line 2.*hash"),
        (lambda lines: [*lines, lines[0]], "line 5.*twice"),
        (lambda lines: [*lines, "[]"], "line 5"),
    ],
)
def test_a_damaged_recording_names_the_line(tmp_path: Path, damage: Any, message: str) -> None:
    recording = recorded(tmp_path)
    lines = recording.read_text().splitlines()
    recording.write_text("\n".join(damage(lines)) + "\n")
    with pytest.raises(StoreError, match=message):
        replaying(recording, tmp_path)


def test_a_recording_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"missing\.jsonl"):
        replaying(tmp_path / "missing.jsonl", tmp_path)
