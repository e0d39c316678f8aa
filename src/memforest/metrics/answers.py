"""What answers are worth: by their words, and by a judge's verdicts. Percent in summaries, shares in records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memforest.core.intervals import clustered_interval
from memforest.core.outcomes import Abstained, Answer, Answered
from memforest.core.types import Gold, Question
from memforest.metrics.scoring import RECALLS
from memforest.metrics.summary import interval, of_category, percent_mean, rounded
from memforest.metrics.text import bleu_1, set_f1, token_f1

TEXT_METRICS = {"set_f1": set_f1, "bleu_1": bleu_1, "token_f1": token_f1}
Record = Mapping[str, Any]


def text_scores(question: Question, gold: Gold, answer: Answer) -> dict[str, float | None]:
    """Each text metric of an answer; None where there is no answer to compare, or an option's letter was asked for."""
    comparable = gold.answerable and gold.answer is not None and not question.options
    if not isinstance(answer, Answered | Abstained) or not comparable:
        return dict.fromkeys(TEXT_METRICS)
    assert gold.answer is not None
    return {name: metric(answer.text, gold.answer) for name, metric in TEXT_METRICS.items()}


def summarise_answers(
    records: Sequence[Record], *, categories: Sequence[str], judge: str | None, context: str
) -> dict[str, Any]:
    """The `answers` of `metrics.json`; `judge` is the identity of the judge, a part of its metric's name, `context`
    what the answerer's searches looked into."""
    asked = [record for record in records if record.get("answer", {"outcome": "skipped"})["outcome"] != "skipped"]
    outcomes = Counter(record["answer"]["outcome"] for record in asked)
    done = [record for record in asked if record["answer"]["outcome"] != "failed"]
    # In place of the recalls of one search, those of all that was shown.
    seen = [{**record, **record["shown"]} for record in done] if context != "nothing" else []
    given = [record for record in done if record["answer"]["outcome"] != "unanswered"]
    return {
        "asked": len(asked),
        "skipped": len(records) - len(asked),
        "answered": outcomes["answered"],
        "abstained": outcomes["abstained"],
        "unanswered": outcomes["unanswered"],
        "failed": dict(Counter(_failure(record) for record in asked if record["answer"]["outcome"] == "failed")),
        "context": context,
        "empty_context": sum(record["shown"]["nodes"] == 0 for record in asked) if context != "nothing" else 0,
        "words_shown": None if context == "nothing" else _mean([record["shown"]["words"] for record in done]),
        "words_per_answer": _mean([len(record["answer"]["text"].split()) for record in given]),
        "searches": _searches(done),
        "shown": {name: _scores(seen, name, categories) for name in RECALLS},
        **{name: _scores(asked, name, categories) for name in TEXT_METRICS},
        "judges": {} if judge is None else {judge: _accuracy(asked, categories)},
    }


def _searches(records: Sequence[Record]) -> dict[str, Any]:
    """Avg-R, searches per question, with its interval; those that brought nothing count too."""
    counts = [record["shown"]["searches"] for record in records]
    bounds = clustered_interval(counts, [record["cluster"] for record in records]) if records else None
    return {
        "mean": _mean(counts),
        "interval": None if bounds is None else [rounded(bound) for bound in bounds],
        "total": sum(counts),
        "questions": len(counts),
    }


def _failure(record: Record) -> str:
    return f"{record['answer']['stage']}: {record['answer']['error']}"


def _mean(values: Sequence[int]) -> float | None:
    return rounded(sum(values) / len(values)) if values else None


def _scores(records: Sequence[Record], name: str, categories: Sequence[str]) -> dict[str, Any]:
    """A mean with its interval and count, and the means by category."""
    return {
        "mean": percent_mean(records, name),
        "interval": interval(records, name),
        "scored": sum(record[name] is not None for record in records),
        "by_category": {category: percent_mean(of_category(records, category), name) for category in categories},
    }


def _accuracy(records: Sequence[Record], categories: Sequence[str]) -> dict[str, Any]:
    """A judge's accuracy over what it could judge, and what it could not judge by reason."""
    judged = [{**record, "accuracy": _correct(record)} for record in records]
    unscored = [record["verdict"]["reason"] for record in records if record["verdict"]["outcome"] == "unscored"]
    by_votes = [{**record, "accuracy": _share_of_votes(record)} for record in judged]
    return {
        **_scores(judged, "accuracy", categories),
        "mean_of_votes": percent_mean(by_votes, "accuracy"),
        "answerable": percent_mean([record for record in judged if record["answerable"]], "accuracy"),
        "unanswerable": percent_mean([record for record in judged if not record["answerable"]], "accuracy"),
        "asked": len(records),
        "asked_by_category": {category: len(of_category(records, category)) for category in categories},
        "unscored": dict(Counter(unscored)),
    }


def _correct(record: Record) -> float | None:
    outcome = record["verdict"]["outcome"]
    return None if outcome == "unscored" else float(outcome == "correct")


def _share_of_votes(record: Record) -> float | None:
    votes = record["verdict"].get("votes")
    correct: float | None = record["accuracy"]
    return sum(votes) / len(votes) if votes else correct
