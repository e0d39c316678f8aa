"""The `memforest` command."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memforest.core.errors import DataError, MemforestError

if TYPE_CHECKING:
    from memforest.store.runs import RunStore


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry of the command. Exits with 1 after an error, with 2 after a usage error."""
    parser = _parser()
    parsed, extra = parser.parse_known_args(arguments)
    takes_settings = (
        parsed.command in ("bounds", "compress")
        or getattr(parsed, "action", None) == "generate"
        or getattr(parsed, "what", None) == "retrieval"
    )
    if extra and (not takes_settings or any(word.startswith("-") or "=" not in word for word in extra)):
        parser.error(f"unrecognised arguments: {' '.join(extra)}")
    try:
        _COMMANDS[parsed.command](parsed, extra)
    except MemforestError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted; nothing was changed", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        sys.stderr.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memforest", description="Runs, memories and data of the memforest harness.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    runs = commands.add_parser("runs", help="list runs")
    show = commands.add_parser("show", help="show one run's settings and metrics")
    show.add_argument("run", help="a run's id, an unambiguous part of it, or its folder")
    show.add_argument("--json", action="store_true", help="print the run as one JSON object")
    compare = commands.add_parser("compare", help="runs side by side; the first is the baseline")
    compare.add_argument("run", nargs="+", help="runs, as for show; seeds of one configuration become one row")
    compare.add_argument("--markdown", action="store_true", help="print a Markdown table")
    why = commands.add_parser("why", help="what of a run was cached, what was computed, and whether it is fresh")
    why.add_argument("run", help="a run, as for show")
    bounds = commands.add_parser(
        "bounds",
        help="the losses of a run's merges beside the bounds of the EventTree paper",
        usage="memforest bounds RUN [--json] [--outputs OUTPUTS] [setting=value ...]",
        description="Measures Equations 11 to 15 and 27 to 33 on the run's merges and questions. setting=value says "
        "where the data lies when that is not the default (dataset.path=FILE).",
    )
    bounds.add_argument("run", help="a run, as for show")
    bounds.add_argument("--json", action="store_true", help="print one JSON object")
    for command in (runs, show, compare, why, bounds):
        command.add_argument("--outputs", type=Path, default=None, help="the outputs folder (default: outputs)")
    compress = commands.add_parser(
        "compress",
        help="make a memory of your own smaller",
        usage="memforest compress FILE --method NAME --ratio R --out FILE [options] [setting=value ...]",
        description="FILE is JSONL (`text`; optional `id`, `time`, `sources`, `embedding`), a Mem0 export, or the "
        "folder of a Mem0 store in local Qdrant, of which a smaller copy is made. It is never changed. "
        "setting=value sets the method (alpha=0.1) or another choice (merger.max_words=30).",
    )
    compress.add_argument("file", type=Path)
    compress.add_argument("--method", required=True, help="a compressor, such as memforest")
    compress.add_argument("--ratio", required=True, type=float, help="share of memories removed, in [0, 1)")
    compress.add_argument("--out", required=True, type=Path, help="the JSONL file, or the store's new folder, to write")
    compress.add_argument("--merger", default=None, help="how texts are merged (default: concat)")
    compress.add_argument(
        "--reembedding",
        default=None,
        help="how merged memories get vectors: text, mean, interpolate (default: mean of given vectors, else text)",
    )
    compress.add_argument("--seed", default=None, type=int)
    compress.add_argument("--embedder", default=None, help="embed all texts with this, even where vectors are given")
    compress.add_argument("--report", type=Path, default=None, help="report file (default: OUT with .report.json)")
    compress.add_argument("--force", action="store_true", help="replace an existing OUT")
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
    answers = commands.add_parser("answers", help="write a run's answers to a file, to be judged elsewhere or again")
    answers.add_argument("run", help="a run, as for show")
    answers.add_argument("--out", type=Path, required=True)
    answers.add_argument("--hypotheses", action="store_true", help="in LongMemEval's own form: question_id, hypothesis")
    answers.add_argument("--force", action="store_true", help="replace an existing OUT")
    record = commands.add_parser(
        "record",
        help="write all model replies of runs to one file, from which they can be repeated without a model",
        usage="memforest record RUN [RUN ...] --out FILE [--outputs OUTPUTS] [setting=value ...]",
    )
    record.add_argument("run", nargs="+", help="runs, as for show")
    record.add_argument("--out", type=Path, required=True, help="the JSONL file, compressed if its name ends in .gz")
    record.add_argument("--force", action="store_true", help="replace an existing OUT")
    for command in (answers, record):
        command.add_argument("--outputs", type=Path, default=None, help="the outputs folder (default: outputs)")
    bench = commands.add_parser(
        "bench",
        help="measure speed beside a baseline or a bound",
        usage="memforest bench {eventtree,merging,retrieval} [--json] [--small] [setting=value ...]",
        description="retrieval measures Table 13 of the EventTree paper and takes settings (dataset=locomo "
        "backbone=mem0 backbone.export_dir=DIR); it needs the extras [faiss] and [qdrant].",
    )
    bench.add_argument("what", choices=["eventtree", "merging", "retrieval"])
    bench.add_argument("--json", action="store_true", help="print one JSON object")
    bench.add_argument("--small", action="store_true", help="the same work on little data, for tests")
    data = commands.add_parser("data", help="benchmark files").add_subparsers(dest="action", required=True)
    data.add_parser("list", help="known files with origin, size, hash and licence")
    generate = data.add_parser("generate", help="write a synthetic file of LoCoMo's schema, of any size")
    generate.add_argument("out", type=Path, help="the JSON file to write")
    fetch = data.add_parser("fetch", help="get a benchmark file and verify it")
    fetch.add_argument("name", help="a dataset, such as locomo, or one of its files")
    fetch.add_argument("--from", dest="source", type=Path, default=None, help="a file that you have, or its folder")
    fetch.add_argument("--to", type=Path, default=None, help="data folder (default: MEMFOREST_DATA, else data)")
    return parser


