"""What a retrieval takes in Mem0's layout, before and after compression: Table 13 and Figure 3 of the EventTree paper.

The memories of all units lie in one collection, a payload says whose each is, and a question searches it once for
each memory of its unit (with Mem0: for both speakers) for the 30 nearest. T-Time is what these searches take together,
without embedding the question and without re-ranking; its median over questions is given, as seconds of one processor:
all stores compute in this process with one thread, so that this is near the wall clock of an idle machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import process_time

import numpy as np
from numpy.typing import NDArray

from memforest.bench.figures import Figure
from memforest.bench.timing import blas_threads
from memforest.config.compose import Components, components, compose_spec
from memforest.core.errors import ConfigError
from memforest.core.protocols import LoadedDataset, NotRunnable
from memforest.core.types import Memory, Question
from memforest.core.vectors import Grid, Vector, on_grid, similarity
from memforest.pipeline.compression import compress_memories
from memforest.retrieval.nearest import float32_error
from memforest.retrieval.stores import OWNER, Store, open_store

UNCOMPRESSED = 0.0
RATIOS = (UNCOMPRESSED, 0.3, 0.5, 0.7)
STORES = ("qdrant_local", "faiss", "exact")
ALONE = "exact_alone"
"""The harness's own way: each memory has an index of its own, and the others are not looked at."""

LIMIT, QUESTIONS, REPEATS = 30, 30, 3
PUBLISHED: Mapping[str, Mapping[float, float]] = {
    "locomo": {0.0: 0.48, 0.3: 0.30, 0.5: 0.24, 0.7: 0.16},
    "longmemeval": {0.0: 8.30, 0.3: 6.04, 0.5: 4.32, 0.7: 2.70},
    "personamem": {0.0: 4.90, 0.3: 3.56, 0.5: 2.78, 0.7: 1.34},
}
"""T-Time in seconds by dataset and ratio: Table 13, the rows `Baseline` and `Baseline + MemForest + AGPR`."""


def figures(*, small: bool, say: Callable[[str], None], settings: Sequence[str]) -> list[Figure]:
    """T-Time by store and ratio, and how often all stores found the same; `small` is for tests: little data.

    settings: choices as `run.py` takes them; without a dataset LoCoMo where its file is found, else a synthetic world;
    without an embedder hashed vectors of 1,536 dimensions, as many as those of the paper.
    """
    overrides = _overrides(settings, small=small)
    spec = compose_spec(overrides)
    parts = components(spec)
    say(f"building {spec['dataset'].name} with {spec['backbone'].name}")
    dataset = parts.dataset.load()
    units = _units(parts, dataset)
    compressed = {UNCOMPRESSED: units}
    for ratio in RATIOS[1:]:
        say(f"compressing at {ratio:g}")
        compressed[ratio] = _compressed(units, parts, ratio=ratio, seed=spec.seed)
    layouts = {ratio: _layouts(memories) for ratio, memories in compressed.items()}
    questions = [question for question in dataset.questions if question.unit_id in units]
    asked = _asked(parts, questions, count=4 if small else QUESTIONS)
    say(f"timing {len(asked)} questions, {mean(len(units[unit]) for unit, _ in asked):g} searches each")
    with blas_threads(1):
        times, same = _timed(layouts, asked, units)
    nodes = {ratio: sum(map(len, _all(memories))) for ratio, memories in compressed.items()}
    return [*_time_figures(times, nodes, published=_published(spec["dataset"].name)), same]


def _overrides(settings: Sequence[str], *, small: bool) -> list[str]:
    chosen = {setting.split("=", 1)[0] for setting in settings}
    overrides = list(settings)
    if "dataset" not in chosen:
        found = Path(os.environ.get("MEMFOREST_DATA", "data"), "locomo", "locomo10.json").is_file()
        world = ["dataset=synthetic", f"dataset.units={2 if small else 10}", f"dataset.sessions={4 if small else 32}"]
        overrides += ["dataset=locomo"] if found and not small else world
    if "embedder" not in chosen:
        overrides += ["embedder=hashing", f"embedder.buckets={64 if small else 1536}"]
    if "compressor" not in chosen:
        overrides += ["compressor=memforest"]
    if "reembedding" not in chosen:
        # The vectors' values do not change what a search takes.
        overrides += ["reembedding=mean"]
    return overrides


Units = Mapping[str, Sequence[Memory]]
"""The memories of each unit, by its id."""


def _units(parts: Components, dataset: LoadedDataset) -> Units:
    built = {
        unit.id: parts.backbone.build(unit=unit, embedder=parts.embedder)
        for unit in dataset.units
        if not isinstance(parts.backbone.inputs(unit=unit), NotRunnable)
    }
    if not built:
        raise ConfigError("the backbone can build none of the units; there is nothing to search")
    return built


def _all(units: Units) -> list[Memory]:
    return [memory for memories in units.values() for memory in memories]


def _compressed(units: Units, parts: Components, *, ratio: float, seed: int) -> Units:
    done = iter(
        compress_memories(
            _all(units),
            compressor=parts.compressor,
            merger=parts.merger,
            reembedding=parts.reembedding,
            embedder=parts.embedder,
            ratio=ratio,
            seed=seed,
        )
    )
    return {id: [next(done).memory for _ in memories] for id, memories in units.items()}


