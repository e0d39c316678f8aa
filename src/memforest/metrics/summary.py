"""Records and compression reports -> the numbers of `metrics.json`. Recalls are in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memforest.core.intervals import clustered_interval
from memforest.metrics.scoring import RECALLS

SCHEMA = 1
Record = Mapping[str, Any]


def summarise(
    records: Sequence[Record],
    reports: Sequence[Mapping[str, Any]],
    *,
    categories: Sequence[str],
    word_budgets: Sequence[int],
    ratio: float,
) -> dict[str, Any]:
    """All metrics of a run. `ratio` is the one asked for, 0 for a compressor that ignores it."""
    searched = [record for record in records if record["outcome"] == "searched"]
    return {
        "schema": SCHEMA,
        **_recalls(records, searched, categories=categories, word_budgets=word_budgets),
        **_early(searched),
        **_sizes(reports, ratio=ratio),
    }


def _recalls(
    records: Sequence[Record],
    searched: Sequence[Record],
    *,
    categories: Sequence[str],
    word_budgets: Sequence[int],
) -> dict[str, Any]:
    absent = [record for record in records if record["outcome"] == "not_runnable"]
    return {
        "questions": len(records),
        "scored": sum(_value(record) is not None for record in searched),
        "not_runnable": {
            "questions": len(absent),
            "units": {record["unit"]: record["reason"] for record in absent},
        },
        **{name: percent_mean(searched, name) for name in RECALLS},
        "intervals": {name: interval(searched, name) for name in RECALLS},
        **{
            f"{name}_by_category": {
                category: percent_mean(of_category(searched, category), name) for category in categories
            }
            for name in RECALLS
        },
        "questions_by_category": {category: len(of_category(records, category)) for category in categories},
        **{
            f"{name}_at_words": {
                str(budget): percent_mean(_at_words(searched, budget), name) for budget in word_budgets
            }
            for name in RECALLS
        },
        "intervals_at_words": {
            name: {str(budget): interval(_at_words(searched, budget), name) for budget in word_budgets}
            for name in RECALLS
        },
        "context_words": rounded(sum(r["words"] for r in searched) / len(searched)) if searched else None,
    }


def _early(searched: Sequence[Record]) -> dict[str, Any]:
    """What compression took from what was known when questions about the beginning of a video were asked.

    Means over the questions before which something was known: of the known nodes those that are hidden in nodes that
    end later, and those that are dropped; and the share of questions with a hidden node.
    """
    counts = [record["early"] for record in searched if "early" in record]
    shares = [
        {
            "hidden": count["hidden"] / count["known"],
            "dropped": count["dropped"] / count["known"],
            "questions_affected": count["hidden"] > 0,
        }
        for count in counts
        if count["known"]
    ]
    names = ("hidden", "dropped", "questions_affected")
    measured = {name: percent_mean(shares, name) for name in names}
    return {"early": {"questions": len(counts), "knowing": len(shares), **measured}} if counts else {}


def of_category(records: Sequence[Record], category: str) -> list[Record]:
    """Records of the questions that count in a category."""
    return [r for r in records if r["category"] == category or category in r.get("more_categories", ())]


def _at_words(searched: Sequence[Record], budget: int) -> list[Record]:
    """What the searches are worth at a budget of words."""
    return [{**record["at_words"][str(budget)], "cluster": record["cluster"]} for record in searched]


def _value(record: Record) -> float | None:
    """Evidence recall at turns where the memory knows turns, else at sessions."""
    value: float | None = record["evidence_recall"]
    return record["session_evidence_recall"] if value is None else value


def percent_mean(records: Sequence[Record], name: str) -> float | None:
    """Mean over the records that have a value, in percent; None when none has."""
    values = [record[name] for record in records if record[name] is not None]
    return rounded(100 * sum(values) / len(values)) if values else None


def interval(records: Sequence[Record], name: str) -> list[float] | None:
    """The clustered interval of `percent_mean`; None when there is none."""
    scored = [record for record in records if record[name] is not None]
    bounds = clustered_interval([100 * r[name] for r in scored], [r["cluster"] for r in scored]) if scored else None
    return None if bounds is None else [rounded(bound) for bound in bounds]


def _sizes(reports: Sequence[Mapping[str, Any]], *, ratio: float) -> dict[str, Any]:
    before, after = ({key: sum(r[side][key] for r in reports) for key in _SIZE_KEYS} for side in ("before", "after"))
    return {
        "memories": len(reports),
        "nodes_before": before["nodes"],
        "nodes_after": after["nodes"],
        "ratio_requested": ratio,
        "ratio_realised": rounded(1 - after["nodes"] / before["nodes"]) if before["nodes"] else 0.0,
        "text_bytes_before": before["text_bytes"],
        "text_bytes_after": after["text_bytes"],
        "vector_bytes_before": before["vector_bytes"],
        "vector_bytes_after": after["vector_bytes"],
        "words_before": before["words"],
        "words_after": after["words"],
        "truncated_texts_before": before["truncated_texts"],
        "truncated_texts_after": after["truncated_texts"],
        "merges": sum(report["merges"] for report in reports),
        "failed_merges": sum(sum(report["failed_merges"].values()) for report in reports),
        "retryable_failures": sum(report["retryable_failures"] for report in reports),
        "stopped_memories": sum(report["stopped"] is not None for report in reports),
        "shortfall": sum(report["shortfall"] for report in reports),
        "beyond_m": sum(report["method_target"] - report["target"] for report in reports),
        "dropped_nodes": sum(len(report["dropped_nodes"]) for report in reports),
        "dropped_segments": sum(len(gone) for report in reports for gone in report["dropped_segments"].values()),
    }


_SIZE_KEYS = ("nodes", "words", "text_bytes", "vector_bytes", "truncated_texts")


def rounded(value: float) -> float:
    """Six decimals: enough for any comparison, and free of the last bits of a sum."""
    return round(value, 6)
