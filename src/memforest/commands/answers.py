"""import, judge, answers, record: answers, verdicts and model replies, read and written as files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memforest.commands.runs import OUTPUTS, store_of
from memforest.core.errors import UNFINISHED


def add_commands(commands: Any) -> None:
    """Adds them to the subparsers `commands`."""
    _add_import(commands)
    _add_judge(commands)
    _add_answers(commands)
    _add_record(commands)


def _add_import(commands: Any) -> None:
    imported = commands.add_parser(
        "import",
        help="re-score a published file of answers, verdicts or retrievals, question by question",
        description="FILE is JSON or JSONL, gzip or not, in any of the forms of docs/imports.md. Each row is joined "
        "with its question in the dataset's own file; one that does not fit is an error.",
    )
    imported.add_argument("file", type=Path)
    imported.add_argument("--dataset", required=True, choices=["locomo", "longmemeval"])
    imported.add_argument("--path", required=True, type=Path, help="the dataset's file that FILE was made on")
    imported.add_argument("--json", action="store_true", help="print one JSON object")
    imported.add_argument("--out", type=Path, default=None, help="write the answers as JSONL, to be judged again")
    imported.add_argument(
        "--hypotheses", type=Path, default=None, help="write LongMemEval's own form: question_id, hypothesis"
    )
    imported.add_argument("--force", action="store_true", help="replace existing files")
    imported.set_defaults(act=_import, settings=False)


def _add_judge(commands: Any) -> None:
    judge = commands.add_parser(
        "judge",
        help="judge stored answers, somebody's or a run's",
        usage="memforest judge ANSWERS judge=NAME llm=NAME dataset=NAME [options] [setting=value ...]",
        description="ANSWERS is what `import --out` or `answers --out` wrote. Replies are kept: judging again costs "
        "only what is new.",
    )
    judge.add_argument("answers", type=Path)
    judge.add_argument("--sample", type=int, default=None, help="so many of the answers, drawn at random")
    judge.add_argument("--seed", type=int, default=0, help="of the draw")
    judge.add_argument("--out", type=Path, default=None, help="write the answers with the judge's votes")
    judge.add_argument("--force", action="store_true", help="replace an existing OUT")
    judge.add_argument("--json", action="store_true", help="print one JSON object")
    judge.set_defaults(act=_judge, settings=True)


def _add_answers(commands: Any) -> None:
    answers = commands.add_parser("answers", help="write a run's answers to a file, to be judged elsewhere or again")
    answers.add_argument("run", help="a run, as for show")
    answers.add_argument("--out", type=Path, required=True)
    answers.add_argument("--hypotheses", action="store_true", help="in LongMemEval's own form: question_id, hypothesis")
    answers.add_argument("--force", action="store_true", help="replace an existing OUT")
    answers.add_argument("--outputs", type=Path, default=None, help=OUTPUTS)
    answers.set_defaults(act=_answers, settings=False)


def _add_record(commands: Any) -> None:
    record = commands.add_parser(
        "record",
        help="write all model replies of runs to one file, from which they can be repeated without a model",
        usage="memforest record RUN [RUN ...] --out FILE [--outputs OUTPUTS] [setting=value ...]",
    )
    record.add_argument("run", nargs="+", help="runs, as for show")
    record.add_argument("--out", type=Path, required=True, help="the JSONL file, compressed if its name ends in .gz")
    record.add_argument("--force", action="store_true", help="replace an existing OUT")
    record.add_argument("--outputs", type=Path, default=None, help=OUTPUTS)
    record.set_defaults(act=_record, settings=True)


def _import(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.exchange.published.command import import_file
    from memforest.exchange.published.words import import_lines

    found = import_file(
        parsed.file,
        dataset=parsed.dataset,
        path=parsed.path,
        out=parsed.out,
        hypotheses=parsed.hypotheses,
        replace=parsed.force,
    )
    if parsed.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    print("\n".join(import_lines(found)))
    for place in (parsed.out, parsed.hypotheses):
        if place is not None:
            print(f"written: {place}")


def _judge(parsed: argparse.Namespace, extra: Sequence[str]) -> int:
    from memforest.exchange.judging import judge_answers
    from memforest.report.answers import judged_lines

    found = judge_answers(
        parsed.answers,
        out=parsed.out,
        sample=parsed.sample,
        seed=parsed.seed,
        replace=parsed.force,
        settings=extra,
    )
    print(json.dumps(found, ensure_ascii=False, indent=2) if parsed.json else "\n".join(judged_lines(found)))
    if parsed.out is not None and not parsed.json:
        print(f"written: {parsed.out}")
    return UNFINISHED if found["failed_calls"] else 0


def _answers(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.exchange.run_answers import write_run_answers

    run = store_of(parsed).find(parsed.run)
    count = write_run_answers(run, parsed.out, hypotheses=parsed.hypotheses, replace=parsed.force)
    print(f"{count:,} answers of {run.id}\nwritten: {parsed.out}")


def _record(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.exchange.places import require_free
    from memforest.pipeline.recording import record_runs

    store = store_of(parsed)
    runs = [store.find(name) for name in parsed.run]
    require_free(parsed.out, source=runs[0].folder, replace=parsed.force)
    print(f"{record_runs(runs, parsed.out, extra=extra):,} replies\nwritten: {parsed.out}")
