"""The numbers of EventTree: one tree against the published procedure, large memories, LoCoMo, retrieval, threads."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from memforest.bench.figures import Figure
from memforest.bench.published import published_procedure
from memforest.bench.timing import blas_threads, median_microseconds
from memforest.bench.worlds import near_duplicates, real_dataset, topical, unrelated
from memforest.compression import compress
from memforest.compressors.eventtree.tree import EdgeScore, ShrinkingTree
from memforest.compressors.pool import Pool
from memforest.config.compose import components, compose_spec
from memforest.config.folder import settings
from memforest.core.errors import MethodError
from memforest.core.protocols import Embedder, Embedding
from memforest.core.types import Memory, MemoryNode, Pair, Query
from memforest.core.vectors import normalised
from memforest.pipeline.compression import compress_memories


def figures(*, small: bool, say: Callable[[str], None]) -> list[Figure]:
    """Every figure, in order; `small` is for tests: the same work on little data. Raises MethodError when the two
    sides of a comparison do not choose the same."""
    found: list[Figure] = []
    for title, case in (
        ("one tree", _one_tree),
        ("large memories", _large_memories),
        ("LoCoMo", _locomo),
        ("retrieval", _retrieval),
        ("threads", _threads),
    ):
        say(title)
        found.extend(case(small))
    return found


def _one_tree(small: bool) -> list[Figure]:
    memory = unrelated(60 if small else 400)
    target = len(memory) // 2
    merge = _Remembered()
    # The first pass makes the merged nodes, so that both sides are timed on choosing pairs alone.
    ours = _shrunk(memory, target, merge)
    with blas_threads(1):
        rounds = [_timed_pair(memory, target, merge) for _ in range(1 if small else 5)]
    if any([node.id for node in live] != [node.id for node in ours] for *_, live in rounds):
        raise MethodError("the incremental tree and the published procedure chose different pairs")
    own, published = min(own for own, *_ in rounds), min(published for _, published, _ in rounds)
    return [
        Figure("tree_seconds", own, "s", f"EventTree on one tree of {len(memory)} nodes, to half"),
        Figure("published_tree_seconds", published, "s", "the published procedure on the same tree, same pairs"),
        Figure("tree_speedup", published / own, "x", "the second by the first", at_least=20),
    ]


def _timed_pair(memory: Memory, target: int, merge: _Remembered) -> tuple[float, float, Sequence[MemoryNode]]:
    own, _ = _seconds(lambda: _shrunk(memory, target, merge))
    eta = _paper()["eta"]
    published, live = _seconds(lambda: published_procedure(memory.nodes, target=target, eta=eta, merge=merge))
    return own, published, live


def _shrunk(memory: Memory, target: int, merge: _Remembered) -> tuple[MemoryNode, ...]:
    pool = Pool(memory.nodes)
    score = EdgeScore(**{name: _paper()[name] for name in ("eta", "degree", "edge_rule")})
    tree = ShrinkingTree(pool, pool.places, edge_score=score)
    while len(tree) > target and (best := tree.best()):
        tree.settle(*best[1], merge(pool.pair(*best[1])))
    return pool.nodes


def _paper() -> dict[str, Any]:
    return settings("compressor", "memforest")


class _Remembered:
    """Merges a pair by the mean of its vectors, once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], MemoryNode] = {}

    def __call__(self, pair: Pair) -> MemoryNode:
        key = pair.older.id, pair.newer.id
        if key not in self._made:
            older, newer = pair.older, pair.newer
            weights = len(older.members), len(newer.members)
            vector = normalised(older.vector * float(weights[0]) + newer.vector * float(weights[1]))
            self._made[key] = replace(
                newer, id=f"merge-{len(self._made)}", vector=vector, members=(*older.members, *newer.members)
            )
        return self._made[key]


