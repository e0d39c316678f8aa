"""A finished run's merges, memories and questions, for what is claimed of merging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from memforest.config.compose import components
from memforest.config.recorded import command, recorded_spec
from memforest.core.errors import ConfigError, StoreError
from memforest.core.protocols import Embedder
from memforest.core.types import Gold, Memory
from memforest.core.vectors import on_grid
from memforest.embedding.cache import CachedEmbedder
from memforest.pipeline.plan import Plan, backbone_inputs, make_plan
from memforest.pipeline.stages import BUILD, COMPRESS, UnitWork
from memforest.store.artifacts import ArtifactStore
from memforest.store.memory_format import load_memories
from memforest.store.merge_format import MERGED_VECTORS, MERGES, load_logs
from memforest.store.runs import RUN, StoredRun
from memforest.theory.bounds import MemoryBounds, memory_bounds
from memforest.theory.summary import summarise_bounds
from memforest.theory.trace import Trace, sum_shares, trace_of

INTERPOLATE, MEAN = "interpolate", "mean"


def run_bounds(run: StoredRun, *, extra: Sequence[str] = ()) -> dict[str, Any]:
    """Equations 11 to 15 and 27 to 33 of the EventTree paper on a run's merges and questions.

    `extra` are overrides that say where data lies. Raises StoreError for a run that is stale or whose artifacts are
    gone, ConfigError for one that merges nothing and for data that is not the run's.
    """
    plan, embedder = _prepared(run, extra)
    reembedding = plan.spec.identity()["reembedding"]
    artifacts = ArtifactStore(plan.spec.outputs)
    cached = CachedEmbedder(embedder=embedder, folder=artifacts.vectors)
    # Several BLAS threads make many small products slow where processors are busy.
    with threadpool_limits(limits=1, user_api="blas"):
        measured = [
            memory for work in plan.runnable for memory in _measured(work, artifacts, reembedding, embedder=cached)
        ]
    cached.flush()
    if not any(len(memory.rho) for memory in measured):
        raise ConfigError(f"{run.id} merged no nodes, so there is nothing to bound; take a run with a higher ratio")
    return {
        "run": run.id,
        "reembedding": reembedding,
        "questions": sum(len(work.questions) for work in plan.runnable),
        **summarise_bounds(measured),
    }


def _prepared(run: StoredRun, extra: Sequence[str]) -> tuple[Plan, Embedder]:
    """The run's plan, with everything it made at hand, and its embedder."""
    recorded = run.read(RUN)
    identity, outputs = recorded["settings"], run.folder.parent.parent
    if identity["merger"] is None:
        raise ConfigError(
            f"{run.id} used compressor={identity['compressor']['name']}, which merges nothing; the bounds are about "
            "merges, so take a run of a compressor that merges, such as memforest or tome"
        )
    again = command(identity, outputs)
    if changes := run.changes():
        raise StoreError(f"{run.id} is stale, changed since are {', '.join(changes)}; make it anew with: {again}")
    spec = recorded_spec(identity, extra=extra, outputs=outputs)
    parts = components(spec)
    dataset = parts.dataset.load()
    plan = make_plan(spec, dataset, backbone_inputs(parts, dataset))
    if plan.data != recorded["data"]:
        raise ConfigError(f"the data is not that of {run.id}; name its files, such as dataset.path=FILE")
    if plan.stages != recorded["stages"]:
        raise StoreError(f"{run.id} is stale; make it anew with: {again}")
    if run.retryable:
        raise StoreError(f"{run.id} is not finished, calls failed in it; make them again with: {again}")
    for stage in (BUILD, COMPRESS):
        if missing := len(plan.runnable) - plan.cached[stage]:
            raise StoreError(
                f"the {stage} artifacts of {missing} of {len(plan.runnable)} units of {run.id} are gone; delete "
                f"{run.folder} and make them again with: {again}"
            )
    return plan, parts.embedder


def _measured(
    work: UnitWork, artifacts: ArtifactStore, reembedding: Mapping[str, Any], *, embedder: Embedder
) -> Iterator[MemoryBounds]:
    """Measurements of a unit's memories with the unit's questions."""
    memories = load_memories(artifacts.load(BUILD, work.keys[BUILD]))
    logs = load_logs(artifacts.load(COMPRESS, work.keys[COMPRESS], names=(MERGES, MERGED_VECTORS)))
    questions = on_grid(embedder.embed(texts=[question.text for question in work.questions]).vectors)
    for memory, log in zip(memories, logs, strict=True):
        trace = trace_of(memory, log)
        yield memory_bounds(
            trace,
            questions=questions,
            evidence=_evidence(memory, work.golds),
            older_weight=_older_weight(reembedding, memory, trace),
        )


def _older_weight(reembedding: Mapping[str, Any], memory: Memory, trace: Trace) -> NDArray[np.float64]:
    """The older part's weight in Equation 11, [T]; 1/2 where vectors are not interpolated, as in embedded texts."""
    if reembedding["name"] == MEAN:
        return sum_shares(trace, np.array([len(node.members) for node in memory.nodes], dtype=np.intp))
    return np.full(trace.merges, reembedding["weight"] if reembedding["name"] == INTERPOLATE else 0.5)


def _evidence(memory: Memory, golds: Sequence[Gold]) -> NDArray[np.bool_]:
    """Whether a node rests on a turn that an answerable question's answer rests on, [nodes, questions]."""
    wanted = [frozenset(gold.evidence) if gold.answerable else frozenset() for gold in golds]
    held = [[not turns.isdisjoint(node.sources) for turns in wanted] for node in memory.nodes]
    return np.array(held, dtype=bool).reshape(len(memory), len(golds))
