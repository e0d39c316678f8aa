"""compress: people's own memories."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memforest.core.errors import UNFINISHED


def add_commands(commands: Any) -> None:
    """Adds them to the subparsers `commands`."""
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
    compress.set_defaults(act=_compress, settings=True)


def _compress(parsed: argparse.Namespace, extra: Sequence[str]) -> int:
    from memforest.exchange.command import compress_file, words
    from memforest.exchange.store_command import compress_store
    from memforest.exchange.wanted import Wanted

    wanted = Wanted(
        method=parsed.method,
        ratio=parsed.ratio,
        merger=parsed.merger,
        reembedding=parsed.reembedding,
        seed=parsed.seed,
        embedder=parsed.embedder,
        settings=dict(word.split("=", 1) for word in extra),
    )
    smaller = compress_store if parsed.file.is_dir() else compress_file
    report = parsed.report or Path(f"{parsed.out}.report.json")
    facts = smaller(parsed.file, parsed.out, report=report, replace=parsed.force, wanted=wanted)
    print("\n".join(words(facts, out=parsed.out, report=report)))
    return UNFINISHED if facts["retryable_failures"] else 0
