"""What sets the three answer protocols apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.answering.fixed import AlwaysAbstains
from memforest.answering.longmemeval import LongMemEval
from memforest.answering.mem0 import Mem0
from memforest.answering.personamem import PersonaMem
from memforest.answering.single_shot import SingleShot
from memforest.config.folder import settings
from memforest.core.outcomes import Abstained, Answered
from memforest.core.types import Hits, Memory, Question
from tests.builders import DAY, START, memory, node
from tests.chats import fenced_parts, outside_fences, replying

QUESTION = Question(id="u/q", unit_id="u", text="What did Ada sell?", time=START + 9 * DAY)
CHOICE = replace(QUESTION, options=("A boat.", "A violin.", "Both.", "Nothing."))
ASKED = "Thursday 23 November 2023, 10:13 pm"


def prompt(kind: type[SingleShot], question: Question = QUESTION, *memories: Memory, order: str = "rank") -> str:
    chat = replying("a boat")
    hits = [
        Hits(of, tuple(reversed(range(len(of)))), tuple(1.0 - rank / 10 for rank in range(len(of))), 5)
        for of in memories
        or (memory([node("n0", "old", time=START), node("n1", "new", time=START + DAY)], id="u/Ada"),)
    ]
    kind(chat=chat, context="memory", order=order, max_context_words=None).answer(
        question=question, search=lambda text: hits
    )
    return chat.prompts[0]


def test_mem0_lists_by_speaker_and_tells_no_date_of_the_question() -> None:
    ben = memory([node("n0", "his", time=START)], id="u/Ben")
    ada = memory([node("n0", "old", time=START), node("n1", "new", time=START + DAY)], id="u/Ada")
    text = prompt(Mem0, QUESTION, ada, ben)
    assert fenced_parts(text) == [
        "Memories of Ada:\n- Wednesday 15 November 2023, 10:13 pm: new\n- Tuesday 14 November 2023, 10:13 pm: old\n\n"
        "Memories of Ben:\n- Tuesday 14 November 2023, 10:13 pm: his",
        QUESTION.text,
    ]
    assert ASKED not in text
    assert "five or six words" in text


def test_mem0_asks_for_a_letter_where_there_are_options() -> None:
    text = prompt(Mem0, CHOICE)
    assert fenced_parts(text)[1:] == [QUESTION.text, "(a) A boat.\n(b) A violin.\n(c) Both.\n(d) Nothing."]
    assert "letter" in outside_fences(text) and "five or six" not in text


def test_longmemeval_tells_the_date_of_the_question_if_there_is_one() -> None:
    assert f"Today is {ASKED}.\nThe question:" in prompt(LongMemEval)
    assert "Today is" not in prompt(LongMemEval, replace(QUESTION, time=None))
    assert "five or six" not in prompt(LongMemEval)


def test_longmemeval_of_a_video_is_asked_at_a_clip() -> None:
    video = memory([node("n0", "a door", time=31.0)], id="u", clock="video")
    text = prompt(LongMemEval, replace(QUESTION, time=371.0), video)
    assert "Today is clip 12 (371 s)." in text and "- clip 1 (31 s): a door" in text


@pytest.mark.parametrize("kind", [LongMemEval, PersonaMem])
@pytest.mark.parametrize(
    ("order", "said"), [("time", "from the oldest to the newest"), ("rank", "the most fitting first")]
)
def test_the_order_that_is_said_is_the_order_of_the_list(kind: type[SingleShot], order: str, said: str) -> None:
    text = prompt(kind, CHOICE, order=order)
    assert said in text
    first, second = fenced_parts(text)[0].splitlines()
    assert ("old" in first and "new" in second) == (order == "time")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I weigh (a) and (b).\n<final_answer>(c)", "(c)"),
        ("<final_answer> c </final_answer>", "c"),
        ("I cannot choose.\n<final_answer>", "I cannot choose.\n<final_answer>"),
        ("(b)", "(b)"),
        ("They like tea.", "They like tea."),
        ("<final_answer>tea, as always", "<final_answer>tea, as always"),
    ],
)
def test_personamem_reads_what_follows_the_marker(reply: str, answer: str) -> None:
    made = PersonaMem(chat=replying(reply), context="memory", order="time", max_context_words=None)
    assert made.answer(question=CHOICE, search=lambda text: []) == Answered(answer, reply=reply)


def test_references_are_the_protocol_with_another_context() -> None:
    base = settings("answerer", "mem0")
    for option, context in (("full_context", "history"), ("no_memory", "nothing"), ("oracle", "evidence")):
        other = settings("answerer", option)
        own = ("name", "order", "context", "traits")
        assert {key: other[key] for key in other if key not in own} == {
            key: base[key] for key in base if key not in own
        }
        assert (other["context"], other["traits"]["roles"]) == (context, base["traits"]["roles"])
        assert other["traits"].get("needs", []) == (["evidence"] if option == "oracle" else [])


def test_an_answerer_without_a_model_says_that_it_does_not_know() -> None:
    assert AlwaysAbstains().answer(question=QUESTION, search=lambda text: []) == Abstained("I don't know.")