def _large_memories(small: bool) -> list[Figure]:
    few, many, giant = (300, 3_000, 400) if small else (10_000, 100_000, 20_000)
    compress(topical(100), method="memforest", ratio=0.5)  # imports scikit-learn, which must not count
    shorter, _ = _seconds(lambda: compress(topical(few), method="memforest", ratio=0.5))
    longer, _ = _seconds(lambda: compress(topical(many), method="memforest", ratio=0.5))
    one_tree, _ = _seconds(
        lambda: compress(near_duplicates(giant), method="memforest", ratio=0.5, settings={"alpha": 1 / giant})
    )
    return [
        Figure("smaller_memory_seconds", shorter, "s", f"{few:,} nodes compressed at 0.5, concat, mean vectors"),
        Figure("large_memory_seconds", longer, "s", f"{many:,} nodes", at_most=300),
        Figure("growth", longer / shorter, "x", "ten times the nodes take so many times as long", at_most=20),
        Figure("giant_tree_seconds", one_tree, "s", f"one cluster of {giant:,} near-duplicates", at_most=300),
        Figure("peak_memory", _peak_gib(), "GiB", "of the process up to here", at_most=3),
    ]


def _locomo(small: bool) -> list[Figure]:
    """LoCoMo where its file is found, the bundled sample elsewhere and for tests."""
    dataset = real_dataset(small=small)
    spec = compose_spec([f"dataset={dataset}", "compressor=memforest", "ratio=0.5"])
    parts = components(spec)
    parts.embedder.embed(texts=["a text that loads the model"])
    memories = [
        memory
        for unit in parts.dataset.load().units
        for memory in parts.backbone.build(unit=unit, embedder=parts.embedder)
    ]
    recorder = _Recorder(parts.embedder)
    whole, done = _seconds(
        lambda: compress_memories(
            memories,
            compressor=parts.compressor,
            merger=parts.merger,
            reembedding=parts.reembedding,
            embedder=recorder,
            ratio=spec.ratio,
            seed=spec.seed,
        )
    )
    batch, _ = _seconds(lambda: parts.embedder.embed(texts=recorder.texts))
    merged = sum(int(str(result.report["merges"])) for result in done)
    return [
        Figure("compress_seconds", whole, "s", f"{dataset} at 0.5 with re-embedding, {merged:,} merges, one process"),
        Figure("embed_seconds", batch, "s", "the same merged texts embedded in one batch"),
        Figure("overhead", whole / batch, "x", "the first by the second", at_most=1.5),
    ]


class _Recorder:
    """An embedder that keeps what it was asked for."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts: list[str] = []

    @property
    def identity(self) -> str:
        """That of the embedder inside."""
        return self._inner.identity

    @property
    def dimension(self) -> int:
        """That of the embedder inside."""
        return self._inner.dimension

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """As the embedder inside."""
        self.texts.extend(texts)
        return self._inner.embed(texts=texts)


def _retrieval(small: bool) -> list[Figure]:
    memory = unrelated(300)
    queries = [Query(text="", vector=node.vector) for node in unrelated(320).nodes[300:]]
    indexes = [
        components(compose_spec([f"retriever={name}"])).retriever.index(memory=memory) for name in ("topk", "agpr")
    ]
    with blas_threads(1):
        topk, agpr = median_microseconds(indexes, queries, k=10, rounds=2 if small else 50)
    return [
        Figure("topk_microseconds", topk, "us", "a query over 300 nodes, vector given, k = 10, median"),
        Figure("agpr_extra_microseconds", agpr - topk, "us", "what AGPR adds to it", at_most=200),
    ]


def _threads(small: bool) -> list[Figure]:
    """One memory compressed with one and with two threads of BLAS and OpenMP; MethodError when results differ."""
    memory = topical(300 if small else 5_000)
    grouped = {"exact_up_to": len(memory) // 5}
    results = []
    for threads in (1, 2):
        with blas_threads(threads):
            made = compress(memory, method="memforest", ratio=0.5, settings=grouped).memory
        results.append((tuple(node.id for node in made.nodes), made.matrix.tobytes()))
    if results[0] != results[1]:
        raise MethodError("one and two threads compressed a memory differently")
    return [Figure("threads_agree", 1, "", f"{len(memory):,} nodes: equal bytes with 1 and 2 threads", at_least=1)]


def _seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def _peak_gib() -> float:
    """Largest resident size of this process; `ru_maxrss` counts KiB, on macOS bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 if sys.platform == "darwin" else 1 / 1024) / 2**30
