"""`memforest judge`: stored answers in, verdicts of one of our judges out, beside those that they came with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memforest.config.compose import components, compose_spec
from memforest.core.checks import require, require_count_or_null
from memforest.core.errors import ConfigError, DataError
from memforest.core.outcomes import Answer, Answered, Correct, Incorrect, Unscored, Verdict
from memforest.core.progress import Progress
from memforest.core.protocols import Judge, LoadedDataset, Search
from memforest.core.types import Gold, Question, Unit
from memforest.exchange.places import require_free
from memforest.exchange.published.answers import StoredAnswer, read_answers, write_answers
from memforest.exchange.run_answers import votes_of_record
from memforest.metrics.agreement import JudgeAgreement, judge_agreement
from memforest.metrics.answers import summarise_answers
from memforest.pipeline.answering import Answering, Asked, failed_calls

ROLE = "judge"
_ANYBODY = "answerer=abstain"
"""A run has an answerer before it has a judge; here the answers are there already."""
_WORKING = ("dataset", "answerer", "judge", "llm")
"""No memory is built or searched, so any backbone will do."""


class StoredAnswers:
    """An answerer that gives what somebody answered, by question."""

    context = "nothing"
    concurrency = 1

    def __init__(self, answers: Sequence[StoredAnswer]) -> None:
        self._answers = {answer.question_id: answer.answer for answer in answers}

    def answer(self, *, question: Question, search: Search) -> Answer:
        """The stored answer."""
        return Answered(self._answers[question.id])


@dataclass(frozen=True, eq=False)
class _Item:
    """An answer with its question and gold."""

    answer: StoredAnswer
    question: Question
    gold: Gold
    unit: Unit


def judge_answers(
    source: Path, *, out: Path | None, sample: int | None, seed: int, replace: bool, settings: Sequence[str]
) -> dict[str, Any]:
    """Judge the answers of `source`, or `sample` of them drawn with `seed`, by the judge of `settings`.

    Returns the judge's accuracy and the text metrics as in a run, its agreement with the votes that the answers came
    with, and the calls. `out` gets the answers with our votes, in the form of `source`. Replies are kept: judging again
    costs what is new. Raises ConfigError without a judge, DataError for answers of no question of the dataset.
    """
    require_count_or_null("--sample", sample)
    require(seed >= 0, f"--seed must be at least 0, got {seed}")
    if out is not None:
        require_free(out, source=source, replace=replace)
    spec = compose_spec([_ANYBODY, *settings], working=_WORKING)
    parts = components(spec)
    if parts.judge is None:
        raise ConfigError("choose who judges: judge=NAME, such as judge=eventtree llm=gpt_4o_mini")
    dataset = parts.dataset.load()
    answers = _drawn(read_answers(source), sample, seed)
    items = _joined(answers, dataset, source)
    with parts.ledger.stage(ROLE), Progress(ROLE, len(items)) as progress:
        records = []
        answering = Answering(StoredAnswers(answers), parts.judge, failures_in_a_row=spec.failures_in_a_row)
        for record in answering.records(_asked(items)):
            records.append(record)
            progress.advance(1)
    if out is not None:
        write_answers(out, _voted(items, records, parts.judge))
    return {
        "file": source.name,
        "dataset": spec["dataset"].name,
        "answers": summarise_answers(
            records, categories=dataset.categories, judge=parts.judge.identity, context=StoredAnswers.context
        ),
        "agreement": _agreement(items, records),
        "failed_calls": failed_calls(records),
        "calls": parts.ledger.as_json(),
    }


def _drawn(answers: Sequence[StoredAnswer], sample: int | None, seed: int) -> Sequence[StoredAnswer]:
    """`sample` of the answers in their order, the same for the same seed; all of them for None."""
    if sample is None or sample >= len(answers):
        return answers
    places = np.random.default_rng(seed).choice(len(answers), size=sample, replace=False)
    return [answers[place] for place in sorted(places.tolist())]


def _joined(answers: Sequence[StoredAnswer], dataset: LoadedDataset, source: Path) -> list[_Item]:
    units = {unit.id: unit for unit in dataset.units}
    asked = {question.id: (question, gold) for question, gold in zip(dataset.questions, dataset.golds, strict=True)}
    strange = [answer.question_id for answer in answers if answer.question_id not in asked]
    if strange:
        raise DataError(
            f"{source.name} answers {len(strange):,} questions that the dataset does not have, such as {strange[0]!r}; "
            "name the dataset it was made on (dataset=NAME dataset.path=FILE)"
        )
    return [
        _Item(answer, *asked[answer.question_id], units[asked[answer.question_id][0].unit_id]) for answer in answers
    ]


def _asked(items: Sequence[_Item]) -> Iterator[Asked]:
    for item in items:
        record = {
            "question": item.question.id,
            "unit": item.unit.id,
            "cluster": item.unit.cluster or item.unit.id,
            "category": item.gold.category,
            "answerable": item.gold.answerable,
        }
        yield Asked(item.question, item.gold, record, lambda text: [])


def _voted(items: Sequence[_Item], records: Sequence[dict[str, Any]], judge: Judge) -> list[StoredAnswer]:
    """The answers with our votes; without votes where there is no verdict."""
    return [
        StoredAnswer(item.answer.question_id, item.answer.answer, votes_of_record(record), {"judge": judge.identity})
        for item, record in zip(items, records, strict=True)
    ]


def _agreement(items: Sequence[_Item], records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Agreement with the votes that the answers came with; None where fewer than one has some."""
    pairs = [
        (item.answer.votes, _verdict(record)) for item, record in zip(items, records, strict=True) if item.answer.votes
    ]
    return _as_json(judge_agreement([votes for votes, _ in pairs], [ours for _, ours in pairs])) if pairs else None


def _verdict(record: dict[str, Any]) -> Verdict:
    verdict = record["verdict"]
    if verdict["outcome"] == "unscored":
        return Unscored(verdict["reason"])
    return Correct() if verdict["outcome"] == "correct" else Incorrect()


def _as_json(found: JudgeAgreement) -> dict[str, Any]:
    return {
        name: getattr(found, name)
        for name in ("answers", "scored", "agreement", "kappa", "accepted_by_them", "accepted_by_us")
    }
