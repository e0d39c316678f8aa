"""What one run cost and saved, beside the reference rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memforest.core.listing import listed
from memforest.report.answers import answer_lines
from memforest.report.table import aligned, number, with_interval
from memforest.store.runs import METRICS, REFERENCES, RUN, StoredRun

Metrics = Mapping[str, Any]

SHORT_NAMES = {"evidence_recall": "evidence", "session_evidence_recall": "sessions"}
"""What the recalls are called in a table's header."""


def result_lines(run: StoredRun, uncompressed: StoredRun) -> list[str]:
    """The table of a finished run, the sentence that says how to read it, and what is notable."""
    metrics, full = run.read(METRICS), uncompressed.read(METRICS)
    rows = [("asked: " + label(run), metrics)]
    if run.id != uncompressed.id:
        rows.append(("uncompressed", full))
    recall = recall_name(metrics)
    # Where no question has evidence, there is neither floor nor ceiling to compare with.
    rows += [(name, values) for name, values in run.read(REFERENCES).items() if values[recall] is not None]
    budgets = list(metrics["evidence_recall_at_words"])
    header = [
        f"percent, {_cut(run.read(RUN)['settings'])}",
        f"{SHORT_NAMES[recall]} [95 %]",
        "answer",
        *(f"{budget} words" for budget in budgets),
        "nodes",
        "text kB",
        "vectors kB",
        "words",
    ]
    body = [
        [
            name,
            with_interval(values[recall], values["intervals"][recall]),
            number(values["answer_token_recall"]),
            *(number(values[f"{recall}_at_words"][budget]) for budget in budgets),
            *_sizes(values),
            number(values["context_words"]),
        ]
        for name, values in rows
    ]
    categories = {name: value for name, value in metrics[f"{recall}_by_category"].items() if value is not None}
    return [
        aligned(header, body),
        "",
        *(
            [f"by category: {', '.join(f'{name} {number(value)}' for name, value in categories.items())}"]
            if categories
            else []
        ),
        *_notable(metrics),
        _reading(metrics, full, recall),
        *_separated(answer_lines(run)),
    ]


def label(run: StoredRun) -> str:
    """The run's compressor and ratio."""
    settings = run.read(RUN)["settings"]
    parts = [settings["compressor"]["name"]]
    if settings["ratio"] is not None:
        parts.append(f"{settings['ratio']:g}")
    if settings["merger"] is not None:
        parts.append(named(settings["merger"]))
    return " ".join([*parts, *(named(settings[group]) for group in ("retriever", "answerer") if group in settings)])


def named(choice: Mapping[str, Any]) -> str:
    """A choice's name, with the models that it asks."""
    models = dict.fromkeys(str(model["model"]) for model in choice.get("llm", {}).values())
    return " ".join([str(choice["name"]), *(f"({model})" for model in models)])


def _cut(settings: Mapping[str, Any]) -> str:
    """How many hits count: k, or as many as a retriever gives that ignores it."""
    return f"k={settings['k']}" if settings["k"] is not None else f"hits of {settings['retriever']['name']}"


def recall_name(metrics: Metrics) -> str:
    """Evidence recall where the memory knows turns, its session form where it knows sessions only."""
    sessions_only = metrics["evidence_recall"] is None and metrics["session_evidence_recall"] is not None
    return "session_evidence_recall" if sessions_only else "evidence_recall"


def _separated(lines: Sequence[str]) -> list[str]:
    return ["", *lines] if lines else []


def _sizes(metrics: Metrics) -> list[str]:
    if not metrics["memories"]:
        return ["-", "-", "-"]
    return [
        f"{metrics['nodes_after']:,}",
        f"{metrics['text_bytes_after'] / 1000:,.1f}",
        f"{metrics['vector_bytes_after'] / 1000:,.1f}",
    ]


def _notable(metrics: Metrics) -> list[str]:
    lines = [
        f"questions: {metrics['questions']:,} in all, {metrics['scored']:,} scored for evidence; "
        f"ratio asked for {metrics['ratio_requested']:g}, realised {metrics['ratio_realised']:.4f}; "
        f"{metrics['truncated_texts_after']:,} texts longer than the embedder reads"
    ]
    if metrics["dropped_nodes"] or metrics["dropped_segments"]:
        lines.append(
            f"given up: {metrics['dropped_nodes']:,} nodes and {metrics['dropped_segments']:,} segments, "
            "listed in compression.json"
        )
    if metrics["failed_merges"]:
        lines.append(f"failed merges: {metrics['failed_merges']:,}, {metrics['shortfall']:,} nodes above the target")
    if stopped := metrics.get("stopped_memories"):
        lines.append(f"left as they are after too many failed merges in a row: {stopped:,} memories")
    if retryable := metrics.get("retryable_failures"):
        lines.append(
            f"not finished: {retryable:,} merges failed in their calls; the same command makes those again, and what "
            "rests on them"
        )
    if (early := metrics.get("early")) and early["knowing"] and metrics["nodes_after"] < metrics["nodes_before"]:
        hidden, dropped, affected = (number(early[name]) for name in ("hidden", "dropped", "questions_affected"))
        lines.append(
            f"compressed with all clips known: of the nodes that were known when a question was asked, {hidden} % are "
            f"hidden in nodes that end later (in {affected} % of the questions) and {dropped} % are dropped"
        )
    if metrics["beyond_m"]:
        lines.append(
            f"not the same budget: by its own rule the method leaves {metrics['beyond_m']:,} nodes more than the others"
        )
    absent = metrics["not_runnable"]
    if absent["questions"]:
        lines.append(f"not runnable: {absent['questions']:,} questions of {listed(list(absent['units']))}")
    return lines


def _reading(metrics: Metrics, full: Metrics, recall: str) -> str:
    if not metrics["questions"]:
        return (
            "How to read it: the data has no questions; the memories were built and compressed, nothing was searched."
        )
    if metrics[recall] is None:
        return _reading_without_evidence(metrics)
    budgets = ", ".join(metrics["evidence_recall_at_words"])
    kind = _kind_of_evidence(metrics, recall)
    found = f"{number(metrics[recall])} % after compression and {number(full[recall])} % before"
    if metrics["nodes_after"] == full["nodes_after"]:
        found = f"{number(metrics[recall])} %"
    return (
        f"How to read it: of the {kind} that answers rest on, the hits hold {found} (`answer`: of the answers' words); "
        "`no memory` is the floor, `oracle evidence`, the evidence itself, the ceiling, and since merged hits are "
        f"longer (`words` per question), compare methods in the columns at {budgets} words."
    )


def _reading_without_evidence(metrics: Metrics) -> str:
    if metrics["answer_token_recall"] is None:
        return "How to read it: no question has evidence that could be found, so there is nothing to compare."
    return (
        "How to read it: no question says what its answer rests on, so the hits are measured by `answer` alone: the "
        "share of the answers' words that they hold; longer hits (`words` per question) hold more."
    )


def _kind_of_evidence(metrics: Metrics, recall: str) -> str:
    """What evidence consists of: sessions, turns, or texts of a video, which lie in no session."""
    if recall == "session_evidence_recall":
        return "sessions"
    return "texts" if metrics["session_evidence_recall"] is None else "turns"
