"""Forms of published LongMemEval files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memforest.core.errors import DataError
from memforest.exchange.published.answers import hypothesis, records_of
from memforest.exchange.published.benchmark import Benchmark, Item
from memforest.exchange.published.document import Document, field, share_of, text_of
from memforest.exchange.published.rows import RECALL_ANY, Claim, Layout, Row, by_id, claims_of, first_has, votes_of

_LABEL = "_label"
_VERDICTS = {"CORRECT": 1.0, "WRONG": 0.0}
_AT_K = "session_recall_at_k"


def _item(raw: object, benchmark: Benchmark, where: str) -> Item:
    return by_id(benchmark, field(raw, "question_id", str, where=where), where=where)


def _hypothesis_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    return [_hypothesis_row(raw, benchmark, where) for raw, where in records_of(document)]


def _hypothesis_row(raw: Any, benchmark: Benchmark, where: str) -> Row:
    """The official form: `question_id`, `hypothesis`, and after judging `autoeval_label` with `model` and `label`."""
    _, answer = hypothesis(raw, where=where)
    label = raw.get("autoeval_label")
    votes = votes_of(field(raw, "autoeval_label", dict, where=where).get("label"), where=where) if label else ()
    return Row(**_shared(raw, benchmark, where=where), answer=answer, votes=votes)


def _shared(raw: Any, benchmark: Benchmark, *, where: str) -> dict[str, Any]:
    """Place and question, and what only some rows repeat of the question."""
    return {
        "place": where,
        "item": _item(raw, benchmark, where),
        "question": field(raw, "question", str, where=where) if "question" in raw else None,
        "category": field(raw, "question_type", str, where=where) if "question_type" in raw else None,
        "gold": text_of(raw, "answer", where=where) if "answer" in raw and "question" in raw else None,
    }


def _retrieval_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    return [_retrieval_row(raw, benchmark, where) for raw, where in records_of(document)]


def _retrieval_row(raw: Any, benchmark: Benchmark, where: str) -> Row:
    """The official retrieval log: `retrieval_results` with `ranked_items` and `metrics` by session and by turn."""
    shared = _shared(raw, benchmark, where=where)
    results = field(raw, "retrieval_results", dict, where=where)
    ranked = field(results, "ranked_items", list, where=where)
    metrics = results.get("metrics")
    levels = metrics if isinstance(metrics, dict) else {}
    return Row(
        **shared,
        retrieved=tuple(
            field(hit, "corpus_id", str, where=f"{where}, ranked_items[{rank}]") for rank, hit in enumerate(ranked)
        ),
        stored={
            f"{level}_{name}": share_of(values, name, where=f"{where}, metrics")
            for level, values in levels.items()
            if isinstance(values, dict)
            for name in values
        },
    )


def _label_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    """A table of verdicts by several judges. They are not rounds of one judge, so they are no votes."""
    return [_label_row(raw, benchmark, document.place(index)) for index, raw in enumerate(document.content)]


def _label_row(raw: Any, benchmark: Benchmark, where: str) -> Row:
    item = by_id(benchmark, field(raw, "qid", str, where=where), where=where)
    labels = {key: field(raw, key, str, where=where) for key in raw if key.endswith(_LABEL)}
    for key, label in labels.items():
        if label not in (*_VERDICTS, ""):
            raise DataError(f"{where}: `{key}` must be {', '.join(_VERDICTS)} or empty, got {label!r:.40}")
    return Row(
        place=where,
        item=item,
        category=field(raw, "question_type", str, where=where) if "question_type" in raw else None,
        stored={key: _VERDICTS[label] for key, label in labels.items() if label},
    )


def _arena_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    records = field(document.content, "recall_records", list, where=document.name)
    return [_arena_row(raw, benchmark, f"{document.name}, recall_records[{n}]") for n, raw in enumerate(records)]


def _arena_row(raw: Any, benchmark: Benchmark, where: str) -> Row:
    """memory-arena: its `accuracy` is a judge's score between 0 and 1, no verdict, so it is no vote."""
    item = _item(raw, benchmark, where)
    retrieval = field(raw, "ir", dict, where=where)
    names = field(raw, "supporting_session_ids", list, where=where)
    recall = retrieval.get(_AT_K) if raw.get("recall_at_k_measurable") else None
    depth = field(retrieval, "k", int, where=where) if recall is not None else None
    return Row(
        place=where,
        item=item,
        answer=None if raw.get("error") else text_of(raw, "answer", where=where),
        retrieved=tuple(map(str, names[:depth])) if depth is not None else None,
        stored={
            "judge_score": share_of(field(raw, "score", dict, where=where), "accuracy", where=where),
            **({} if recall is None else {_AT_K: share_of(retrieval, _AT_K, where=where)}),
        },
    )


def _arena_claims(content: Mapping[str, Any]) -> list[Claim]:
    means = {"accuracy": "judge_score", "mean_session_recall_at_k": _AT_K}
    paths = {key: ("stored_metrics", name, "stored") for key, name in means.items()}
    return [*claims_of(content, {"questions_evaluated": ("questions",)}), *claims_of(content, paths, scale=100)]


LAYOUTS = (
    Layout(
        name="hypotheses",
        words="one `question_id`, `hypothesis` a line (and `autoeval_label`)",
        joined_by="id",
        fits=lambda content: first_has(content, "hypothesis"),
        rows=_hypothesis_rows,
    ),
    Layout(
        name="retrieval_log",
        words="one `question_id`, `retrieval_results` a line",
        joined_by="id",
        fits=lambda content: first_has(content, "retrieval_results"),
        rows=_retrieval_rows,
        again=lambda stored: stored if RECALL_ANY.fullmatch(stored) else None,
    ),
    Layout(
        name="labels",
        words="a table with `qid` and a column `..._label` for each judge",
        joined_by="id",
        fits=lambda content: first_has(content, "qid"),
        rows=_label_rows,
    ),
    Layout(
        name="memory_arena",
        words="an object with `recall_records`",
        joined_by="id",
        fits=lambda content: isinstance(content, dict) and "recall_records" in content,
        rows=_arena_rows,
        again={_AT_K: "session_recall"}.get,
        claims=_arena_claims,
    ),
)
