"""What a run says about its answers: what was asked, what failed, how good it is, and what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.metrics.answers import summarise_answers
from memforest.report.answers import answer_lines, answered_lines, call_lines, judged, judged_lines, search_lines
from memforest.report.inspect import compare_lines, list_lines, show_lines
from memforest.store.runs import LEDGER, METRICS, TIMINGS, RunStore, StoredRun
from tests.unit.report.stored import record, report, store_run

JUDGE = "eventtree@m#abc123"


def shown(**changes: Any) -> dict[str, Any]:
    recalls = {"evidence_recall": 0.5, "session_evidence_recall": None, "answer_token_recall": 1.0}
    return {"searches": 1, "texts": ["what"], "nodes": 2, "words": 30, **recalls, **changes}


def answered(question: str, verdict: str = "correct", *, unit: str = "u1", **changes: Any) -> dict[str, Any]:
    return record(
        question,
        unit,
        1.0,
        **{
            "answer": {"outcome": "answered", "text": "a red kite", "left_out": 0},
            "shown": shown(),
            "set_f1": 0.5,
            "bleu_1": 0.25,
            "token_f1": 0.4,
            "verdict": {"outcome": verdict, "reason": "no answer: timeout", "retry": True},
            **changes,
        },
    )


FAILED: dict[str, Any] = {"answer": {"outcome": "failed", "stage": "answer", "error": "timeout", "detail": ""}}


def summary(*records: dict[str, Any], judge: str | None = JUDGE, context: str = "memory") -> dict[str, Any]:
    return summarise_answers(records, categories=["temporal"], judge=judge, context=context)


def stored(
    outputs: Path,
    run_id: str,
    *records: dict[str, Any],
    judge: str | None = JUDGE,
    times: dict[str, Any] | None = None,
    context: str = "memory",
    yes_no: dict[str, Any] | None = None,
    **settings: Any,
) -> StoredRun:
    """A run with answers, written as the pipeline writes it."""
    run = store_run(outputs, run_id, [], records=list(records), reports=[report()], settings=settings)
    answers = summary(*records, judge=judge, context=context) | ({} if yes_no is None else {"yes_no": yes_no})
    metrics = {**run.read(METRICS), "answers": answers}
    attempt = RunStore(outputs).start(f"{run_id}-answered", stages="t" * 64)
    attempt.resume([item["question"] for item in records])
    list(attempt.append(iter(records)))
    attempt.write(METRICS, metrics)
    attempt.write(TIMINGS, {"stages": {}, "searches": times})
    return attempt.publish({**run.read("run.json"), "retryable_failures": {}})


def test_outcomes_are_counted_and_scores_stand_beside_what_they_are_of() -> None:
    lines = answered_lines(summary(answered("q1"), answered("q2", "incorrect"), answered("q3", "unscored", **FAILED)))
    assert lines[0] == (
        "answers: 3 questions asked: 2 answered, 0 abstained, 1 failed; 30.0 words shown to each, 3.0 words per answer"
    )
    assert lines[1] == "failed: answer: timeout 1; the same command asks these again and nothing else"
    table = "\n".join(lines)
    assert f"{JUDGE}" in table and "50.0" in table and "2/3" in table
    assert lines[-2] == f"unscored by {JUDGE}: no answer: timeout 1"


def test_many_failures_empty_contexts_and_abstentions_are_warned_of() -> None:
    empty: dict[str, Any] = {"shown": shown(nodes=0, words=0)}
    unsure: dict[str, Any] = {"answer": {"outcome": "abstained", "text": "not said", "left_out": 0}}
    lines = answered_lines(summary(answered("q1", **FAILED), answered("q2", **empty, **unsure)))
    assert "look out: 50 % of the questions failed" in lines
    assert "look out: 50 % of the questions were asked without any memory" in lines
    assert not any("abstained from" in line for line in lines)


def test_a_category_whose_score_is_zero_is_shown() -> None:
    zero = answered("q1", "incorrect", set_f1=0.0, bleu_1=0.0, token_f1=0.0)
    assert "temporal" in "\n".join(answered_lines(summary(zero)))


def test_without_questions_there_is_nothing_to_divide_by() -> None:
    assert answered_lines(summary())[0].startswith("answers: 0 questions asked")


def test_what_was_shown_stands_beside_what_was_answered() -> None:
    more = answered("q2", "incorrect", unit="u2", shown=shown(evidence_recall=1.0))
    rows = {
        line.split("  ")[0]: line.split()
        for line in "\n".join(answered_lines(summary(answered("q1"), more))).split("\n")
    }
    assert rows["evidence shown"][2] == "75.0" and "2/2" in rows["evidence shown"]
    assert rows["answer words shown"][3] == "100.0"
    assert "sessions shown" not in rows


def test_who_gives_no_answers_is_said_to_give_none() -> None:
    silent: dict[str, Any] = {"answer": {"outcome": "unanswered", "reason": "no model is asked"}}
    lines = answered_lines(summary(answered("q1", "unscored", **silent)))
    assert lines[0].startswith("answers: 1 questions asked: 0 answered, 0 abstained, 0 failed, 1 only searched for")


TIMES: dict[str, Any] = {
    "measured": 5,
    "questions": 2,
    "at_once": 1,
    "mean": 0.002,
    "median": 0.0015,
    "p95": 0.004,
    "embedding": 0.25,
}


def timed(outputs: Path, *, times: dict[str, Any] | None = None, context: str = "memory") -> list[str]:
    records = [answered("q1", shown=shown(searches=2)), answered("q2", unit="u2", shown=shown(searches=3))]
    return search_lines(stored(outputs, "a", *records, times=TIMES if times is None else times, context=context))


def test_a_run_says_how_often_and_how_long_it_searched(tmp_path: Path) -> None:
    assert timed(tmp_path) == [
        "Avg-R 2.50 [2.00, 3.00] searches per question, of 2; R-Time 2.000 ms per search, T-Time 5.000 ms per question",
        "R-Time: the retriever alone, median 1.500 ms, 95th percentile 4.000 ms, over 5 searches for 2 questions; one "
        "question at a time; embedding what is searched for took 0.25 s in all and is not in it",
    ]


def test_what_a_time_was_measured_on_is_said(tmp_path: Path) -> None:
    resumed = timed(tmp_path / "a", times={**TIMES, "questions": 1, "at_once": 16})[1]
    assert (
        "over 5 searches for 1 questions of 2, those of the last attempt; up to 16 questions at work at once" in resumed
    )
    nothing = timed(tmp_path / "b", times={**TIMES, "measured": 0, "questions": 0, "mean": None})
    assert nothing == [
        "Avg-R 2.50 [2.00, 3.00] searches per question, of 2; the last attempt searched nothing, so nothing was timed"
    ]


def test_who_does_not_search_the_memory_has_no_times_of_searching(tmp_path: Path) -> None:
    assert timed(tmp_path, context="history") == []
    assert search_lines(store_run(tmp_path, "r", [1.0])) == []


def test_times_are_shown_with_the_run_and_under_its_result(tmp_path: Path) -> None:
    run = stored(tmp_path, "a", answered("q1"), times=TIMES)
    (first, second) = search_lines(run)
    assert {first, second} <= set(show_lines(run)) and {first, second} <= set(answer_lines(run))


ROW = {
    "stage": "compress",
    "role": "merge",
    "model": "m",
    "calls": 3,
    "cached_calls": 1,
    "retries": 2,
    "repairs": 0,
    "failures": {"timeout": 1},
    "failure_details": {"timeout": "no reply within 60 s"},
    "seconds": 4.2,
    "paid": {
        "input_tokens_uncached": 100,
        "input_tokens_cached_by_server": 20,
        "output_tokens": 30,
        "cost_dollars": 0.01234,
    },
    "found": {
        "input_tokens_uncached": 1,
        "input_tokens_cached_by_server": 0,
        "output_tokens": 1,
        "cost_dollars": None,
    },
}


def test_calls_are_told_with_tokens_cost_and_failures() -> None:
    (line,) = call_lines({"rows": [ROW], "total": ROW})
    assert line == (
        "calls of compress, merge, m: 3 made, 1 found; 120 tokens read (20 cached by the server), 30 written; 4 s; "
        "$0.0123 (found ones: cost not known); 2 retries; failed: timeout 1 (no reply within 60 s)"
    )
    assert call_lines({"rows": [ROW, ROW], "total": ROW})[-1].startswith("calls in all: ")


@pytest.mark.parametrize("ledger", [None, {"rows": [ROW], "total": ROW}])
def test_a_run_without_answers_says_only_what_was_called(tmp_path: Path, ledger: dict[str, Any] | None) -> None:
    run = store_run(tmp_path, "r", [1.0])
    if ledger is not None:
        attempt = RunStore(tmp_path).start("r2", stages="u" * 64)
        attempt.write(METRICS, run.read(METRICS))
        attempt.write(LEDGER, ledger)
        attempt.resume([])
        run = attempt.publish(run.read("run.json"))
    assert [line.split(":")[0] for line in answer_lines(run) if line] == (
        [] if ledger is None else ["calls of compress, merge, m"]
    )


def test_runs_with_one_judge_are_compared_by_question(tmp_path: Path) -> None:
    first = stored(tmp_path, "a", answered("q1"), answered("q2", "incorrect", unit="u2"))
    second = stored(tmp_path, "b", answered("q1"), answered("q2", unit="u2"), retriever={"name": "agpr"})
    header, _, *rows = compare_lines([first, second])[0].splitlines()
    assert f"{JUDGE} against the first row" in header
    assert "50.0" in rows[0] and "100.0" in rows[1] and "2/2" in rows[1]


def test_verdicts_of_several_judges_never_stand_in_one_column(tmp_path: Path) -> None:
    first = stored(tmp_path, "a", answered("q1"))
    second = stored(tmp_path, "b", answered("q1"), judge="other@m#000000")
    table, note = compare_lines([first, second])
    assert JUDGE not in table
    assert note == "the runs were not judged by one judge, so their accuracies do not stand in one column"


def test_the_list_of_runs_shows_what_was_judged(tmp_path: Path) -> None:
    stored(tmp_path, "a", answered("q1"), answered("q2", "unscored", **FAILED))
    assert "100.0 of 1/2" in "\n".join(list_lines(RunStore(tmp_path)))


def test_agreement_stands_under_what_was_judged_again() -> None:
    both = {
        "answers": 2,
        "scored": 2,
        "agreement": 50.0,
        "kappa": None,
        "accepted_by_them": 50.0,
        "accepted_by_us": 100.0,
    }
    found = {"answers": summary(answered("q1")), "agreement": both, "calls": {"rows": [], "total": ROW}}
    assert judged_lines(found)[-1] == (
        "beside the votes that 2 answers came with, 2 of them judged here: agreement 50.0 %, kappa -; accepted by them "
        "50.0 %, here 100.0 %"
    )
    assert judged({"answers": found["answers"]}) == (JUDGE, found["answers"]["judges"][JUDGE])
    assert judged({}) is None


def test_what_guessing_yes_or_no_is_worth_stands_beside_the_answers(tmp_path: Path) -> None:
    guessed = {"questions": 10, "yes": 1, "no": 3, "always": "no", "right": 75.0, "right_of_all": 30.0}
    line = next(
        line for line in answer_lines(stored(tmp_path, "r", answered("q1"), yes_no=guessed)) if "always saying" in line
    )
    assert "always saying no is right in 75.0 % of the 4 questions" in line
    assert line.endswith("30.0 % of all")
    assert not any("always saying" in line for line in answer_lines(stored(tmp_path, "other", answered("q1"))))
