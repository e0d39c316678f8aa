"""Accuracy over what was judged, failures by reason, and text metrics over what can be compared."""

from __future__ import annotations

from typing import Any

import pytest

from memforest.core.outcomes import Answer, Answered, Failed
from memforest.core.types import Gold, Question
from memforest.metrics.answers import summarise_answers, text_scores

CATEGORIES = ("single-hop", "temporal", "adversarial")


def shown(**changes: Any) -> dict[str, Any]:
    recalls = {"evidence_recall": 0.5, "session_evidence_recall": None, "answer_token_recall": 1.0}
    return {"searches": 1, "texts": ["what"], "nodes": 2, "words": 30, **recalls, **changes}


def record(
    outcome: str = "answered", verdict: str | None = None, *, category: str = "single-hop", **more: Any
) -> dict[str, Any]:
    answer = {"outcome": outcome, "text": "two words"}
    if outcome == "failed":
        answer = {"outcome": outcome, "stage": "answer", "error": "timeout"}
    judged = {} if verdict is None else {"verdict": {"outcome": verdict, "reason": "no answer: timeout"}}
    return {
        "unit": "u",
        "cluster": "u",
        "category": category,
        "answerable": category != "adversarial",
        "answer": answer,
        "shown": shown(),
        "set_f1": None if outcome == "failed" else 0.5,
        "bleu_1": None,
        "token_f1": None,
        **judged,
        **more,
    }


def summary(*records: dict[str, Any], judge: str | None = "j", context: str = "memory") -> dict[str, Any]:
    return summarise_answers(records, categories=CATEGORIES, judge=judge, context=context)


def test_accuracy_is_over_what_was_judged_and_says_what_was_not() -> None:
    found = summary(
        record(verdict="correct"),
        record(verdict="incorrect", category="temporal"),
        record(verdict="incorrect"),
        record("failed", "unscored"),
    )["judges"]["j"]
    assert found["mean"] == pytest.approx(100 / 3)
    assert (found["scored"], found["asked"]) == (3, 4)
    assert found["unscored"] == {"no answer: timeout": 1}
    assert found["by_category"] == {"single-hop": 50.0, "temporal": 0.0, "adversarial": None}
    assert found["asked_by_category"] == {"single-hop": 3, "temporal": 1, "adversarial": 0}


def test_failures_are_counted_by_reason_and_are_no_zeros() -> None:
    found = summary(record(verdict="correct"), record("failed", "unscored"), record("abstained", "incorrect"))
    assert (found["asked"], found["answered"], found["abstained"]) == (3, 1, 1)
    assert found["failed"] == {"answer: timeout": 1}
    assert found["set_f1"]["mean"] == 50.0 and found["set_f1"]["scored"] == 2


def test_skipped_questions_are_counted_apart() -> None:
    found = summary(record(verdict="correct"), {**record(), "answer": {"outcome": "skipped"}}, {"unit": "u"})
    assert (found["asked"], found["skipped"]) == (1, 2)


def test_the_mean_of_votes_is_not_the_majority() -> None:
    verdict = {"outcome": "correct", "votes": [True, True, False]}
    found = summary({**record(), "verdict": verdict}, record(verdict="incorrect"))["judges"]["j"]
    assert found["mean"] == 50.0
    assert found["mean_of_votes"] == pytest.approx(100 * (2 / 3) / 2)


def test_answerable_and_unanswerable_questions_stand_beside_the_whole() -> None:
    found = summary(record(verdict="correct"), record(verdict="incorrect", category="adversarial"))["judges"]["j"]
    assert (found["mean"], found["answerable"], found["unanswerable"]) == (50.0, 100.0, 0.0)


def test_without_a_judge_there_is_no_accuracy_and_without_answers_no_mean() -> None:
    assert summary(record(), judge=None)["judges"] == {}
    nothing = summary(judge=None)
    assert nothing["asked"] == 0 and nothing["words_shown"] is None and nothing["set_f1"]["mean"] is None


def test_searches_are_counted_per_question_and_failed_ones_are_not() -> None:
    often = record(shown=shown(searches=4), unit="v", cluster="v")
    found = summary(record(), often, record("failed", shown=shown(searches=9)), judge=None)
    assert found["searches"] == {"mean": 2.5, "interval": [1.0, 4.0], "total": 5, "questions": 2}
    assert summary(judge=None)["searches"] == {"mean": None, "interval": None, "total": 0, "questions": 0}


def test_what_was_shown_is_worth_what_all_searches_brought() -> None:
    more = record("unanswered", shown=shown(evidence_recall=1.0, answer_token_recall=None), category="temporal")
    found = summary(record(), more, record("failed"), judge=None)["shown"]
    assert (found["evidence_recall"]["mean"], found["evidence_recall"]["scored"]) == (75.0, 2)
    assert found["evidence_recall"]["by_category"] == {"single-hop": 50.0, "temporal": 100.0, "adversarial": None}
    assert (found["answer_token_recall"]["mean"], found["answer_token_recall"]["scored"]) == (100.0, 1)
    assert found["session_evidence_recall"]["mean"] is None
    assert summary(record(), judge=None, context="nothing")["shown"]["evidence_recall"]["mean"] is None


def test_who_gives_no_answers_is_counted_apart_and_has_no_words() -> None:
    silent = record("unanswered", "unscored")
    silent["answer"] = {"outcome": "unanswered", "reason": "no model is asked"}
    found = summary(silent, record(verdict="correct"))
    assert (found["asked"], found["answered"], found["unanswered"], found["failed"]) == (2, 1, 1, {})
    assert (found["words_per_answer"], found["words_shown"]) == (2.0, 30.0)
    assert (found["judges"]["j"]["mean"], found["judges"]["j"]["scored"]) == (100.0, 1)


def test_empty_contexts_are_counted() -> None:
    empty = record(shown=shown(nodes=0, words=0))
    assert summary(record(), empty, judge=None)["empty_context"] == 1
    assert summary(record(), empty, judge=None, context="nothing")["empty_context"] == 0


def test_text_metrics_compare_answers_to_answerable_gold_only() -> None:
    question = Question(id="q", unit_id="u", text="what")
    gold = Gold("q", "single-hop", True, "a red kite", None, ())

    def scores(answer: Answer, **changes: Any) -> dict[str, float | None]:
        asked = Question(id="q", unit_id="u", text="what", **changes)
        return text_scores(asked, gold, answer)

    assert scores(Answered("a red kite"))["set_f1"] == 1.0
    assert scores(Failed("answer", "timeout")) == {"set_f1": None, "bleu_1": None, "token_f1": None}
    assert text_scores(question, Gold("q", "x", False, "a", None, ()), Answered("a"))["set_f1"] is None
