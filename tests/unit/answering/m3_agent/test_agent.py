"""The search loop: what the model is told, when it ends, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memforest.answering.m3_agent.agent import M3Agent
from memforest.config.folder import settings
from memforest.core.chat import ChatFailed, ChatOutcome, ChatReply, ChatRequest
from memforest.core.errors import ConfigError
from memforest.core.outcomes import Abstained, Answer, Answered, Failed
from memforest.core.types import Hits
from tests.chats import FakeChat, conversation, fenced_parts, outside_fences, replying
from tests.contracts.support import built
from tests.graphs import graph_memory
from tests.unit.answering.m3_agent.worlds import QUESTION, ranked, searching, video

SEARCH = "Action: [Search]\nContent: "
ANSWER = "Action: [Answer]\nContent: "
CLIPS = video(3, 1, 2, 0, 1, 2)


def agent(chat: FakeChat, **changes: Any) -> M3Agent:
    made: M3Agent = built("answerer", "m3_agent", chat, **changes)
    return made


def found(chat: FakeChat, turn: int) -> list[str]:
    """What the model was shown in a turn, line by line."""
    (part,) = fenced_parts(chat.asked[turn].messages[-1].text)
    return part.splitlines()


def test_the_conversation_grows_by_what_was_searched_and_found() -> None:
    chat = replying(f"{SEARCH}boats", f"{SEARCH}oars", f"{ANSWER}A boat.")
    asked: list[str] = []
    search = searching(CLIPS, k=2, asked=asked, boats=[0, 1, 2, 3, 4, 5], oars=[0, 2, 1, 4, 3, 5])
    answer = agent(chat).answer(question=QUESTION, search=search)
    assert answer == Answered("A boat.", reply=f"{ANSWER}A boat.")
    assert asked == ["boats", "oars"]
    assert [[message.author for message in request.messages] for request in chat.asked] == [
        ["system", *["user", "assistant"] * turn, "user"] for turn in range(3)
    ]
    for earlier, later in zip(chat.asked, chat.asked[1:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages
    assert chat.asked[2].messages[2].text == f"{SEARCH}boats"
    assert [fenced_parts(text) for text in conversation(chat.asked[0])] == [
        [QUESTION.text],
        ["(nothing was searched for yet)"],
    ]
    assert found(chat, 1) == ["- clip 1 (30 s): thing 1", "- clip 3 (90 s): thing 0"]
    assert found(chat, 2) == ["- clip 1 (30 s): thing 4", "- clip 2 (60 s): thing 2"]
    assert answer.shown == (("v", "n1"), ("v", "n0"), ("v", "n4"), ("v", "n2"))


def test_tags_of_faces_and_voices_are_shown_as_characters() -> None:
    chat = replying(f"{SEARCH}things", f"{ANSWER}A boat.")
    of = graph_memory(3)
    agent(chat).answer(question=QUESTION, search=lambda text: [ranked(of, [0, 1, 2], k=3)])
    lines = found(chat, 1)
    assert len(lines) == 3 and all("<character_" in line and "<face_" not in line for line in lines)


def test_in_the_last_round_an_answer_is_demanded() -> None:
    chat = replying(*[f"{SEARCH}more {number}" for number in range(4)], f"{ANSWER}A boat.")
    answer = agent(chat).answer(question=QUESTION, search=searching(CLIPS, k=1))
    assert answer == Answered("A boat.", reply=f"{ANSWER}A boat.")
    last = [outside_fences(request.messages[-1].text) for request in chat.asked]
    assert ["This is the last turn" in text for text in last] == [False] * 4 + [True]


@pytest.mark.parametrize(("option", "searches"), [("m3_agent", 4), ("m3_agent_released", 5)])
def test_who_searches_for_ever_has_not_answered(option: str, searches: int) -> None:
    asked: list[str] = []
    chat = replying(f"{SEARCH}more")
    answer = built("answerer", option, chat).answer(question=QUESTION, search=searching(CLIPS, k=1, asked=asked))
    assert answer == Abstained("")
    assert (len(chat.asked), len(asked)) == (5, searches)
    # Released, the repeated search brings nothing; and what the last one brings is shown to nobody.
    assert len(answer.shown) == (1 if option == "m3_agent_released" else 4)


@pytest.mark.parametrize("reply", ["I wonder.", "Action: [Search]\nContent: "])
def test_a_reply_without_a_text_to_search_for_finds_nothing_and_does_not_search(reply: str) -> None:
    asked: list[str] = []
    chat = replying(reply, f"{ANSWER}A boat.")
    answer = agent(chat).answer(question=QUESTION, search=searching(CLIPS, k=1, asked=asked))
    assert (answer, asked, found(chat, 1)) == (Answered("A boat.", reply=f"{ANSWER}A boat."), [], ["(no entries)"])
    assert answer.shown == ()


def test_an_answer_without_words_is_none() -> None:
    assert agent(replying(ANSWER)).answer(question=QUESTION, search=searching(CLIPS, k=1)) == Abstained("")


def test_released_a_round_may_bring_nothing_and_says_so() -> None:
    chat = replying(f"{SEARCH}boats", f"{SEARCH}oars", f"{ANSWER}A boat.")
    search = searching(CLIPS, k=2, boats=[1, 2, 0, 3, 4, 5], oars=[4, 5, 1, 2, 0, 3])
    built("answerer", "m3_agent_released", chat).answer(question=QUESTION, search=search)
    assert found(chat, 2) == ["(no entries)"]


@pytest.mark.parametrize("turn", range(5))
def test_a_call_that_fails_in_any_round_is_a_failed_answer(turn: int) -> None:
    def reply(request: ChatRequest) -> ChatOutcome:
        here = len(request.messages) == 2 + 2 * turn
        return ChatFailed("timeout", "60 s") if here else ChatReply(f"{SEARCH}more")

    chat = FakeChat(reply)
    answer = agent(chat).answer(question=QUESTION, search=searching(CLIPS, k=1))
    assert answer == Failed(stage="answer", error="timeout", detail="60 s")
    assert len(chat.asked) == turn + 1 and len(answer.shown or ()) == turn


def test_what_has_no_room_in_a_search_may_come_with_the_next() -> None:
    chat = replying(f"{SEARCH}boats", f"{SEARCH}oars", f"{ANSWER}A boat.")
    answer = agent(chat, max_context_words=4).answer(question=QUESTION, search=searching(CLIPS, k=3))
    assert answer.shown == (("v", "n1"), ("v", "n0"), ("v", "n3"), ("v", "n2"))
    assert replace(answer, shown=None) == Answered("A boat.", reply=f"{ANSWER}A boat.", left_out=2)


def test_one_round_is_a_guess() -> None:
    chat = replying(f"{ANSWER}A boat.")
    answer = agent(chat, rounds=1).answer(question=QUESTION, search=lambda text: pytest.fail("nothing is read"))
    assert isinstance(answer, Answered) and "This is the last turn" in chat.prompts[0]


def test_the_presets_differ_in_what_the_released_code_does_otherwise() -> None:
    ours, released = settings("answerer", "m3_agent"), settings("answerer", "m3_agent_released")
    assert {key for key in ours if ours[key] != released[key]} == {
        "name",
        "repeats",
        "exempt",
        "search_in_last_round",
    }


@pytest.mark.parametrize("change", [{"rounds": 0}, {"rounds": 2.0}, {"repeats": "never"}, {"exempt": ""}], ids=str)
def test_settings_are_checked(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"answerer\.{next(iter(change))}"):
        agent(replying("x"), **change)


def test_several_memories_are_read_together() -> None:
    chat = replying(f"{SEARCH}boats", f"{ANSWER}A boat.")
    first, second = video(1, 0, id="v/Ada"), video(0, id="v/Ben")
    rankings: list[Hits] = [ranked(first, [0, 1], k=2), ranked(second, [0], k=2)]
    answer: Answer = agent(chat).answer(question=QUESTION, search=lambda text: rankings)
    assert found(chat, 1) == [
        "- clip 0 (0 s), Ada: thing 1",
        "- clip 0 (0 s), Ben: thing 0",
        "- clip 1 (30 s), Ada: thing 0",
    ]
    assert answer.shown == (("v/Ada", "n1"), ("v/Ben", "n0"), ("v/Ada", "n0"))
