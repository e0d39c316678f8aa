"""`memforest compress` of a Mem0 store: a folder in, a smaller one beside it and a report out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from memforest.core.errors import ConfigError, DataError
from memforest.core.files import folder_beside, json_bytes, write_atomically
from memforest.exchange.places import require_free
from memforest.exchange.qdrant_store import collections, copy_store, flush, rewrite
from memforest.exchange.smaller_collection import Smaller, linked_collection, relinked, smaller_collection
from memforest.exchange.wanted import Wanted
from memforest.llm.ledger import Ledger

_COUNTS = ("target", "method_target", "merges", "shortfall", "retryable_failures", "overlong_merges")


def compress_store(source: Path, out: Path, *, report: Path, replace: bool, wanted: Wanted) -> Mapping[str, Any]:
    """Compress the local Qdrant store `source` into the new folder `out`; returns one report of all parts.

    Each user's memories are a memory of their own with their own exact M. `source` is copied, never opened. Raises
    ConfigError when `out` exists or lies in `source`, DataError for what is no such store.
    """
    _require_beside(source, out)
    _require_outside(source, report)
    require_free(report, source=source, replace=replace)
    smaller = partial(wanted.of, ledger=Ledger())
    with folder_beside(out) as folder:
        copy_store(source, folder)
        facts = _compress_copy(folder, smaller, anew=wanted.embedder is not None)
        flush(folder)
        write_atomically(report, json_bytes(facts))
    return facts


def _require_beside(source: Path, out: Path) -> None:
    _require_outside(source, out)
    if out.resolve() in source.resolve().parents:
        raise ConfigError(f"{out} holds the store {source}; name another folder with --out")
    if out.exists():
        raise ConfigError(f"{out} exists; name a new folder, a folder is never replaced")
    if not out.parent.is_dir():
        raise ConfigError(f"{out} cannot be written: {out.parent} is no folder; make it first")


def _require_outside(source: Path, path: Path) -> None:
    if path.resolve() == source.resolve() or source.resolve() in path.resolve().parents:
        raise ConfigError(f"{path} lies in the store {source}, which is never changed; name another place")


def _compress_copy(folder: Path, smaller: Smaller, *, anew: bool) -> dict[str, Any]:
    """Compress the collections of a copied store in place; one report of all parts."""
    found = collections(folder)
    names = {collection.name for collection in found}
    done = {
        collection.name: smaller_collection(collection, smaller, anew=anew)
        for collection in found
        if linked_collection(collection.name, names) is None
    }
    for name, result in done.items():
        if result.reports:
            rewrite(folder, name, result.points)
    for collection in found:
        linked = linked_collection(collection.name, names)
        if linked in done:
            rewrite(folder, collection.name, relinked(collection.points, done[linked].successors))
    reports = [report for result in done.values() for report in result.reports]
    if not reports:
        raise DataError(f"the store's collections ({', '.join(sorted(names)) or 'none'}) hold no memories of Mem0")
    return {**combined(reports), "without_keywords": sum(item.without_keywords for item in done.values())}


def combined(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One report of several parts: counts are sums, and every part's own report is in `parts`."""
    before, after = _summed(report["before"] for report in reports), _summed(report["after"] for report in reports)
    first = reports[0]
    return {
        **{name: first[name] for name in ("method", "merger", "reembedding", "ratio_requested", "seed", "vectors")},
        "ratio_realised": 1 - after["nodes"] / before["nodes"],
        **_summed({name: report[name] for name in _COUNTS} for report in reports),
        "stopped": next((report["stopped"] for report in reports if report["stopped"]), None),
        "failed_merges": _summed(report["failed_merges"] for report in reports),
        "before": before,
        "after": after,
        "dropped_nodes": [node for report in reports for node in report["dropped_nodes"]],
        "dropped_segments": {node: gone for report in reports for node, gone in report["dropped_segments"].items()},
        # The parts share one ledger, which the last of them read last.
        **({"calls": reports[-1]["calls"]} if "calls" in reports[-1] else {}),
        "parts": list(reports),
    }


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for name, value in count.items():
            total[name] = total.get(name, 0) + value
    return total
