"""The one executor that drives compressors: it merges and re-embeds wave by wave, over trees and memories at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memforest.core.errors import MethodError
from memforest.core.merge_log import MergeLog
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeOutcome, MergeResult
from memforest.core.protocols import (
    Carried,
    Compressor,
    Embedder,
    Merge,
    MergedVector,
    Merger,
    Reembedding,
)
from memforest.core.types import Json, Memory, Pair, target_count
from memforest.core.vectors import Matrix
from memforest.pipeline.job import Job, all_members
from memforest.pipeline.known_merges import KnownMerges


@dataclass(frozen=True, eq=False)
class CompressedMemory:
    """A smaller memory and what happened on the way; `replayed` merges were found in the logs of other runs."""

    memory: Memory
    report: Mapping[str, Json]
    log: MergeLog
    replayed: int


def compress_memories(
    memories: Sequence[Memory],
    *,
    compressor: Compressor,
    merger: Merger,
    reembedding: Reembedding,
    embedder: Embedder,
    ratio: float,
    seed: int,
    known: Sequence[KnownMerges] = (),
    progress: Callable[[int], None] = lambda merged: None,
) -> list[CompressedMemory]:
    """Compress `memories` together; the result for each is the same as if it were compressed alone.

    `known` are merges of runs that differ in nothing but the ratio, for each memory; those that are asked for again
    are taken from there, and neither merger nor embedder are asked. Failures are never known: they are tried again.

    Raises MethodError when a compressor breaks its protocol: nodes lost or invented, a merge of one node twice in a
    wave, a count above M without failed merges to explain it, or below M.
    """
    jobs = [
        Job(memory, compressor.compress(memory=memory, ratio=ratio, seed=seed), found)
        for memory, found in zip(memories, known or [KnownMerges(()) for _ in memories], strict=True)
    ]
    for job in jobs:
        job.advance(None)
    while active := [job for job in jobs if job.reduction is None]:
        attempts = [Attempt(job, pair) for job in active for pair in job.pending]
        outcomes = iter(_settled(attempts, merger=merger, reembedding=reembedding, embedder=embedder))
        progress(len(attempts))
        for job in active:
            job.advance([next(outcomes) for _ in job.pending])
    return [_finished(job, ratio=ratio) for job in jobs]


class Attempt:
    """One pair of a wave on its way to an outcome; it has arrived already where the merge is known."""

    def __init__(self, job: Job, pair: Pair) -> None:
        self.job = job
        self.pair = pair
        self.carried: Carried = None
        self.result: MergeResult | None = None
        self.vector: MergedVector | MergeFailed | None = None
        self.known = job.known(pair)
        if self.known is not None:
            logged = job.remembered(self.known)
            self.result, self.vector = logged.result(pair), MergedVector(logged.vector, logged.truncated)

    def settle(self) -> MergeOutcome:
        """The merged node, or why there is none."""
        for outcome in (self.result, self.vector):
            if isinstance(outcome, MergeFailed):
                self.job.failed(self.pair, outcome)
                return outcome
        assert isinstance(self.result, MergedSegments) and isinstance(self.vector, MergedVector)
        return self.job.merged(self.pair, self.result, self.vector, carried=self.carried, known=self.known)


def _settled(
    attempts: Sequence[Attempt], *, merger: Merger, reembedding: Reembedding, embedder: Embedder
) -> list[MergeOutcome]:
    """Outcomes of a wave: what is not known is merged in one call, and embedded in one call."""
    _merge([attempt for attempt in attempts if attempt.known is None], merger=merger, embedder=embedder)
    merged = [attempt for attempt in attempts if isinstance(attempt.result, MergedSegments)]
    for attempt in merged:
        attempt.carried = attempt.job.carried(attempt.pair, reembedding)
    _embed([attempt for attempt in merged if attempt.known is None], reembedding=reembedding, embedder=embedder)
    return [attempt.settle() for attempt in attempts]


def _merge(attempts: Sequence[Attempt], *, merger: Merger, embedder: Embedder) -> None:
    def encode(texts: Sequence[str]) -> Matrix:
        return embedder.embed(texts=texts).vectors

    if not attempts:
        return
    results = merger.merge(pairs=[attempt.pair for attempt in attempts], encode=encode)
    if len(results) != len(attempts):
        raise MethodError(f"merger {type(merger).__name__} returned {len(results)} results for {len(attempts)} pairs")
    for attempt, result in zip(attempts, results, strict=True):
        attempt.result = result


def _embed(attempts: Sequence[Attempt], *, reembedding: Reembedding, embedder: Embedder) -> None:
    if not attempts:
        return
    merges = [
        Merge(attempt.pair, attempt.result.segments, attempt.carried)
        for attempt in attempts
        if isinstance(attempt.result, MergedSegments)
    ]
    for attempt, vector in zip(attempts, reembedding.embed(merges=merges, embedder=embedder), strict=True):
        attempt.vector = vector


def _finished(job: Job, *, ratio: float) -> CompressedMemory:
    assert job.reduction is not None
    smaller = job.smaller()
    before, after = job.memory.nodes, smaller.nodes
    exact = target_count(count=len(before), ratio=ratio)
    target = exact if job.reduction.target is None else job.reduction.target
    if len(after) < target or (len(after) > target and not job.failures):
        raise MethodError(
            f"memory {job.memory.id}: the compressor left {len(after)} nodes where {target} were asked for"
        )
    kept = set(all_members(after))
    return CompressedMemory(
        memory=smaller,
        report={
            "memory": job.memory.id,
            "target": exact,
            "method_target": target,
            "merges": job.merges,
            "failed_merges": dict(job.failures),
            "overlong_merges": job.overlong,
            "shortfall": len(after) - target,
            "before": memory_size(job.memory),
            "after": memory_size(smaller),
            "dropped_nodes": [node.id for node in before if not kept.intersection(node.members)],
            "dropped_segments": {
                node: [{"text": segment.text, "sources": segment.sources} for segment in segments]
                for node, segments in job.dropped_segments.items()
            },
            "details": dict(job.reduction.details),
        },
        log=job.log(),
        replayed=job.replayed,
    )


def memory_size(memory: Memory) -> dict[str, int]:
    """Nodes, words, stored bytes of text (UTF-8) and vectors (float32), and texts longer than the embedder reads."""
    return {
        "nodes": len(memory),
        "words": sum(node.words for node in memory.nodes),
        "text_bytes": sum(len(node.text.encode()) for node in memory.nodes),
        "vector_bytes": sum(node.vector.nbytes for node in memory.nodes),
        "truncated_texts": sum(node.truncated for node in memory.nodes),
    }
