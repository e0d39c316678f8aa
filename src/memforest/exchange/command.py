"""`memforest compress`: a file of memories in, a smaller one and a report out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memforest.core.errors import ConfigError
from memforest.core.files import json_bytes, write_atomically
from memforest.exchange.places import require_free
from memforest.exchange.records import output_lines, read_records
from memforest.exchange.wanted import Wanted
from memforest.report.answers import call_lines


def compress_file(source: Path, out: Path, *, report: Path, replace: bool, wanted: Wanted) -> Mapping[str, Any]:
    """Compress `source` into `out`, each file written beside and renamed; returns the report.

    Raises ConfigError when `out` or `report` is the input, or exists and `replace` is not set.
    """
    for path in (out, report):
        require_free(path, source=source, replace=replace)
    if out.resolve() == report.resolve():
        raise ConfigError(f"{out} cannot hold both the memory and the report; name another file with --report")
    records = read_records(source)
    done = wanted.of(records)
    with_vectors = wanted.embedder is None and any(record.embedding for record in records)
    write_atomically(report, json_bytes(done.report))
    write_atomically(out, output_lines(records, done.memory, with_vectors=with_vectors).encode())
    return done.report


def words(facts: Mapping[str, Any], *, out: Path, report: Path) -> list[str]:
    """A report of a compression, for a person."""
    before, after = facts["before"], facts["after"]
    gone = sum(len(segments) for segments in facts["dropped_segments"].values())
    lines = [
        f"memories: {before['nodes']:,} -> {after['nodes']:,} "
        f"(ratio asked for {facts['ratio_requested']:g}, realised {facts['ratio_realised']:.4f})",
        f"text: {before['text_bytes']:,} -> {after['text_bytes']:,} bytes; "
        f"vectors: {before['vector_bytes']:,} -> {after['vector_bytes']:,} bytes",
        f"merges: {facts['merges']:,}; dropped: {len(facts['dropped_nodes']):,} memories, {gone:,} segments",
    ]
    if facts["method_target"] > facts["target"]:
        lines.append(
            f"by its own rule the method leaves {facts['method_target'] - facts['target']:,} more than asked for"
        )
    if facts["shortfall"]:
        lines.append(f"failed merges left {facts['shortfall']:,} more than asked for: {facts['failed_merges']}")
    if facts["stopped"]:
        lines.append(f"merging stopped after {facts['stopped']}")
    if facts["retryable_failures"]:
        lines.append(f"{facts['retryable_failures']:,} calls failed; run again with --force to make them again")
    if facts["overlong_merges"]:
        lines.append(f"{facts['overlong_merges']:,} merged texts are longer than both texts together")
    if after["truncated_texts"]:
        lines.append(f"{after['truncated_texts']:,} texts are longer than the embedder reads")
    if facts.get("without_keywords"):
        lines.append(f"{facts['without_keywords']:,} merged memories have no sparse vector for keyword search")
    if "calls" in facts:
        lines += call_lines(facts["calls"])
    return [*lines, f"written: {out}", f"report: {report}"]
