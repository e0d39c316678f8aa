"""The one executor that drives compressors: it merges and re-embeds whatever is ready, over trees and memories."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from memforest.core.errors import MethodError
from memforest.core.merge_log import MergeLog
from memforest.core.outcomes import MergedSegments
from memforest.core.protocols import Compressor, Embedder, Merge, Merger, Reembedding, WaitingMerger
from memforest.core.types import Json, Memory, target_count
from memforest.core.vectors import Matrix
from memforest.pipeline.attempt import Attempt
from memforest.pipeline.couriers import AtOnce, Courier, InFlight
from memforest.pipeline.job import Job, all_members
from memforest.pipeline.known_merges import KnownMerges

MEMORIES_AT_ONCE = 64
"""Memories under compression together, which bounds what a run of any length holds. A wave over so many fills an
embedder's batches, and 16 calls in flight find pairs of several memories to choose from. More are begun only while a
merger that waits has calls to spare; since every unfinished memory has a pair for it, that ends at one for each call.
"""


@dataclass(frozen=True, eq=False)
class CompressedMemory:
    """A smaller memory and what happened on the way.

    `replayed` merges were found in the logs of other runs; `retryable` failures are those of calls that failed.
    """

    memory: Memory
    report: Mapping[str, Json]
    log: MergeLog
    replayed: int
    retryable: int


@dataclass(frozen=True, eq=False)
class Task:
    """A memory to compress, what is known of its merges, and who is told of the result, at once."""

    memory: Memory
    known: KnownMerges
    done: Callable[[CompressedMemory], None]


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
    """Compress `memories` together, as `Executor` does; results in their order.

    `known` are merges of other runs, for each memory.
    """
    executor = Executor(
        compressor=compressor,
        merger=merger,
        reembedding=reembedding,
        embedder=embedder,
        ratio=ratio,
        seed=seed,
        progress=progress,
    )
    results: dict[int, CompressedMemory] = {}
    executor.run(
        Task(memory, found, done=partial(results.__setitem__, number))
        for number, (memory, found) in enumerate(
            zip(memories, known or [KnownMerges(()) for _ in memories], strict=True)
        )
    )
    return [results[number] for number in range(len(memories))]


class Executor:
    """Drives a compressor over many memories; the result for each is the same as if it were compressed alone.

    A merger that computes gets all pairs that are ready in one call. One that waits (`WaitingMerger`) is asked pair by
    pair, in as many calls at once as it wants, and each memory goes on as soon as its own wave is complete; the memory
    with most merges to do goes first, so that none is left to merge alone at the end. A wave is settled whole, in its
    order, so no result depends on which call comes back first.

    Known merges of other runs are taken from there, and neither merger nor embedder are asked. Failures are never
    known: they are tried again.
    """

    def __init__(
        self,
        *,
        compressor: Compressor,
        merger: Merger,
        reembedding: Reembedding,
        embedder: Embedder,
        ratio: float,
        seed: int,
        progress: Callable[[int], None],
    ) -> None:
        self._compressor = compressor
        self._merger = merger
        self._waiting = merger if isinstance(merger, WaitingMerger) else None
        self._reembedding = reembedding
        self._embedder = embedder
        self._ratio = ratio
        self._seed = seed
        self._progress = progress

    def run(self, tasks: Iterable[Task]) -> None:
        """Carry out tasks, some at once, the next when one is done.

        Raises MethodError when a compressor breaks its protocol: nodes lost or invented, a merge of one node twice in
        a wave, a count above M without failed merges to explain it, or below M; or when a merger breaks its own.
        """
        waiting = iter(tasks)
        running: dict[Job, _Running] = {}
        with self._courier() as courier:
            while True:
                self._begin(waiting, running, courier)
                if not running:
                    return
                arrived = courier.arrived()
                self._embed(arrived)
                self._progress(len(arrived))
                for job, count in Counter(attempt.job for attempt in arrived).items():
                    one = running[job]
                    one.away -= count
                    if not one.away:
                        self._settle(one)
                        self._send(one, courier)
                    if job.reduction is not None:
                        del running[job]

    def _courier(self) -> Courier:
        return InFlight(self._waiting) if self._waiting else AtOnce(self._merger, self._encode)

    def _begin(self, waiting: Iterator[Task], running: dict[Job, _Running], courier: Courier) -> None:
        """Begin as many memories as may be under compression at once."""
        while (len(running) < MEMORIES_AT_ONCE or courier.idle) and (task := next(waiting, None)):
            waves = self._compressor.compress(memory=task.memory, ratio=self._ratio, seed=self._seed)
            job = Job(task.memory, waves, task.known)
            one = _Running(task, job, target=target_count(count=len(task.memory), ratio=self._ratio))
            job.advance(None)
            self._send(one, courier)
            if job.reduction is None:
                running[job] = one

    def _send(self, one: _Running, courier: Courier) -> None:
        """Send the pairs of a new wave that are not known; a wave without any is settled at once, and the next sent."""
        job = one.job
        while job.reduction is None:
            one.attempts = [Attempt(job, pair) for pair in job.pending]
            unknown = [attempt for attempt in one.attempts if attempt.known is None]
            for attempt in one.attempts:
                if attempt.known is not None:
                    attempt.carried = job.carried(attempt.pair, self._reembedding)
            if unknown:
                one.away = len(unknown)
                courier.send(unknown, urgency=job.alive - one.target)
                return
            self._progress(len(one.attempts))
            self._settle(one)
        one.task.done(_finished(job, ratio=self._ratio))

    def _settle(self, one: _Running) -> None:
        outcomes = [attempt.settle() for attempt in one.attempts]
        limit = self._waiting.failures_in_a_row if self._waiting else math.inf
        if one.job.failures_in_a_row >= limit:
            one.job.stop(f"{one.job.failures_in_a_row} failed merges in a row")
        else:
            one.job.advance(outcomes)

    def _encode(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.embed(texts=texts).vectors

    def _embed(self, arrived: Sequence[Attempt]) -> None:
        """Give vectors to what was merged, in one call."""
        merged: list[Attempt] = []
        merges: list[Merge] = []
        for attempt in arrived:
            if isinstance(attempt.result, MergedSegments):
                attempt.carried = attempt.job.carried(attempt.pair, self._reembedding)
                merged.append(attempt)
                merges.append(Merge(attempt.pair, attempt.result.segments, attempt.carried))
        if merged:
            vectors = self._reembedding.embed(merges=merges, embedder=self._embedder)
            for attempt, vector in zip(merged, vectors, strict=True):
                attempt.vector = vector


class _Running:
    """A memory under compression, the count it shall have, its wave, and how many pairs the merger has of it."""

    def __init__(self, task: Task, job: Job, *, target: int) -> None:
        self.task = task
        self.job = job
        self.target = target
        self.attempts: list[Attempt] = []
        self.away = 0


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
            "retryable_failures": job.retryable,
            "stopped": job.stopped,
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
        retryable=job.retryable,
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