@dataclass(frozen=True, eq=False, slots=True)
class _Layout:
    """Stores and their vectors by the memory's id: one for all, filtered by owner, or one for each."""

    stores: Mapping[str, Store]
    grids: Mapping[str, Grid]
    filtered: bool

    def search(self, vector: Vector, memory_id: str) -> NDArray[np.intp]:
        """Rows of the nearest, in the store that was searched."""
        owner = memory_id if self.filtered else None
        return self.stores[memory_id].nearest(vector=vector, count=LIMIT, owner=owner)

    def similarities(self, vector: Vector, memory_id: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Exact similarities of what was found, falling."""
        return -np.sort(-similarity(self.grids[memory_id][rows], on_grid(vector)))


def _layouts(units: Units) -> dict[str, _Layout]:
    memories = [memory for memory in _all(units) if len(memory)]
    vectors = np.concatenate([memory.matrix for memory in memories])
    payloads = [
        {OWNER: memory.id, "data": node.text, "created_at": "2026-01-01", "hash": node.id, "timestamp": str(node.time)}
        for memory in memories
        for node in memory.nodes
    ]
    shared = {name: open_store(name, vectors=vectors, payloads=payloads) for name in STORES}
    alone = {memory.id: open_store("exact", vectors=memory.matrix, payloads=[{}] * len(memory)) for memory in memories}
    ids, whole = [memory.id for memory in memories], on_grid(vectors)
    return {
        **{name: _Layout(dict.fromkeys(ids, store), dict.fromkeys(ids, whole), True) for name, store in shared.items()},
        ALONE: _Layout(alone, {memory.id: memory.grid for memory in memories}, False),
    }


def _asked(parts: Components, questions: Sequence[Question], *, count: int) -> list[tuple[str, Vector]]:
    """Evenly chosen questions: the unit of each, and its vector."""
    chosen = [questions[place] for place in np.linspace(0, len(questions) - 1, min(count, len(questions))).astype(int)]
    vectors = parts.embedder.embed(texts=[question.text for question in chosen]).vectors
    return [(question.unit_id, vector) for question, vector in zip(chosen, vectors, strict=True)]


_Times = dict[tuple[str, float], list[float]]


def _timed(
    layouts: Mapping[float, Mapping[str, _Layout]], asked: Sequence[tuple[str, Vector]], units: Units
) -> tuple[_Times, Figure]:
    """Seconds of each question by store and ratio, and the share of searches in which all stores found the same.

    A question is asked REPEATS times, stores and ratios take turns, and the fastest counts: what else the machine
    does makes a search slower, never faster.
    """
    times: _Times = {(name, ratio): [] for ratio, by_name in layouts.items() for name in by_name}
    agreements: list[bool] = []
    for unit, vector in asked:
        ids = [memory.id for memory in units[unit] if len(memory)]
        taken: _Times = {key: [] for key in times}
        for _ in range(REPEATS):
            for ratio, by_name in layouts.items():
                found = {}
                for name, layout in by_name.items():
                    start = process_time()
                    found[name] = [layout.search(vector, id) for id in ids]
                    taken[name, ratio].append(process_time() - start)
                agreements += _agreements(by_name, found, ids, vector)
        for key, seconds in taken.items():
            times[key].append(min(seconds))
    return times, Figure(
        "same_hits",
        mean(agreements),
        "",
        f"of {len(agreements):,} searches, the share in which all found equally similar nodes",
        at_least=1,
    )


def _agreements(
    by_name: Mapping[str, _Layout], found: Mapping[str, Sequence[NDArray[np.intp]]], ids: Sequence[str], vector: Vector
) -> list[bool]:
    """Memory by memory, whether all stores found equally similar nodes."""
    similarities = [
        [layout.similarities(vector, id, rows) for id, rows in zip(ids, found[name], strict=True)]
        for name, layout in by_name.items()
    ]
    return [_alike(of_one_memory, len(vector)) for of_one_memory in zip(*similarities, strict=True)]


def _alike(found: Sequence[NDArray[np.float64]], dimension: int) -> bool:
    """Whether the stores' finds are equally similar to the question, as far as float32 can tell."""
    first, *others = found
    return all(
        each.shape == first.shape and bool((np.abs(each - first) <= float32_error(dimension)).all()) for each in others
    )


def _time_figures(times: _Times, nodes: Mapping[float, int], *, published: Mapping[float, float]) -> list[Figure]:
    return [
        Figure(
            f"{name}_{ratio:g}" if ratio else f"{name}_uncompressed",
            1000 * median(seconds),
            "ms",
            _meaning(ratio, median(seconds) / median(times[name, UNCOMPRESSED]), nodes[ratio], published, name),
        )
        for name in (*STORES, ALONE)
        for (of, ratio), seconds in times.items()
        if of == name
    ]


def _meaning(ratio: float, share: float, nodes: int, published: Mapping[float, float], name: str) -> str:
    text = f"T-Time with {nodes:,} nodes, {share:.2f} of uncompressed"
    if name != "qdrant_local" or not published:
        return text
    return f"{text}; published {published[ratio]:.2f} s, {published[ratio] / published[UNCOMPRESSED]:.2f}"


def _published(dataset: str) -> Mapping[float, float]:
    return next((cells for name, cells in PUBLISHED.items() if dataset.startswith(name)), {})