def _bench(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.bench import eventtree, merging, retrieval
    from memforest.bench.figures import as_json, as_lines

    def say(title: str) -> None:
        print(f"measuring: {title}", file=sys.stderr)

    if parsed.what == "retrieval":
        found = retrieval.figures(small=parsed.small, say=say, settings=extra)
    else:
        figures = {"eventtree": eventtree.figures, "merging": merging.figures}[parsed.what]
        found = figures(small=parsed.small, say=say)
    if parsed.json:
        print(json.dumps(as_json(found, small=parsed.small), indent=2))
    else:
        print("\n".join(as_lines(found, small=parsed.small)))


def _store(parsed: argparse.Namespace) -> RunStore:
    from memforest.config.folder import root_settings
    from memforest.store.runs import RunStore

    return RunStore(parsed.outputs or Path(root_settings()["paths"]["outputs"]))


def _runs(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import list_lines

    print("\n".join(list_lines(_store(parsed))))


def _show(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import show_lines
    from memforest.store.runs import METRICS, PROVENANCE, RUN, TIMINGS

    run = _store(parsed).find(parsed.run)
    if parsed.json:
        files = {"run": RUN, "metrics": METRICS, "timings": TIMINGS, "provenance": PROVENANCE}
        whole = {"id": run.id, "folder": str(run.folder), "stale": run.changes()}
        print(
            json.dumps(
                {**whole, **{name: run.read(file) for name, file in files.items()}}, ensure_ascii=False, indent=2
            )
        )
    else:
        print("\n".join(show_lines(run)))


def _compare(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import compare_lines

    store = _store(parsed)
    print("\n".join(compare_lines([store.find(name) for name in parsed.run], as_markdown=parsed.markdown)))


def _why(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import why_lines

    print("\n".join(why_lines(_store(parsed).find(parsed.run))))


def _bounds(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.pipeline.bounds import run_bounds
    from memforest.report.bounds import bounds_lines

    found = run_bounds(_store(parsed).find(parsed.run), extra=extra)
    if parsed.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print("\n".join(bounds_lines(found)))


def _compress(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.exchange.command import compress_file
    from memforest.exchange.store_command import compress_store

    settings = dict(word.split("=", 1) for word in extra)
    smaller = compress_store if parsed.file.is_dir() else compress_file
    for line in smaller(
        parsed.file,
        parsed.out,
        report=parsed.report or Path(f"{parsed.out}.report.json"),
        replace=parsed.force,
        method=parsed.method,
        ratio=parsed.ratio,
        merger=parsed.merger,
        reembedding=parsed.reembedding,
        seed=parsed.seed,
        embedder=parsed.embedder,
        settings=settings,
    ):
        print(line)


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


def _judge(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
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


def _answers(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.exchange.run_answers import write_run_answers

    run = _store(parsed).find(parsed.run)
    count = write_run_answers(run, parsed.out, hypotheses=parsed.hypotheses, replace=parsed.force)
    print(f"{count:,} answers of {run.id}\nwritten: {parsed.out}")


def _record(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.exchange.places import require_free
    from memforest.pipeline.recording import record_runs

    store = _store(parsed)
    runs = [store.find(name) for name in parsed.run]
    require_free(parsed.out, source=runs[0].folder, replace=parsed.force)
    print(f"{record_runs(runs, parsed.out, extra=extra):,} replies\nwritten: {parsed.out}")


def _data(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.config.compose import compose
    from memforest.config.folder import options, settings, unknown
    from memforest.datasets.manifest import fetch, manifest, source_of
    from memforest.exchange.synthetic import write_synthetic

    if parsed.action == "generate":
        print(write_synthetic(parsed.out, settings=extra))
        return
    known = manifest()
    if parsed.action == "list":
        for entry in known.values():
            print("\n".join(entry.lines()))
        return
    entries = [entry for entry in known.values() if parsed.name in (entry.name, entry.dataset)]
    if not entries and parsed.name in options("dataset"):
        raise DataError(f"no download is known for dataset={parsed.name}; docs/datasets.md says what it reads")
    if not entries:
        raise unknown("the data set", parsed.name, {*known, *(entry.dataset for entry in known.values())})
    folder = parsed.to or Path(compose([])["paths"]["data"])
    for entry in entries:
        print("\n".join(entry.lines()))
        path = fetch(entry, folder=folder, source=source_of(entry, parsed.source, files=len(entries)))
        print(f"verified: {path} is {entry.describe(entry.sha256)}")
    dataset = entries[0].dataset
    backbone = "" if "observations" in settings("dataset", dataset)["traits"]["provides"] else " backbone=turns"
    print(f"use it: MEMFOREST_DATA={folder} python run.py dataset={dataset}{backbone}")


_COMMANDS = {
    "runs": _runs,
    "show": _show,
    "compare": _compare,
    "why": _why,
    "bounds": _bounds,
    "compress": _compress,
    "import": _import,
    "judge": _judge,
    "answers": _answers,
    "record": _record,
    "bench": _bench,
    "data": _data,
}


if __name__ == "__main__":
    main()
