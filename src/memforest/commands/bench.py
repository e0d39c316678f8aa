"""bench: speed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from memforest.core.errors import ConfigError

_BENCHMARKS = ("eventtree", "merging", "retrieval", "video_search", "video_compression")


def add_commands(commands: Any) -> None:
    """Adds it to the subparsers `commands`."""
    bench = commands.add_parser(
        "bench",
        help="measure speed beside a baseline or a bound",
        usage=f"memforest bench {{{','.join(_BENCHMARKS)}}} [--json] [--small] [setting=value ...]",
        description="retrieval measures Table 13 of the EventTree paper and takes settings (dataset=locomo "
        "backbone=mem0 backbone.export_dir=DIR); it needs the extras [faiss] and [qdrant]. video_search "
        "measures one search of a video's memory, video_compression every compressor on one.",
    )
    bench.add_argument("what", choices=_BENCHMARKS)
    bench.add_argument("--json", action="store_true", help="print one JSON object")
    bench.add_argument("--small", action="store_true", help="the same work on little data, for tests")
    bench.set_defaults(act=_bench, settings=True)


def _bench(parsed: argparse.Namespace, extra: Sequence[str]) -> None:
    from memforest.bench import eventtree, merging, retrieval, video_compression, video_search
    from memforest.bench.figures import as_json, as_lines

    def say(title: str) -> None:
        print(f"measuring: {title}", file=sys.stderr)

    if extra and parsed.what != "retrieval":
        raise ConfigError(f"bench {parsed.what} takes no settings, got {' '.join(extra)}")
    if parsed.what == "retrieval":
        found = retrieval.figures(small=parsed.small, say=say, settings=extra)
    else:
        measured = {
            "eventtree": eventtree,
            "merging": merging,
            "video_search": video_search,
            "video_compression": video_compression,
        }
        found = measured[parsed.what].figures(small=parsed.small, say=say)
    if parsed.json:
        print(json.dumps(as_json(found, small=parsed.small), indent=2))
    else:
        print("\n".join(as_lines(found, small=parsed.small)))
