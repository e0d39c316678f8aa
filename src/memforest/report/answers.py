"""What was answered, how good it is by judge and by words, and what the calls cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memforest.report.table import aligned, number, with_interval
from memforest.store.runs import LEDGER, METRICS, TIMINGS, StoredRun

Metrics = Mapping[str, Any]
TEXT_METRICS = ("set_f1", "bleu_1", "token_f1")

_SHOWN = {
    "evidence_recall": "evidence shown",
    "session_evidence_recall": "sessions shown",
    "answer_token_recall": "answer words shown",
}
"""What the recalls of all that was shown, over all searches of a question, are called."""

_MANY_FAILURES, _MANY_EMPTY, _MANY_ABSTENTIONS = 0.02, 0.1, 0.5


def answer_lines(run: StoredRun) -> list[str]:
    """Lines about a run's answers and calls; none for a run that only searches."""
    metrics = run.read(METRICS)
    answers = metrics.get("answers")
    if answers is None:
        return ledger_lines(run)
    return [
        *answered_lines(answers),
        *_separated(search_lines(run)),
        *_options(metrics),
        *_yes_no(answers),
        *ledger_lines(run),
    ]


def answered_lines(answers: Metrics) -> list[str]:
    """What `metrics.answers.summarise_answers` found, in words."""
    return [*_outcomes(answers), "", aligned(*_table(answers)), *_unscored(answers), ""]


def search_lines(run: StoredRun) -> list[str]:
    """Avg-R, R-Time and T-Time of a run whose answerer searched the memory; none for other runs.

    R-Time is that of the retriever alone, T-Time = Avg-R x R-Time (Table 14 of the EventTree paper).
    """
    answers, times = run.read(METRICS).get("answers"), run.read(TIMINGS).get("searches")
    if answers is None or times is None or answers["context"] != "memory" or not answers["searches"]["total"]:
        return []
    made = answers["searches"]
    rate = f"Avg-R {made['mean']:.2f}{_bounds(made['interval'])} searches per question, of {made['questions']:,}"
    if times["mean"] is None:
        return [f"{rate}; the last attempt searched nothing, so nothing was timed"]
    return [
        f"{rate}; R-Time {_ms(times['mean'])} per search, T-Time {_ms(made['mean'] * times['mean'])} per question",
        f"R-Time: the retriever alone, median {_ms(times['median'])}, 95th percentile {_ms(times['p95'])}, over "
        f"{times['measured']:,} searches for {times['questions']:,} questions{_measured(run, times)}; "
        f"{_at_once(times)}; embedding what is searched for took {times['embedding']:.2f} s in all and is not in it",
    ]


def judged_lines(found: Metrics) -> list[str]:
    """What `memforest judge` found, in words."""
    lines = [*answered_lines(found["answers"]), *call_lines(found["calls"])]
    both = found["agreement"]
    if both is not None:
        kappa = "-" if both["kappa"] is None else f"{both['kappa']:.2f}"
        lines.append(
            f"beside the votes that {both['answers']:,} answers came with, {both['scored']:,} of them judged here: "
            f"agreement {number(both['agreement'])} %, kappa {kappa}; accepted by them "
            f"{number(both['accepted_by_them'])} %, here {number(both['accepted_by_us'])} %"
        )
    return lines


def ledger_lines(run: StoredRun) -> list[str]:
    """What the last attempt's calls took and cost, role by role; none where no model was asked."""
    if not run.has(LEDGER):
        return []
    return [*call_lines(run.read(LEDGER)), ""]


def judged(metrics: Metrics) -> tuple[str, Metrics] | None:
    """The judge's identity and its figures; None where nothing is judged."""
    judges = metrics.get("answers", {}).get("judges", {})
    return next(iter(judges.items()), None)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.3f} ms"


