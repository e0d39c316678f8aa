"""Joined rows -> accuracies, recomputed metrics beside stored ones, and what a file's header says otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memforest.core.intervals import clustered_interval
from memforest.exchange.published.benchmark import Benchmark
from memforest.exchange.published.document import Document
from memforest.exchange.published.rows import RECALL_ANY, Claim, Layout, Row
from memforest.metrics.text import bleu_1, locomo_f1, set_f1, token_f1

SCHEMA = 1
TEXT_METRICS = ("set_f1", "token_f1", "locomo_f1", "bleu_1")
_ROUNDING = 0.000501
"""Stored numbers have three decimals or more; half of the last one, and a little for the last bit of a sum."""

_SAME_PERCENT = 1e-6
Scored = tuple[Row, Mapping[str, float]]


def summarise(rows: Sequence[Row], *, document: Document, layout: Layout, benchmark: Benchmark) -> dict[str, Any]:
    """Everything `memforest import` says; accuracies, metrics and interval bounds in percent."""
    scored = [(row, _metrics(row, benchmark)) for row in rows]
    by_category = {
        category: _group(group)
        for category in benchmark.categories
        if (group := [pair for pair in scored if pair[0].item.category == category])
    }
    summary = {
        "schema": SCHEMA,
        "file": {"name": document.name, "sha256": document.digest, "layout": layout.name},
        "dataset": {"name": benchmark.name, "file": benchmark.file, "sha256": benchmark.digest},
        **_join(rows, layout=layout, benchmark=benchmark),
        **_group(scored),
        "accuracy_by_vote": _by_vote(rows),
        "by_category": by_category,
        **(_longmemeval(scored, by_category) if benchmark.name == "longmemeval" else {}),
        "stored_metrics": _stored(scored, layout),
    }
    return {**summary, "header": _header(layout.claims(document.content), summary)}


def _metrics(row: Row, benchmark: Benchmark) -> dict[str, float]:
    """Our metrics of a row, those that are defined for it."""
    return dict((*_of_text(row, benchmark), *_of_sessions(row)))


def _of_text(row: Row, benchmark: Benchmark) -> Iterator[tuple[str, float]]:
    if row.answer is None:
        return
    gold = row.item.answer
    if benchmark.name == "locomo":
        official = locomo_f1(row.answer, gold, category=row.item.category)
        if official is not None:
            yield "locomo_f1", official
    if gold is not None and row.item.answerable:
        yield "set_f1", set_f1(row.answer, gold)
        yield "token_f1", token_f1(row.answer, gold)
        yield "bleu_1", bleu_1(row.answer, gold)


def _of_sessions(row: Row) -> Iterator[tuple[str, float]]:
    """Share of the evidence sessions that were retrieved, and whether any is among the first k."""
    wanted = row.item.sessions
    if row.retrieved is None or not wanted:
        return
    yield "session_recall", len(wanted.intersection(row.retrieved)) / len(wanted)
    for name in row.stored:
        if match := RECALL_ANY.fullmatch(name):
            yield name, float(not wanted.isdisjoint(row.retrieved[: int(match[1])]))


def _join(rows: Sequence[Row], *, layout: Layout, benchmark: Benchmark) -> dict[str, Any]:
    there = {row.item.id for row in rows}
    absent = Counter(item.category for item in benchmark.items if item.id not in there)
    golds = [row for row in rows if row.gold is not None and row.item.answer is not None and row.item.answerable]
    return {
        "questions": len(rows),
        "joined_by": layout.joined_by,
        "texts_compared": sum(row.question is not None for row in rows),
        "dataset_questions": len(benchmark.items),
        "not_in_file": {category: absent[category] for category in benchmark.categories if absent[category]},
        "answers": sum(row.answer is not None for row in rows),
        "empty_answers": sum(row.answer is not None and not row.answer.strip() for row in rows),
        "other_gold_answers": [
            f"{row.place}: {row.gold!r:.80}, {row.item.id} in the dataset file: {row.item.answer!r:.80}"
            for row in golds
            if row.gold != row.item.answer
        ],
    }


def _group(scored: Sequence[Scored]) -> dict[str, Any]:
    judged = [row for row, _ in scored if row.votes]
    metrics = [name for name in (*TEXT_METRICS, "session_recall") if any(name in values for _, values in scored)]
    return {
        "questions": len(scored),
        "scored": len(judged),
        "majority_correct": sum(bool(row.majority) for row in judged) if judged else None,
        **_mean("accuracy_majority", judged, lambda row: float(bool(row.majority))),
        **_mean("accuracy_mean_of_votes", judged, lambda row: row.mean_vote or 0.0),
        "metrics": {name: _metric(scored, name) for name in metrics},
    }


def _mean(name: str, rows: Sequence[Row], value: Callable[[Row], float]) -> dict[str, Any]:
    values = [value(row) for row in rows]
    return {name: _percent(values), f"{name}_interval": _interval(values, rows)}


def _metric(scored: Sequence[Scored], name: str) -> dict[str, Any]:
    pairs = [(row, values[name]) for row, values in scored if name in values]
    values = [value for _, value in pairs]
    return {"mean": _percent(values), "interval": _interval(values, [row for row, _ in pairs]), "scored": len(pairs)}


def _percent(values: Sequence[float]) -> float | None:
    return _rounded(100 * sum(values) / len(values)) if values else None


def _interval(values: Sequence[float], rows: Sequence[Row]) -> list[float] | None:
    """Clustered by conversation; LongMemEval's questions each have a history of their own."""
    if not values:
        return None
    bounds = clustered_interval([100 * value for value in values], [row.item.unit for row in rows])
    return None if bounds is None else [_rounded(bound) for bound in bounds]


