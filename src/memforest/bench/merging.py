"""How long compression takes with a served model, beside what its calls alone must take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from time import perf_counter

from memforest.bench.figures import Figure
from memforest.bench.worlds import real_dataset, topical
from memforest.compression import compress
from memforest.config.compose import Components, components, compose_spec
from memforest.config.spec import RunSpec
from memforest.core.outcomes import MergedSegments, MergeResult
from memforest.core.protocols import Encode
from memforest.core.types import Pair
from memforest.pipeline.compression import CompressedMemory, compress_memories

METHODS = ("memforest", "tome", "memforest_balanced")
SECONDS = 0.2
CONCURRENCY = 16


def figures(*, small: bool, say: Callable[[str], None]) -> list[Figure]:
    """LoCoMo at 0.5 with the hashing embedder, method by method; `small` is for tests: little data and short calls."""
    compress(topical(100), method="memforest", ratio=0.5)  # imports scikit-learn, which must not count
    found: list[Figure] = []
    for method in METHODS:
        say(method)
        found.extend(_method(method, small=small, seconds=SECONDS / 10 if small else SECONDS))
    return found


def _method(method: str, *, small: bool, seconds: float) -> list[Figure]:
    dataset = real_dataset(small=small)
    spec = compose_spec([f"dataset={dataset}", f"compressor={method}", "embedder=hashing", "ratio=0.5"])
    done, taken = _compressed(spec, components(spec), _Served(seconds))
    calls = sum(len(result.log.merges) for result in done)
    chain = max(1 + max((merge.wave for merge in result.log.merges), default=-1) for result in done)
    bound = seconds * max(chain, calls / CONCURRENCY)
    served = f"{seconds:g} s each, {CONCURRENCY} at once"
    return [
        Figure(f"{method}_calls", calls, "", f"{dataset} at 0.5, {len(done)} memories; {served}"),
        Figure(f"{method}_chain", chain, "", "calls of one memory that have to wait for each other"),
        Figure(f"{method}_bound", bound, "s", "the larger of chain and calls by those at once"),
        Figure(f"{method}_seconds", taken, "s", "what it takes"),
        Figure(f"{method}_ratio", taken / bound, "x", "the second by the first", at_most=1.25),
    ]


def _compressed(spec: RunSpec, parts: Components, merger: _Served) -> tuple[list[CompressedMemory], float]:
    memories = [
        memory
        for unit in parts.dataset.load().units
        for memory in parts.backbone.build(unit=unit, embedder=parts.embedder)
    ]
    start = perf_counter()
    done = compress_memories(
        memories,
        compressor=parts.compressor,
        merger=merger,
        reembedding=parts.reembedding,
        embedder=parts.embedder,
        ratio=spec.ratio,
        seed=spec.seed,
    )
    return done, perf_counter() - start


class _Served:
    """Stands in for a served model: keeps all segments, after a while."""

    concurrency, failures_in_a_row = CONCURRENCY, 1

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Pair by pair."""
        return [self.merge_one(pair=pair) for pair in pairs]

    def merge_one(self, *, pair: Pair) -> MergeResult:
        """All segments of both nodes."""
        time.sleep(self._seconds)
        return MergedSegments(segments=pair.segments)
