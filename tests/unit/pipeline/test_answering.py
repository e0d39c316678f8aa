"""Answering and judging: records come out in order whatever finishes first, and nothing is taken for an answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from memforest.core.errors import CallsFailedError
from memforest.core.outcomes import (
    Abstained,
    Answer,
    Answered,
    Correct,
    Failed,
    Incorrect,
    Unanswered,
    Unscored,
    Verdict,
)
from memforest.core.protocols import Search
from memforest.core.types import Gold, Hits, Question
from memforest.pipeline.answering import Answering, Asked, failed_calls
from tests.builders import memory, node


class Answerer:
    """Answers by a table, searching once for each question; waits as long as the table says."""

    context = "memory"

    def __init__(
        self, answers: dict[str, Answer], *, waits: dict[str, float] | None = None, concurrency: int = 4
    ) -> None:
        self.concurrency = concurrency
        self.asked: list[str] = []
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._answers = answers
        self._waits = waits or {}

    def answer(self, *, question: Question, search: Search) -> Answer:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.asked.append(question.id)
        search(question.text)
        time.sleep(self._waits.get(question.id, 0))
        with self._lock:
            self._now -= 1
        return self._answers.get(question.id, Answered(f"answer {question.id}"))


class Judge:
    """Accepts answers that end in an even digit; does not judge failures."""

    identity = "even"
    concurrency = 2

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        if isinstance(answer, Failed | Unanswered):
            return Unscored("no answer", retry=isinstance(answer, Failed))
        return Correct((True, False, True)) if answer.text[-1] in "02468" else Incorrect()


def hits(text: str) -> Sequence[Hits]:
    found = memory(3)
    return [Hits(memory=found, order=(0, 1, 2), scores=(3.0, 2.0, 1.0), k=2)]


def asked(count: int, *, search: Search | None = hits) -> Iterator[Asked]:
    for number in range(count):
        question = Question(id=f"q{number}", unit_id="u", text="what")
        gold = Gold(question.id, "single-hop", True, f"answer q{number}", None, ())
        yield Asked(question, gold, {"question": question.id}, search)


def records(answerer: Any, count: int, judge: Any = None) -> list[dict[str, Any]]:
    return list(Answering(answerer, judge, failures_in_a_row=20).records(asked(count)))


def test_records_are_in_order_whatever_finishes_first() -> None:
    slow_first = {f"q{number}": 0.05 - number / 400 for number in range(20)}
    answerer = Answerer({}, waits=slow_first)
    assert [record["question"] for record in records(answerer, 20)] == [f"q{number}" for number in range(20)]
    assert answerer.asked != sorted(answerer.asked, key=lambda name: int(name[1:])) or answerer.most > 1


def test_several_questions_are_at_work_but_never_more_than_allowed() -> None:
    answerer = Answerer({}, waits={f"q{number}": 0.01 for number in range(30)}, concurrency=3)
    records(answerer, 30)
    assert 1 < answerer.most <= 3


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answered("red"), {"outcome": "answered", "text": "red", "left_out": 0}),
        (Answered("red", "It is red."), {"outcome": "answered", "text": "red", "reply": "It is red.", "left_out": 0}),
        (Abstained("not said", 2), {"outcome": "abstained", "text": "not said", "left_out": 2}),
        (Unanswered("only searched"), {"outcome": "unanswered", "reason": "only searched"}),
        (
            Failed("answer", "timeout", "60 s"),
            {"outcome": "failed", "stage": "answer", "error": "timeout", "detail": "60 s"},
        ),
    ],
)
def test_an_outcome_is_recorded_as_what_it_is(answer: Answer, expected: dict[str, Any]) -> None:
    (record,) = records(Answerer({"q0": answer}), 1)
    assert record["answer"] == expected


def test_a_failed_answer_has_no_score_and_no_verdict_and_is_asked_again() -> None:
    failed, good = records(Answerer({"q0": Failed("answer", "timeout")}), 2, Judge())
    assert failed["verdict"] == {"outcome": "unscored", "reason": "no answer", "retry": True}
    assert failed["set_f1"] is failed["bleu_1"] is failed["token_f1"] is None
    assert failed_calls([failed, good, {**good, "verdict": failed["verdict"]}]) == {"answer": 1, "judge": 1}


def test_who_gives_no_answers_has_no_score_no_verdict_and_nothing_to_repeat() -> None:
    (silent,) = records(Answerer({"q0": Unanswered("only searched")}), 1, Judge())
    assert silent["verdict"] == {"outcome": "unscored", "reason": "no answer", "retry": False}
    assert silent["set_f1"] is silent["bleu_1"] is silent["token_f1"] is None
    assert failed_calls([silent]) == {}


def test_verdicts_keep_their_votes() -> None:
    even, odd = records(Answerer({}), 2, Judge())
    assert even["verdict"] == {"outcome": "correct", "votes": [True, False, True]}
    assert odd["verdict"] == {"outcome": "incorrect"}


def test_what_a_search_shows_is_counted() -> None:
    (record,) = records(Answerer({}), 1)
    words = sum(node.words for node in memory(3).nodes[:2])
    assert record["shown"] == {
        "searches": 1,
        "texts": ["what"],
        "nodes": 2,
        "words": words,
        "evidence_recall": None,
        "session_evidence_recall": None,
        "answer_token_recall": 0.0,
    }


def test_a_question_that_is_not_to_be_answered_asks_nobody() -> None:
    answerer = Answerer({})
    (record,) = Answering(answerer, Judge(), failures_in_a_row=20).records(asked(1, search=None))
    assert record == {"question": "q0", "answer": {"outcome": "skipped"}}
    assert answerer.asked == [] and failed_calls([record]) == {}


def test_when_the_reader_stops_questions_in_waiting_are_dropped() -> None:
    answerer = Answerer({}, waits={f"q{number}": 0.01 for number in range(200)}, concurrency=2)
    stream = Answering(answerer, None, failures_in_a_row=20).records(asked(200))
    next(stream)
    stream.close()
    assert len(answerer.asked) < 20


def test_an_error_of_an_answerer_stops_the_run_after_the_records_before_it() -> None:
    class Broken(Answerer):
        def answer(self, *, question: Question, search: Search) -> Answer:
            if question.id == "q3":
                raise ValueError("a bug")
            return super().answer(question=question, search=search)

    seen = []
    with pytest.raises(ValueError, match="a bug"):
        for record in Answering(Broken({}, concurrency=1), None, failures_in_a_row=20).records(asked(10)):
            seen.append(record["question"])
    assert seen == ["q0", "q1", "q2"]


def test_a_server_that_is_gone_is_not_asked_for_ever() -> None:
    failing: dict[str, Answer] = {
        f"q{number}": Failed("answer", "connection lost", "nobody there") for number in range(2, 50)
    }
    seen = []
    with pytest.raises(CallsFailedError, match=r"5 questions in a row .* connection lost nobody there"):
        for record in Answering(Answerer(failing), None, failures_in_a_row=5).records(asked(50)):
            seen.append(record["question"])
    assert seen == [f"q{number}" for number in range(7)]


def test_a_success_ends_a_row_of_failures() -> None:
    failing: dict[str, Answer] = {f"q{number}": Failed("answer", "timeout") for number in range(30) if number % 3}
    assert len(list(Answering(Answerer(failing), None, failures_in_a_row=3).records(asked(30)))) == 30


@pytest.mark.parametrize(
    ("shown", "nodes"),
    [
        ((), []),
        ((("m", "n0"),), [0]),
        ((("m", "n2"), ("m", "n0"), ("m", "n2")), [0, 2]),
        ((("other", "n1"),), []),
    ],
)
def test_what_the_model_saw_counts_and_nothing_else_and_each_node_once(
    shown: tuple[tuple[str, str], ...], nodes: list[int]
) -> None:
    (record,) = records(Answerer({"q0": Answered("red", left_out=1, shown=shown)}), 1)
    assert record["shown"]["nodes"] == len(nodes)
    assert record["shown"]["words"] == sum(memory(3).nodes[place].words for place in nodes)


class Looping(Answerer):
    """Searches for the question, then for two other texts, and is shown all that these find."""

    def answer(self, *, question: Question, search: Search) -> Answer:
        rankings = [search(text) for text in (question.text, "then", "at last")]
        shown = tuple((hits.memory.id, node.id) for found in rankings for hits in found for node in hits.nodes)
        return Answered("red", shown=shown)


def test_evidence_is_that_of_all_searches_together() -> None:
    of = memory([node(f"n{place}", word) for place, word in enumerate(("red", "green", "blue", "kite"))])
    order = {"what": (0, 1, 2, 3), "then": (1, 0, 2, 3), "at last": (3, 2, 1, 0)}

    def search(text: str) -> Sequence[Hits]:
        return [Hits(of, order[text], (4.0, 3.0, 2.0, 1.0), k=1)]

    question = Question(id="q0", unit_id="u", text="what")
    gold = Gold("q0", "single-hop", True, "blue kite", None, ("n3", "n0"))
    known = {"question": "q0", "evidence_recall": 0.5, "session_evidence_recall": None}
    (record,) = Answering(Looping({}), None, failures_in_a_row=20).records([Asked(question, gold, known, search)])
    assert record["shown"] == {
        "searches": 3,
        "texts": ["what", "then", "at last"],
        "nodes": 3,
        "words": 3,
        "evidence_recall": 1.0,
        "session_evidence_recall": None,
        "answer_token_recall": 0.5,
    }
    assert record["evidence_recall"] == 0.5, "the question's own search keeps its score"
