"""People's own chat histories: each format with its branches, gaps and oddities, and what is refused."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from memforest.core.errors import DataError
from memforest.core.times import parse_time
from memforest.datasets.chat_export import ChatExport
from tests.unit.datasets.exports import (
    EXAMPLES,
    branching,
    claude,
    episode,
    evermemos,
    load,
    message,
    only,
    pair,
    posted,
    spoken,
    texts,
    tree,
)

DATA = Path(os.environ.get("MEMFOREST_DATA", "nowhere"))
needs_data = pytest.mark.skipif(not (DATA / "chat_exports").is_dir(), reason="MEMFOREST_DATA holds no chat exports")
ASKED, OLD, NEW = ("user", "Why kites?"), ("assistant", "Because."), ("assistant", "For the wind.")
HELLO = ("user", "Hello.")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_format_is_told_from_its_content(tmp_path: Path, name: str) -> None:
    data = load(tmp_path, EXAMPLES[name])
    assert (data.questions, data.golds, data.categories, data.scope) == ((), (), (), "whole")
    for unit in data.units:
        assert unit.speakers
        assert [session.id for session in unit.sessions] == [f"D{n}" for n in range(1, len(unit.sessions) + 1)]
        for session in unit.sessions:
            assert [turn.id for turn in session.turns] == [
                f"{session.id}:{n}" for n in range(1, len(session.turns) + 1)
            ]


def test_the_branch_of_the_current_node_is_followed_through_its_parents(tmp_path: Path) -> None:
    data = load(tmp_path, [branching(current_node="old")])
    assert texts(data.units[0]) == [[ASKED, OLD]]
    assert data.notices == ("mine.json: messages on branches that were left, not read: 1",)


@pytest.mark.parametrize("more", [{}, {"current_node": None}, {"current_node": "gone"}])
def test_without_a_current_node_the_latest_leaf_is_taken(tmp_path: Path, more: dict[str, Any]) -> None:
    data = load(tmp_path, [branching(**more)])
    assert texts(data.units[0]) == [[ASKED, NEW]]
    assert any("without a current node" in notice for notice in data.notices)


def test_of_leaves_without_times_the_last_in_the_file_is_taken(tmp_path: Path) -> None:
    nodes = {
        "root": (None, message("user", "Why kites?")),
        "old": ("root", message("assistant", "Because.")),
        "new": ("root", message("assistant", "For the wind.")),
    }
    assert only(tmp_path, [tree(nodes)]) == [[ASKED, NEW]]
    timed = nodes | {"old": ("root", message("assistant", "Because.", time=1.0))}
    assert only(tmp_path, [tree(timed)]) == [[ASKED, OLD]]


@pytest.mark.parametrize(
    "skipped",
    [
        None,
        message("system", "Be kind."),
        message("tool", "42"),
        message("assistant", '{"query": "kites"}', recipient="browser"),
        message("user", "About me.", metadata={"is_visually_hidden_from_conversation": True}),
        message("user", ""),
        message("user", {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}),
        {"author": None, "content": None},
        {"author": {"role": "user"}, "content": {"content_type": "code", "text": "1 + 1"}},
        {},
    ],
)
def test_what_nobody_said_to_the_other_is_no_turn(tmp_path: Path, skipped: dict[str, Any] | None) -> None:
    nodes = {
        "a": (None, message("user", "Why kites?")),
        "b": ("a", skipped),
        "c": ("b", message("assistant", "Because.")),
    }
    assert only(tmp_path, [tree(nodes, current_node="c")]) == [[ASKED, OLD]]


def test_of_several_parts_the_texts_are_kept(tmp_path: Path) -> None:
    said = message("user", "Look:")
    said["content"]["parts"] += [{"asset_pointer": "x"}, "a kite", {"content_type": "audio_transcription", "text": "!"}]
    assert only(tmp_path, [tree({"a": (None, said)}, current_node="a")]) == [[("user", "Look:\na kite\n!")]]


def test_a_conversation_whose_beginning_is_missing_is_read_from_there(tmp_path: Path) -> None:
    data = load(tmp_path, [tree({"a": ("gone", message("user", "Hello."))}, current_node="a")])
    assert texts(data.units[0]) == [[HELLO]]
    assert "conversations whose beginning is missing: 1" in data.notices[0]


@pytest.mark.parametrize("more", [{"current_node": "a"}, {}])
def test_parents_in_a_circle_are_an_error(tmp_path: Path, more: dict[str, Any]) -> None:
    nodes = {"a": ("b", message("user", "Hello.")), "b": ("a", None)}
    with pytest.raises(DataError, match=r"mine\.json, conversation 0: the parents of .* form a circle"):
        load(tmp_path, [tree(nodes, **more)])


def test_conversations_are_sessions_in_order_of_time_and_without_one_stay_with_the_one_before(tmp_path: Path) -> None:
    def talk(text: str, time: float | None) -> dict[str, Any]:
        return tree({"a": (None, message("user", text))}, current_node="a", create_time=time)

    given = [talk("third", 3.0), talk("after third", None), talk("first", 1.0), talk("second", 2.0)]
    (unit,) = load(tmp_path, given).units
    assert [session.turns[0].text for session in unit.sessions] == ["first", "second", "third", "after third"]
    assert [session.time for session in unit.sessions] == [1.0, 2.0, 3.0, None]


def test_a_conversation_without_a_time_has_that_of_its_first_message_with_one(tmp_path: Path) -> None:
    nodes = {"a": (None, message("user", "Hello.")), "b": ("a", message("assistant", "Hi.", time=7.0))}
    (unit,) = load(tmp_path, [tree(nodes, current_node="b", create_time=None)]).units
    assert unit.sessions[0].time == 7.0


def test_one_conversation_may_stand_alone(tmp_path: Path) -> None:
    assert only(tmp_path, branching(current_node="old")) == [[ASKED, OLD]]
    assert only(tmp_path, claude(spoken("human", "Hello."))) == [[HELLO]]


def test_conversations_without_their_messages_or_with_none_are_left_out_and_counted(tmp_path: Path) -> None:
    chatgpt = load(tmp_path, [{"title": "x"}, branching(current_node="old"), tree({})])
    assert len(chatgpt.units[0].sessions) == 1
    assert "mine.json: conversations without a mapping, left out: 1" in chatgpt.notices
    assert "mine.json: conversations without a message, left out: 1" in chatgpt.notices
    others = load(tmp_path, [{"name": "x"}, claude(spoken("human", "Hello.")), claude(), {"chat_messages": None}])
    assert len(others.units[0].sessions) == 1
    assert "mine.json: conversations without chat_messages, left out: 2" in others.notices


def test_blocks_of_content_come_before_the_text_beside_them(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "Hello."}, {"type": "tool_use", "input": {}}, {"type": "text", "text": "You?"}]
    said = [
        spoken("human", "not supported here", content=blocks),
        spoken("assistant", "Fine.", content=[{"type": "tool_use"}]),
        spoken("human", "", content=[]),
        {"sender": "assistant", "content": [{"type": "text", "text": "Bye."}]},
    ]
    assert only(tmp_path, [claude(*said)]) == [
        [("user", "Hello.\nYou?"), ("assistant", "Fine."), ("assistant", "Bye.")]
    ]


def test_messages_without_a_sender_are_counted(tmp_path: Path) -> None:
    data = load(tmp_path, [claude(spoken("human", "Hello."), {"text": "Who?"})])
    assert data.notices == ("mine.json: messages without a sender, left out: 1",)


def test_a_log_is_cut_into_days(tmp_path: Path) -> None:
    log = [
        pair("Hello.", "Hi.", "2025-06-01 23:59:00"),
        pair("Still up?", "", None),
        pair("Morning.", "Good morning.", "2025-06-02 00:01:00"),
    ]
    (unit,) = load(tmp_path, log).units
    assert texts(unit) == [
        [HELLO, ("assistant", "Hi."), ("user", "Still up?")],
        [("user", "Morning."), ("assistant", "Good morning.")],
    ]
    assert unit.sessions[1].time == parse_time("2025-06-02T00:01", where="test")


def test_a_log_that_runs_backwards_is_sorted_and_pairs_stay_together(tmp_path: Path) -> None:
    log = [pair("b", "B", "2025-06-02"), pair("a", "A", "2025-06-01")]
    assert only(tmp_path, log) == [[("user", "a"), ("assistant", "A")], [("user", "b"), ("assistant", "B")]]


def test_a_log_without_times_is_one_session(tmp_path: Path) -> None:
    (unit,) = load(tmp_path, [{"user_input": "Hello."}, {"agent_response": "Hi."}, {"timestamp": None}]).units
    assert texts(unit) == [[HELLO, ("assistant", "Hi.")]]
    assert unit.sessions[0].time is None


def test_an_evermemos_log_names_its_speakers(tmp_path: Path) -> None:
    log = evermemos(
        posted("Ada", "Hello."),
        posted(None, "Hi."),
        posted("Ben", ["no text"]),
        posted(None, "?", sender=None),
        posted("Ada", "Bye.", "2025-06-27T00:00:00Z"),
    )
    data = load(tmp_path, log)
    assert texts(data.units[0]) == [[("Ada", "Hello."), ("user_1", "Hi.")], [("Ada", "Bye.")]]
    assert data.units[0].speakers == ("Ada", "user_1")
    assert data.notices == (
        "mine.json: messages that are no text, left out: 1",
        "mine.json: messages without a sender, left out: 1",
    )


def test_graphiti_users_are_units_and_episodes_name_their_speakers(tmp_path: Path) -> None:
    raw = {
        "ada": [
            episode("user: Hello."),
            episode("Ben(assistant): Hi: you."),
            episode("A note: on kites.", source="text"),
        ],
        "ben": [episode("user: One.", None), episode("user: Two.", "2023-04-11T00:00:00Z")],
        "cy": [],
    }
    data = load(tmp_path, raw)
    assert [unit.id for unit in data.units] == ["ada", "ben"]
    assert texts(data.units[0]) == [[HELLO, ("Ben", "Hi: you."), ("text", "A note: on kites.")]]
    assert texts(data.units[1]) == [[("user", "One."), ("user", "Two.")]]
    assert data.notices == ("mine.json: nothing was said in cy, left out",)


def test_a_folder_gives_a_unit_for_each_file(tmp_path: Path) -> None:
    for name in ("claude", "memoryos"):
        load(tmp_path, EXAMPLES[name], name=name)
    (tmp_path / "notes.txt").write_text("not read")
    data = ChatExport(path=str(tmp_path)).load()
    assert [(unit.id, unit.index) for unit in data.units] == [("claude", 0), ("memoryos", 1)]


def test_the_digest_covers_the_names_that_units_get(tmp_path: Path) -> None:
    first, second = (load(tmp_path, EXAMPLES["claude"], name=name) for name in ("a", "b"))
    assert first.digest != second.digest
    assert load(tmp_path, EXAMPLES["memoryos"], name="a").digest != first.digest


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([], "is no chat history that this project knows"),
        ({}, "is no chat history that this project knows"),
        ([{"role": "user", "content": "x"}], "is no chat history that this project knows"),
        ("x", "is no chat history that this project knows"),
        ([branching(), 3], "mine.json, conversation 1 must be an object, got a whole number"),
        ([tree({}, mapping=[])], "conversation 0: `mapping` must be an object, got a list"),
        ([tree({}, mapping={"a": 3})], "conversation 0, a must be an object, got a whole number"),
        ([tree({}, mapping={"a": {"parent": 3}})], "conversation 0, a: `parent` must be a text"),
        ([branching(create_time="soon")], "conversation 0, create_time: cannot read the time 'soon'"),
        ([branching(create_time=1700000000000)], "conversation 0, create_time: cannot read the time"),
        ([tree({"a": (None, message("user", "x", time="soon"))})], "a, create_time: cannot read the time"),  # type: ignore[arg-type]
        ([tree({"a": (None, message("user", "\ud83d"))})], "a, parts[0] is no valid text"),
        ([tree({"a": (None, {"author": {"role": "user"}, "content": {"parts": "x"}})})], "`parts` must be a list"),
        ([tree({}), tree({})], "mine.json holds no message"),
        ([claude(spoken("robot", "x"))], "conversation 0, message 0: unknown sender 'robot'"),
        ([claude(spoken("human", "x", created_at="soon"))], "message 0, created_at: cannot read the time"),
        ([claude("x")], "message 0: expected an object"),  # type: ignore[arg-type]
        ([claude(spoken("human", "", content=[{"type": "text"}]))], "content[0]: `text` is missing"),
        ([pair("x", "y"), "z"], "mine.json, pair 1 must be an object, got a text"),
        ([pair("x", "y", "soon")], "pair 0, timestamp: cannot read the time 'soon'"),
        ([{"user_input": 3}], "pair 0: `user_input` must be a text, got a whole number"),
        ({"conversation_list": {}}, "`conversation_list` must be a list, got an object"),
        (evermemos({"sender": "x"}), "message 0: `content` is missing; this is not an EverMemOS log's schema"),
        ({"ada": [episode("x")], "ben": 3}, "mine.json, ben must be a list, got a whole number"),
        ({"ada": [episode("x"), {}]}, "mine.json, ada, episode 1: `episode` is missing"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, raw: Any, words: str) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, raw)
    assert "mine.json" in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_path_and_two_histories_of_one_name_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"dataset=chat_export needs your export: dataset\.path=FILE"):
        ChatExport(path=None).load()
    with pytest.raises(DataError, match=r"none\.json does not exist"):
        ChatExport(path=str(tmp_path / "none.json")).load()
    with pytest.raises(DataError, match=r"a folder without \*\.json files"):
        ChatExport(path=str(tmp_path)).load()
    for name in ("a", "b"):
        load(tmp_path, {"ada": [episode("user: Hello.")]}, name=name)
    with pytest.raises(DataError, match="two histories are called 'ada'"):
        ChatExport(path=str(tmp_path)).load()


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_damage_to_a_file_gives_anything_but_a_named_error(tmp_path: Path, name: str) -> None:
    """Cuts, lost keys and values of another kind: a dataset or a DataError, never another exception."""
    draw = random.Random(0)
    path = tmp_path / "mine.json"
    text = json.dumps(EXAMPLES[name])
    for _ in range(400):
        path.write_text(text[: draw.randrange(len(text))] if draw.random() < 0.1 else _damaged(text, draw))
        try:
            ChatExport(path=str(path)).load()
        except DataError as error:
            assert "mine.json" in str(error)


def _damaged(text: str, draw: random.Random) -> str:
    """One or two values of the file replaced by others, or taken out."""
    raw = json.loads(text)
    for _ in range(draw.randint(1, 2)):
        holder: Any = raw
        while isinstance(holder, dict | list) and holder:
            key = draw.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if not isinstance(holder[key], dict | list) or not holder[key] or draw.random() < 0.2:
                if draw.random() < 0.3:
                    del holder[key]
                else:
                    holder[key] = draw.choice(
                        [None, True, 3, -1e300, 1e12, "", "x", "root", [], {}, [[]], [None], {"a": 1}]
                    )
                break
            holder = holder[key]
    return json.dumps(raw)


@needs_data
@pytest.mark.parametrize(
    ("name", "sessions"),
    [
        ("chatgpt_branching", [4]),
        ("chatgpt_export", [4, 2]),
        ("claude_export", [4, 4, 2]),
        ("memoryos_sample_conversations", [58, 20, 20, 20, 20]),
        ("evermemos_solo_chat_en", [10, 4, 4, 4, 10, 4]),
    ],
)
def test_the_real_samples_have_their_counts(name: str, sessions: list[int]) -> None:
    (unit,) = ChatExport(path=str(DATA / f"chat_exports/{name}.json")).load().units
    assert unit.id == name
    assert [len(session.turns) for session in unit.sessions][:6] == sessions
    assert sum(len(session.turns) for session in unit.sessions) == {"evermemos_solo_chat_en": 104}.get(
        name, sum(sessions)
    )
    assert unit.speakers == ("user", "assistant")
    times = [session.time for session in unit.sessions if session.time is not None]
    assert len(times) == len(unit.sessions)
    assert times == sorted(times)


@needs_data
def test_the_real_graphiti_file_has_a_unit_a_user() -> None:
    data = ChatExport(path=str(DATA / "graphiti/graphiti_lme_users_0-5.json")).load()
    assert [unit.id[-6:] for unit in data.units] == [f"user_{n}" for n in range(6)]
    assert [len(unit.turns) for unit in data.units] == [10] * 6
