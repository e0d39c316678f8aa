"""Stored runs in words: lists, comparisons, and what was cached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from memforest.core.digests import canonical_json
from memforest.core.errors import StoreError
from memforest.core.intervals import clustered_interval
from memforest.report.answers import TEXT_METRICS, judged, search_lines
from memforest.report.result import SHORT_NAMES, label, named, recall_name
from memforest.report.table import aligned, markdown, number, with_interval
from memforest.store.runs import METRICS, RUN, TIMINGS, RunStore, StoredRun

_NOTHING = ("-", "-", "-", "-")


def list_lines(store: RunStore) -> list[str]:
    """All runs, complete, stale and unfinished."""
    rows = []
    for run in store.all():
        try:
            rows.append(_row(run))
        except StoreError as error:
            rows.append([run.id, f"damaged: {error}", *_NOTHING])
    rows += [[run_id, f"unfinished, {done} questions", *_NOTHING] for run_id, done in store.unfinished().items()]
    return [aligned(["run", "state", "recall", "nodes", "scored", "judged"], rows)] if rows else ["no runs yet"]


def _row(run: StoredRun) -> list[str]:
    metrics = run.read(METRICS)
    retryable = sum(run.retryable.values())
    state = "stale" if run.changes() else f"{retryable:,} failed calls" if retryable else "finished"
    name = recall_name(metrics)
    recall = f"{SHORT_NAMES[name]} {number(metrics[name])}"
    return [run.id, state, recall, f"{metrics['nodes_after']:,}", _scored(metrics), _accuracy(metrics)]


def _accuracy(metrics: Mapping[str, Any]) -> str:
    found = judged(metrics)
    return "-" if found is None else f"{number(found[1]['mean'])} of {found[1]['scored']:,}/{found[1]['asked']:,}"


def _scored(metrics: Mapping[str, Any]) -> str:
    return f"{metrics['scored']:,}/{metrics['questions']:,}"


def show_lines(run: StoredRun) -> list[str]:
    """One run's settings and metrics."""
    metrics, settings = run.read(METRICS), run.read(RUN)["settings"]
    changes = run.changes()
    state = f"stale, changed since are {', '.join(changes)}" if changes else "fresh"
    return [
        f"run {run.id} ({state})",
        "settings:",
        *_indented(settings),
        "metrics:",
        *_indented(metrics),
        *search_lines(run),
        f"folder: {run.folder}",
    ]


def _indented(tree: Mapping[str, Any], depth: int = 1) -> list[str]:
    """A nested mapping as lines, one value each."""
    lines = []
    for key, value in tree.items():
        nested = isinstance(value, Mapping) and value
        lines.append("  " * depth + f"{key}:" + ("" if nested else f" {canonical_json(value)}"))
        lines += _indented(value, depth + 1) if nested else []
    return lines


def why_lines(run: StoredRun) -> list[str]:
    """What the last attempt found cached and what it computed, and whether it would be computed again now."""
    lines = [f"run {run.id}"]
    for stage, item in run.read(TIMINGS)["stages"].items():
        lines.append(f"  {stage:<9}{item['cached']} cached, {item['computed']} computed, {item['seconds']} s")
        if merges := item.get("merges"):
            found = f"{merges['computed']:,} computed, {merges['replayed']:,} replayed from earlier runs"
            lines.append(f"    merges: {found}")
    recorded = run.read(RUN)
    for unit, keys in recorded["keys"].items():
        lines.append(f"  {unit}: " + (", ".join(f"{stage} {key}" for stage, key in keys.items()) or "not runnable"))
    changes = run.changes()
    if changes:
        return [*lines, f"stale: changed since are {', '.join(changes)}; the same command computes it anew"]
    if run.retryable:
        calls = ", ".join(f"{count:,} in {stage}" for stage, count in run.retryable.items())
        return [
            *lines,
            f"not finished after {run.attempts} attempts: failed calls, {calls}; the same command repeats them",
        ]
    return [*lines, "fresh: code and libraries are those of the run; the same command returns it at once"]


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs that differ in nothing but the seed."""

    name: str
    runs: tuple[StoredRun, ...]
    metrics: tuple[Mapping[str, Any], ...]


def compare_lines(runs: Sequence[StoredRun], *, as_markdown: bool = False) -> list[str]:
    """Runs side by side; runs that differ only in the seed are one row with mean and standard deviation.

    The last column is the paired difference from the first row with its clustered interval. Raises StoreError when
    the runs do not answer the same questions.
    """
    groups = _groups(list({run.folder.resolve(): run for run in runs}.values()))
    first = groups[0].metrics[0]
    recall = recall_name(first)
    budgets = list(first["evidence_recall_at_words"])
    name = SHORT_NAMES[recall]
    header = ["", "seeds", "scored", name, "answer"]
    header += [f"{name} at {budget} words" for budget in budgets]
    header += [f"answer at {budget} words" for budget in budgets]
    header += ["nodes", "text kB", "words/question", f"{name} against the first row"]
    words = TEXT_METRICS if all("answers" in metrics for group in groups for metrics in group.metrics) else ()
    judge = _shared_judge(groups)
    header += [*words, *([] if judge is None else [judge, "judged", f"{judge} against the first row"])]
    baseline = _values(groups[0], recall)
    rows = []
    for group in groups:
        rows.append(
            [
                group.name,
                str(len(group.runs)),
                _scored(group.metrics[0]),
                _spread([metrics[recall] for metrics in group.metrics]),
                _spread([metrics["answer_token_recall"] for metrics in group.metrics]),
                *(_spread([m[f"{recall}_at_words"][budget] for m in group.metrics]) for budget in budgets),
                *(_spread([m["answer_token_recall_at_words"][budget] for m in group.metrics]) for budget in budgets),
                f"{group.metrics[0]['nodes_after']:,}",
                _spread([metrics["text_bytes_after"] / 1000 for metrics in group.metrics]),
                _spread([metrics["context_words"] for metrics in group.metrics]),
                _difference(_values(group, recall), baseline, group.runs[0]) if group is not groups[0] else "",
                *(_spread([metrics["answers"][name]["mean"] for metrics in group.metrics]) for name in words),
                *([] if judge is None else _judged_cells(group, groups[0])),
            ]
        )
    table = (markdown if as_markdown else aligned)(header, rows)
    beyond = {group.name: group.metrics[0].get("beyond_m", 0) for group in groups}
    notes = [_beyond_m(name, nodes) for name, nodes in beyond.items() if nodes]
    if judge is None and any(judged(metrics) for group in groups for metrics in group.metrics):
        notes.append("the runs were not judged by one judge, so their accuracies do not stand in one column")
    return [table, *notes]


def _shared_judge(groups: Sequence[_Group]) -> str | None:
    """The judge of all runs; None where there is none, or where verdicts of several would stand in one column."""
    judges = [judged(metrics) for group in groups for metrics in group.metrics]
    names = {None if judge is None else judge[0] for judge in judges}
    return names.pop() if len(names) == 1 else None


def _judged_cells(group: _Group, first: _Group) -> list[str]:
    """Accuracy, what was judged of what was asked, and the paired difference from the first row."""
    rows = [found[1] for metrics in group.metrics if (found := judged(metrics))]
    difference = _difference(_verdicts(group), _verdicts(first), group.runs[0]) if group is not first else ""
    return [_spread([row["mean"] for row in rows]), f"{rows[0]['scored']:,}/{rows[0]['asked']:,}", difference]


def _verdicts(group: _Group) -> dict[str, float]:
    """Each question's verdict as 0 or 1, averaged over seeds; unscored ones are left out."""
    return _means(
        (record["question"], float(record["verdict"]["outcome"] == "correct"))
        for run in group.runs
        for record in run.records()
        if record.get("verdict", {"outcome": "unscored"})["outcome"] != "unscored"
    )


