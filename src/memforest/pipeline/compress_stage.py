"""The compress stage of a run: every unit's memories made smaller, and stored as soon as the unit is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

from memforest.config.compose import Components
from memforest.core.files import json_bytes
from memforest.core.protocols import Embedder, WaitingMerger
from memforest.core.types import Memory
from memforest.pipeline.compression import CompressedMemory, Executor, Task
from memforest.pipeline.plan import Plan
from memforest.pipeline.relatives import Relatives
from memforest.pipeline.stages import BUILD, COMPRESS, UnitWork
from memforest.store.artifacts import ArtifactStore
from memforest.store.memory_format import dump_memories, load_memories
from memforest.store.merge_format import dump_logs

REPORT = "report.json"


class CompressStage:
    """Compresses units whose artifact is not there.

    A unit with failures to try again is stored as incomplete: this run goes on with what it has, and the next one
    finds the merges that succeeded.
    """

    def __init__(self, plan: Plan, parts: Components, artifacts: ArtifactStore, embedder: Embedder) -> None:
        self._spec = plan.spec
        self._works = plan.runnable
        self._parts = parts
        self._artifacts = artifacts
        self._embedder = embedder
        self._incomplete: dict[str, str] = {}
        self._merges: list[tuple[int, int]] = []

    @cached_property
    def missing(self) -> list[UnitWork]:
        """Units to compress, as it stood when this was first asked."""
        return [work for work in self._works if not self._artifacts.has(COMPRESS, work.keys[COMPRESS])]

    @property
    def incomplete(self) -> bool:
        """Whether a later attempt will replace memories that this one made."""
        return bool(self._incomplete)

    def run(self, *, progress: Callable[[int], None]) -> dict[str, Any]:
        """Compress what is missing, in groups that run at once. Returns how many merges were computed and replayed."""
        if isinstance(self._parts.merger, WaitingMerger) and self._spec.merges:
            # One group, so that all share the calls; and in this thread, where an interrupt (Ctrl-C) is met at once.
            self._compress(self.missing, progress)
        else:
            groups = [self.missing[start :: self._spec.workers] for start in range(self._spec.workers)]
            with ThreadPoolExecutor(self._spec.workers) as pool:
                list(pool.map(partial(self._compress, progress=progress), groups))
        if not self._spec.merges:
            return {}
        merges, replayed = (sum(counts) for counts in zip(*self._merges, strict=True)) if self._merges else (0, 0)
        return {"merges": {"computed": merges - replayed, "replayed": replayed}}

    def reports(self) -> list[dict[str, Any]]:
        """The reports of all memories, in order."""
        return [report for work in self._works for report in json.loads(self._load(work, names=(REPORT,))[REPORT])]

    def memories(self, work: UnitWork) -> list[Memory]:
        """A unit's compressed memories."""
        return load_memories(self._load(work))

    def _load(self, work: UnitWork, *, names: Sequence[str] | None = None) -> Mapping[str, bytes]:
        key = work.keys[COMPRESS]
        return self._artifacts.load(COMPRESS, self._incomplete.get(key, key), names=names)

    def _compress(self, works: Sequence[UnitWork], progress: Callable[[int], None]) -> None:
        executor = Executor(
            compressor=self._parts.compressor,
            merger=self._parts.merger,
            reembedding=self._parts.reembedding,
            embedder=self._embedder,
            ratio=self._spec.effective_ratio,
            seed=self._spec.seed,
            progress=progress,
        )
        executor.run(task for work in works for task in self._tasks(work))

    def _tasks(self, work: UnitWork) -> Iterator[Task]:
        """A unit's memories, read when they are begun, with what other runs and attempts have made of them."""
        memories = load_memories(self._artifacts.load(BUILD, work.keys[BUILD]))
        relatives = Relatives(self._artifacts, work)
        results: dict[int, CompressedMemory] = {}
        if not memories:
            self._save(work, [])

        def done(number: int, result: CompressedMemory) -> None:
            results[number] = result
            if len(results) == len(memories):
                self._save(work, [results[place] for place in range(len(memories))])

        for number, memory in enumerate(memories):
            yield Task(memory, relatives.known(number), done=partial(done, number))

    def _save(self, work: UnitWork, results: Sequence[CompressedMemory]) -> None:
        """One unit's compressed memories, reports and, of a method that merges, logs."""
        files = dump_memories([result.memory for result in results])
        files[REPORT] = json_bytes([result.report for result in results])
        if self._spec.merges:
            files |= dump_logs([result.log for result in results])
        key, inputs = work.keys[COMPRESS], work.inputs[COMPRESS]
        if any(result.retryable for result in results):
            self._incomplete[key] = self._artifacts.save_incomplete(COMPRESS, key, files=files, inputs=inputs)
        else:
            self._artifacts.save(COMPRESS, key, files=files, inputs=inputs)
        self._merges += [(len(result.log.merges), result.replayed) for result in results]


def failed_merges(reports: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Failed calls that the same command makes again, by stage; only stages that have some."""
    failed = sum(report["retryable_failures"] for report in reports)
    return {COMPRESS: failed} if failed else {}
