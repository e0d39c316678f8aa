"""Runs on disk with chosen recalls, for tests of what is reported about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memforest.metrics.summary import summarise
from memforest.store.code import library_versions
from memforest.store.runs import METRICS, REFERENCES, TIMINGS, RunStore, StoredRun

BUDGETS = (150,)
UNITS = ("u1", "u1", "u2", "u2")


def record(question: str, unit: str, recall: float | None, **changes: Any) -> dict[str, Any]:
    """A question's record as the search stage writes it."""
    values = {
        "nodes": 1,
        "words": 12,
        "evidence_recall": recall,
        "session_evidence_recall": recall,
        "answer_token_recall": recall,
    }
    head = {"question": question, "unit": unit, "cluster": unit, "category": "temporal"}
    found = {"answerable": recall is not None, "outcome": "searched"}
    return {**head, **found, **values, "hits": [], "at_words": {"150": values}, **changes}


def report(memory: str = "u1", **changes: Any) -> dict[str, Any]:
    """A memory's compression report."""
    size = {"nodes": 4, "words": 40, "text_bytes": 2000, "vector_bytes": 64, "truncated_texts": 0}
    return {
        "memory": memory,
        "merges": 2,
        "failed_merges": {},
        "retryable_failures": 0,
        "stopped": None,
        "shortfall": 0,
        "target": 2,
        "method_target": 2,
        "before": size,
        "after": {**size, "nodes": 2},
        "dropped_nodes": [],
        "dropped_segments": {},
        **changes,
    }


def store_run(
    outputs: Path,
    run_id: str,
    recalls: Sequence[float | None],
    *,
    settings: Mapping[str, Any] | None = None,
    reports: Sequence[Mapping[str, Any]] | None = None,
    records: Sequence[Mapping[str, Any]] | None = None,
    **run: Any,
) -> StoredRun:
    """A complete run whose questions have these recalls, two units in turn."""
    made = list(records or (record(f"q{n}", UNITS[n % 4], recall) for n, recall in enumerate(recalls)))
    chosen = {
        "compressor": {"name": "tome"},
        "merger": {"name": "concat"},
        "retriever": {"name": "topk"},
        "ratio": 0.5,
        "seed": None,
        "k": 10,
        **(settings or {}),
    }
    attempt = RunStore(outputs).start(run_id, stages="s" * 64)
    attempt.resume([item["question"] for item in made])
    list(attempt.append(dict(item) for item in made))
    metrics = summarise(
        made, list(reports or [report()]), categories=["temporal", "adversarial"], word_budgets=BUDGETS, ratio=0.5
    )
    attempt.write(METRICS, metrics)
    attempt.write(REFERENCES, {"no memory": summarise(made, [], categories=[], word_budgets=BUDGETS, ratio=0.0)})
    attempt.write(TIMINGS, {"stages": {"build": {"seconds": 1.5, "computed": 1, "cached": 2}}})
    facts = {
        "settings": chosen,
        "data": "d",
        "code": {},
        "libraries": library_versions(),
        "keys": {"u1": {"build": "k1"}, "u2": {}},
    }
    return attempt.publish({**facts, **run})
