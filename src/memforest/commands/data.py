"""data: benchmark files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memforest.core.errors import DataError

_BACKBONES = {"observations": "", "turns": " backbone=turns", "video": " backbone=m3_agent backbone.graph_dir=DIR"}
"""What has to be added to the default command for data that provide this."""


def add_commands(commands: Any) -> None:
    """Adds it to the subparsers `commands`."""
    data = commands.add_parser("data", help="benchmark files").add_subparsers(dest="action", required=True)
    known = data.add_parser("list", help="known files with origin, size, hash and licence")
    generate = data.add_parser("generate", help="write a synthetic file of LoCoMo's schema, of any size")
    generate.add_argument("out", type=Path, help="the JSON file to write")
    fetch = data.add_parser("fetch", help="get a benchmark file and verify it")
    fetch.add_argument("name", help="a dataset, such as locomo, or one of its files")
    fetch.add_argument("--from", dest="source", type=Path, default=None, help="a file that you have, or its folder")
    fetch.add_argument("--to", type=Path, default=None, help="data folder (default: MEMFOREST_DATA, else data)")
    graphs = data.add_parser("generate-graphs", help="write graphs of generated videos, and questions about them")
    graphs.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    graphs.set_defaults(act=_generate_graphs, settings=True)
    convert = data.add_parser("convert-graph", help="files of M3-Agent's graphs, into a folder that is safe to read")
    convert.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="a released pickle, or an exported graph; of names that begin with -, ./*.pkl",
    )
    convert.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder for backbone.graph_dir")
    convert.add_argument(
        "--video", default=None, metavar="NAME", help="whose graph it is, --video=-name too (default: the file's)"
    )
    convert.add_argument("--force", action="store_true", help="replace graphs that are there")
    for command in (known, generate, fetch):
        command.set_defaults(act=_data, settings=command is generate)
    convert.set_defaults(act=_convert, settings=False)


def _generate_graphs(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.exchange.generated_graphs import write_generated

    print(write_generated(parsed.out, settings=extra))


def _convert(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.graphs.convert import convert

    for line in convert(parsed.files, out=parsed.out, video=parsed.video, force=parsed.force):
        print(line)


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
    provides = settings("dataset", dataset)["traits"]["provides"]
    backbone = next(needed for given, needed in _BACKBONES.items() if given in provides)
    print(f"use it: MEMFOREST_DATA={folder} python run.py dataset={dataset}{backbone}")