def _by_vote(rows: Sequence[Row]) -> dict[str, float | None]:
    """Accuracy of each round of judging; a round that some judged row lacks has no number of its own."""
    judged = [row.votes for row in rows if row.votes]
    rounds = min(map(len, judged), default=0)
    return {str(number): _percent([float(votes[number]) for votes in judged]) for number in range(rounds)}


def _longmemeval(scored: Sequence[Scored], by_category: Mapping[str, Any]) -> dict[str, Any]:
    """Its two other figures: the mean over types, whatever their size, and the questions without an answer."""
    means = [group["accuracy_majority"] for group in by_category.values() if group["accuracy_majority"] is not None]
    return {
        "accuracy_task_averaged": _rounded(sum(means) / len(means)) if means else None,
        "abstention": _group([pair for pair in scored if not pair[0].item.answerable]),
    }


def _stored(scored: Sequence[Scored], layout: Layout) -> dict[str, Any]:
    names = dict.fromkeys(name for row, _ in scored for name in row.stored)
    return {name: _beside(scored, name, layout.again(name)) for name in names}


def _beside(scored: Sequence[Scored], name: str, again: str | None) -> dict[str, Any]:
    """A stored metric, and ours of the same definition: `differing` rows are those that rounding does not explain."""
    rows = [(row.stored[name], values.get(again or "")) for row, values in scored if name in row.stored]
    both = [(stored, ours) for stored, ours in rows if ours is not None]
    alone = [stored for stored, ours in rows if again and ours is None]
    return {
        "stored": _percent([stored for stored, _ in rows]),
        "scored": len(rows),
        "recomputed_as": again,
        "recomputed": _percent([ours for _, ours in both]),
        "recomputed_scored": len(both),
        "differing": sum(abs(stored - ours) > _ROUNDING for stored, ours in both) if again else None,
        "without_ours": len(alone),
        "stored_without_ours": _percent(alone),
        "by_category": {
            category: _percent([row.stored[name] for row, _ in scored if _counts(row, name, category)])
            for category in dict.fromkeys(row.item.category for row, _ in scored if name in row.stored)
        },
    }


def _counts(row: Row, name: str, category: str) -> bool:
    return name in row.stored and row.item.category == category


def _header(claims: Iterable[Claim], summary: Mapping[str, Any]) -> dict[str, Any]:
    """How many of the file's own figures hold, and those that do not."""
    checked = [(claim, _at(summary, claim.path)) for claim in claims]
    return {
        "figures": len(checked),
        "differing": [
            {"figure": claim.words, "stated": claim.stated, "measured": found, "measured_as": ".".join(claim.path)}
            for claim, found in checked
            if found is None or abs(claim.stated - found) > _SAME_PERCENT
        ],
    }


def _at(summary: Any, path: Sequence[str]) -> float | None:
    for key in path:
        summary = summary.get(key) if isinstance(summary, dict) else None
    return summary if isinstance(summary, int | float) else None


def _rounded(value: float) -> float:
    """Six decimals: enough for any comparison, and free of the last bits of a sum."""
    return round(value, 6)
