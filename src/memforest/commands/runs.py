"""runs, show, compare, why, bounds: stored runs, read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memforest.store.runs import RunStore

OUTPUTS = "the outputs folder (default: outputs)"


def add_commands(commands: Any) -> None:
    """Adds them to the subparsers `commands`."""
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
    for command, act in ((runs, _runs), (show, _show), (compare, _compare), (why, _why), (bounds, _bounds)):
        command.add_argument("--outputs", type=Path, default=None, help=OUTPUTS)
        command.set_defaults(act=act, settings=command is bounds)


def store_of(parsed: argparse.Namespace) -> RunStore:
    """The store of runs that a command names."""
    from memforest.config.folder import root_settings
    from memforest.store.runs import RunStore

    return RunStore(parsed.outputs or Path(root_settings()["paths"]["outputs"]))


def _runs(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import list_lines

    print("\n".join(list_lines(store_of(parsed))))


def _show(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import show_lines
    from memforest.store.runs import METRICS, PROVENANCE, RUN, TIMINGS

    run = store_of(parsed).find(parsed.run)
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

    store = store_of(parsed)
    print("\n".join(compare_lines([store.find(name) for name in parsed.run], as_markdown=parsed.markdown)))


def _why(parsed: argparse.Namespace, _: Sequence[str]) -> None:
    from memforest.report.inspect import why_lines

    print("\n".join(why_lines(store_of(parsed).find(parsed.run))))


def _bounds(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.pipeline.bounds import run_bounds
    from memforest.report.bounds import bounds_lines

    found = run_bounds(store_of(parsed).find(parsed.run), extra=extra)
    if parsed.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print("\n".join(bounds_lines(found)))
