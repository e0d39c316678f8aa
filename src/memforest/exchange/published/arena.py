"""memory-arena's summaries: means over seeds, checked against the files of the seeds that lie beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memforest.core.errors import DataError
from memforest.exchange.published.benchmark import Benchmark
from memforest.exchange.published.document import Document, field, read_document, share_of
from memforest.exchange.published.layouts import layout_of
from memforest.exchange.published.rows import joined
from memforest.exchange.published.summary import SCHEMA, summarise

_SUMMARY = "_summary"
_SAME = 1e-9


def is_arena_summary(document: Document) -> bool:
    """Whether a file is such a summary: it has no row for any question."""
    return isinstance(document.content, dict) and "accuracy_per_seed" in document.content


def summarise_arena(document: Document, *, path: Path, benchmark: Benchmark) -> dict[str, Any]:
    """What the summary states beside what the seeds' files give, in percent. Raises DataError.

    `judge_score` is the mean over seeds of the judge's scores; it is no accuracy of verdicts.
    """
    name = document.name
    stated = field(document.content, "accuracy_per_seed", list, where=name)
    if not stated:
        raise DataError(f"{name}: `accuracy_per_seed` is empty")
    scores = [share_of({"accuracy_per_seed": score}, "accuracy_per_seed", where=name) for score in stated]
    accuracy = share_of(document.content, "accuracy", where=name)
    mean = sum(scores) / len(scores)
    seeds = [_seed(path, number, 100 * value, benchmark) for number, value in enumerate(scores)]
    wrong = [seed for seed in seeds if seed["from_rows"] is not None and abs(seed["from_rows"] - seed["stated"]) > 1e-6]
    return {
        "schema": SCHEMA,
        "file": {"name": name, "sha256": document.digest, "layout": "memory_arena_summary"},
        "dataset": {"name": benchmark.name, "file": benchmark.file, "sha256": benchmark.digest},
        "accuracy_majority": None,
        "accuracy_mean_of_votes": None,
        "judge_score": round(100 * mean, 6),
        "seeds": seeds,
        "header": {
            "figures": 1 + len(seeds),
            "differing": [
                *({"figure": "accuracy", "stated": 100 * accuracy, "measured": 100 * mean},)
                * (abs(accuracy - mean) > _SAME),
                *({"figure": seed["file"], "stated": seed["stated"], "measured": seed["from_rows"]} for seed in wrong),
            ],
        },
    }


def _seed(path: Path, number: int, stated: float, benchmark: Benchmark) -> dict[str, Any]:
    """A seed's stated score, and that of its rows where its file lies beside the summary."""
    stem = path.name.replace(_SUMMARY, f"_seed{number}")
    beside = path.with_name(stem)
    found = None
    if stem != path.name and beside.is_file():
        document = read_document(beside)
        layout = layout_of(document, benchmark.name)
        rows = joined(layout.rows(document, benchmark), benchmark=benchmark)
        whole = summarise(rows, document=document, layout=layout, benchmark=benchmark)
        found = whole["stored_metrics"].get("judge_score", {}).get("stored")
    return {"file": stem, "stated": round(stated, 6), "from_rows": found}