def _bounds(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"


def _measured(run: StoredRun, times: Metrics) -> str:
    """That times are those of a part of the run, where it is so."""
    metrics = run.read(METRICS)
    searched = metrics["questions"] - metrics["not_runnable"]["questions"]
    return f" of {searched:,}, those of the last attempt" if times["questions"] < searched else ""


def _at_once(times: Metrics) -> str:
    if times["at_once"] == 1:
        return "one question at a time"
    return f"up to {times['at_once']:,} questions at work at once, which took time from each other"


def _separated(lines: Sequence[str]) -> list[str]:
    return [*lines, ""] if lines else []


def _options(metrics: Metrics) -> list[str]:
    """What an accuracy of multiple choice has to be read beside."""
    found = metrics.get("option_length")
    if found is None or not found["questions"]:
        return []
    return [
        f"without memory and question, the longest or shortest option by type is right in {number(found['fitted'])} % "
        f"of {found['questions']:,} questions (rules fitted on them; {number(found['held_out'])} % with those of other "
        "personas); the model without a memory: the same command with answerer.context=nothing",
        "",
    ]


def _yes_no(answers: Metrics) -> list[str]:
    """What an accuracy of questions that can be guessed has to be read beside."""
    found = answers.get("yes_no")
    if found is None:
        return []
    return [
        f"without memory and question, always saying {found['always']} is right in {number(found['right'])} % of the "
        f"{found['yes'] + found['no']:,} questions whose answer is yes or no, {number(found['right_of_all'])} % of all",
        "",
    ]


def _outcomes(answers: Metrics) -> Iterator[str]:
    asked, failed = answers["asked"], sum(answers["failed"].values())
    skipped = f" ({answers['skipped']:,} not asked)" if answers["skipped"] else ""
    yield (
        f"answers: {asked:,} questions asked{skipped}: {answers['answered']:,} answered, {answers['abstained']:,} "
        f"abstained, {failed:,} failed{_silent(answers)}; {_shown(answers)}{number(answers['words_per_answer'])} words "
        "per answer"
    )
    if failed:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in answers["failed"].items())
        yield f"failed: {reasons}; the same command asks these again and nothing else"
    yield from _warnings(answers, asked=asked, failed=failed)


def _silent(answers: Metrics) -> str:
    count = answers["unanswered"]
    return f", {count:,} only searched for (the answerer gives no answers)" if count else ""


def _shown(answers: Metrics) -> str:
    """How much a model was shown; nothing where nothing was to be shown, or where somebody else did it."""
    return "" if answers["words_shown"] is None else f"{number(answers['words_shown'])} words shown to each, "


def _warnings(answers: Metrics, *, asked: int, failed: int) -> Iterator[str]:
    """What makes a score say little about the memory."""
    for share, limit, what in (
        (failed, _MANY_FAILURES, "failed"),
        (answers["empty_context"], _MANY_EMPTY, "were asked without any memory"),
        (answers["abstained"], _MANY_ABSTENTIONS, "were abstained from"),
    ):
        if asked and share / asked > limit:
            yield f"look out: {100 * share / asked:.0f} % of the questions {what}"


def _table(answers: Metrics) -> tuple[list[str], list[list[str]]]:
    seen = {name: answers["shown"][metric] for metric, name in _SHOWN.items()}
    rows = {
        **answers["judges"],
        **{name: answers[name] for name in TEXT_METRICS},
        **{name: row for name, row in seen.items() if row["scored"]},
    }
    shown = rows.values()
    categories = [
        name for name in answers["set_f1"]["by_category"] if any(row["by_category"][name] is not None for row in shown)
    ]
    return (
        ["percent", "mean [95 %]", "scored", *categories],
        [
            [
                name,
                with_interval(row["mean"], row["interval"]),
                f"{row['scored']:,}/{answers['asked']:,}",
                *(number(row["by_category"][category]) for category in categories),
            ]
            for name, row in rows.items()
        ],
    )


def _unscored(answers: Metrics) -> Iterator[str]:
    for judge, row in answers["judges"].items():
        if row["unscored"]:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in row["unscored"].items())
            yield f"unscored by {judge}: {reasons}"


def call_lines(ledger: Metrics) -> list[str]:
    """One line for each stage and role of a ledger, and the sum of several."""
    lines = [f"calls of {row['stage']}, {row['role']}, {row['model']}: {_row(row)}" for row in ledger["rows"]]
    return [*lines, f"calls in all: {_row(ledger['total'])}"] if len(lines) > 1 else lines


def _row(row: Metrics) -> str:
    paid, found = row["paid"], row["found"]
    parts = [f"{row['calls']:,} made, {row['cached_calls']:,} found", _tokens(paid), f"{row['seconds']:,.0f} s"]
    parts.append(_cost(paid) + (f" (found ones: {_cost(found)})" if row["cached_calls"] else ""))
    for count, what in ((row["retries"], "retries"), (row["repairs"], "repairs")):
        parts += [f"{count:,} {what}"] if count else []
    parts += [
        f"failed: {reason} {count:,} ({row['failure_details'][reason]})" for reason, count in row["failures"].items()
    ]
    return "; ".join(parts)


def _tokens(spent: Metrics) -> str:
    """Input, of which cached by the server, and output."""
    cached = spent["input_tokens_cached_by_server"]
    read = spent["input_tokens_uncached"] + cached
    return f"{read:,} tokens read ({cached:,} cached by the server), {spent['output_tokens']:,} written"


def _cost(spent: Metrics) -> str:
    cost = spent["cost_dollars"]
    return "cost not known" if cost is None else f"${cost:.4f}"
