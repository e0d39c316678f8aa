"""What `memforest import` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memforest.report.table import aligned

_FEW = 3
"""Examples of a list that may be long."""


def import_lines(found: Mapping[str, Any]) -> list[str]:
    """An import in words; numbers in percent."""
    file, dataset = found["file"], found["dataset"]
    title = f"{file['name']} ({file['layout']}), joined with {dataset['file']}"
    body = _arena(found) if "seeds" in found else _questions(found)
    return [title, *body, *_header(found["header"])]


def _questions(found: Mapping[str, Any]) -> list[str]:
    return [
        *_join(found),
        "",
        _table(found),
        *_votes(found),
        *_stored(found["stored_metrics"]),
    ]


def _join(found: Mapping[str, Any]) -> list[str]:
    absent = found["not_in_file"]
    compared = found["texts_compared"]
    check = f"texts of {compared:,} compared, all equal" if compared else "it holds no texts of questions to compare"
    lines = [f"{found['questions']:,} questions joined by {found['joined_by']}; {check}; {_judged(found)}"]
    if absent:
        names = ", ".join(f"{name} {count:,}" for name, count in absent.items())
        lines.append(f"of {found['dataset_questions']:,} questions, {sum(absent.values()):,} are not in it: {names}")
    if found["empty_answers"]:
        lines.append(f"{found['empty_answers']:,} of {found['answers']:,} answers are empty")
    others = found["other_gold_answers"]
    if others:
        lines.append(f"{len(others):,} rows carry another gold answer than the dataset file, whose answers are used:")
        lines += [f"  {text}" for text in others[:_FEW]] + ["  ..."] * (len(others) > _FEW)
    return lines


def _judged(found: Mapping[str, Any]) -> str:
    return f"{found['scored']:,} with votes" if found["scored"] else "no votes of a judge"


def _table(found: Mapping[str, Any]) -> str:
    metrics, judged = list(found["metrics"]), found["scored"] > 0
    judges = _only_stored(found["stored_metrics"])
    verdicts = ["scored", "majority [95 %]", "correct", "votes' mean [95 %]"] if judged else []
    rows = [_row("all", found, metrics, judged) + [_number(item["stored"]) for item in judges.values()]]
    for name, group in found["by_category"].items():
        means = [_number(item["by_category"].get(name)) for item in judges.values()]
        rows.append(_row(name, group, metrics, judged) + means)
    if judged and found.get("accuracy_task_averaged") is not None:
        rows.append(["mean of types", "", "", _number(found["accuracy_task_averaged"])])
    if found.get("abstention", {}).get("questions"):
        rows.append(_row("abstention (inside types)", found["abstention"], metrics, judged))
    header = ["percent", "questions", *verdicts, *metrics, *judges]
    return aligned(header, [row + [""] * (len(header) - len(row)) for row in rows])


def _only_stored(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Verdicts and scores of judges, which only the file has; a retrieval log has too many such numbers to show."""
    alone = {name: item for name, item in stored.items() if item["recomputed_as"] is None}
    return alone if len(alone) <= _FEW else {}


def _row(name: str, group: Mapping[str, Any], metrics: list[str], judged: bool) -> list[str]:
    verdicts = [
        f"{group['scored']:,}",
        _with_interval(group, "accuracy_majority"),
        "-" if group["majority_correct"] is None else f"{group['majority_correct']:,}",
        _with_interval(group, "accuracy_mean_of_votes"),
    ]
    means = [_number(group["metrics"].get(metric, {}).get("mean")) for metric in metrics]
    return [name, f"{group['questions']:,}", *(verdicts if judged else []), *means]


def _with_interval(group: Mapping[str, Any], name: str) -> str:
    bounds = group[f"{name}_interval"]
    return _number(group[name]) + (f" [{bounds[0]:.1f}, {bounds[1]:.1f}]" if bounds else "")


def _votes(found: Mapping[str, Any]) -> list[str]:
    votes = found["accuracy_by_vote"]
    return ["", f"each round of votes: {', '.join(map(_number, votes.values()))}"] if len(votes) > 1 else []


def _stored(stored: Mapping[str, Any]) -> list[str]:
    if not stored:
        return []
    rows = [
        [
            name,
            _number(item["stored"]),
            f"{item['scored']:,}",
            item["recomputed_as"] or "-",
            _number(item["recomputed"]),
            f"{item['recomputed_scored']:,}" if item["recomputed_as"] else "-",
            "-" if item["differing"] is None else f"{item['differing']:,}",
        ]
        for name, item in stored.items()
    ]
    lost = [
        f"{name}: {item['without_ours']:,} rows have none to recompute, with {_number(item['stored_without_ours'])} in "
        "the file"
        for name, item in stored.items()
        if item["without_ours"]
    ]
    return [
        "",
        aligned(["in the file", "mean", "rows", "the same as", "recomputed", "rows", "rows differ"], rows),
        *lost,
    ]


def _arena(found: Mapping[str, Any]) -> list[str]:
    rows = [[seed["file"], _number(seed["stated"]), _number(seed["from_rows"])] for seed in found["seeds"]]
    return [
        f"judge score, mean of {len(rows)} seeds: {_number(found['judge_score'])} (a score, not a share of verdicts)",
        "",
        aligned(["seed", "stated", "from its rows"], rows),
    ]


def _header(header: Mapping[str, Any]) -> list[str]:
    if not header["figures"]:
        return []
    differing = header["differing"]
    lines = [f"of {header['figures']} figures that the file states, {len(differing)} differ from its rows"]
    lines += [
        f"  {item['figure']}: stated {_exact(item['stated'])}, "
        + (f"{item['measured_as']} is " if "measured_as" in item else "found ")
        + _exact(item["measured"])
        for item in differing
    ]
    return ["", *lines]


def _exact(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