def _beyond_m(name: str, nodes: int) -> str:
    return f"not the same budget: by its own rule {name} leaves {nodes:,} nodes more than the others"


def _groups(runs: Sequence[StoredRun]) -> list[_Group]:
    by_key: dict[str, list[StoredRun]] = {}
    questions = [record["question"] for record in runs[0].records()]
    for run in runs:
        if [record["question"] for record in run.records()] != questions:
            raise StoreError(f"{run.id} and {runs[0].id} do not answer the same questions; they cannot be compared")
        settings = {key: value for key, value in run.read(RUN)["settings"].items() if key != "seed"}
        by_key.setdefault(canonical_json([settings, run.read(RUN)["data"]]), []).append(run)
    names = _names([members[0] for members in by_key.values()])
    return [
        _Group(name, tuple(members), tuple(run.read(METRICS) for run in members))
        for name, members in zip(names, by_key.values(), strict=True)
    ]


def _names(runs: Sequence[StoredRun]) -> list[str]:
    """A name for each row: compressor, ratio, merger, retriever, and whatever else tells equal ones apart."""
    described = [{**run.read(RUN)["settings"], "data": run.read(RUN)["data"]} for run in runs]
    differing = [
        key
        for key in dict.fromkeys(key for item in described for key in item)
        if key not in ("compressor", "ratio", "merger", "retriever", "answerer", "seed")
        and len({canonical_json(item.get(key)) for item in described}) > 1
    ]
    names = [
        " ".join([label(run), *(f"{key}={_short(key, item.get(key))}" for key in differing)])
        for run, item in zip(runs, described, strict=True)
    ]
    return [
        f"{name} ({run.id[-10:]})" if names.count(name) > 1 else name for name, run in zip(names, runs, strict=True)
    ]


def _short(key: str, value: Any) -> str:
    """A value in a few characters: of a hash of data the first, of a choice its name and models."""
    if isinstance(value, Mapping):
        return named(value)
    return value[:8] if key == "data" else canonical_json(value)


def _values(group: _Group, recall: str) -> dict[str, float]:
    """Each question's recall, averaged over seeds."""
    return _means(
        (record["question"], record[recall])
        for run in group.runs
        for record in run.records()
        if record.get(recall) is not None
    )


def _means(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    collected: dict[str, list[float]] = {}
    for question, value in values:
        collected.setdefault(question, []).append(value)
    return {question: mean(found) for question, found in collected.items()}


def _difference(values: Mapping[str, float], baseline: Mapping[str, float], run: StoredRun) -> str:
    clusters = {record["question"]: record.get("cluster", record["unit"]) for record in run.records()}
    shared = [question for question in baseline if question in values]
    differences = [100 * (values[question] - baseline[question]) for question in shared]
    if not differences:
        return "-"
    return with_interval(mean(differences), clustered_interval(differences, [clusters[q] for q in shared]))


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    return f"{mean(known):.1f}" + (f" ± {stdev(known):.1f}" if len(known) > 1 else "")
