"""The one executor that drives compressors: it merges and re-embeds wave by wave, over trees and memories at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from memforest.core.digests import digest
from memforest.core.errors import MethodError
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeOutcome
from memforest.core.protocols import Compressor, Embedder, Embedding, Encode, Merger, Reduction, Wave, Waves
from memforest.core.types import Json, Memory, MemoryNode, Pair, Segment, target_count
from memforest.core.vectors import Matrix, normalised


class Reembedding(Protocol):
    """How merged nodes and single segments get their vectors."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Vectors of segments' texts, for mergers that compare segments."""

    def embed(self, *, texts: Sequence[str], members: Sequence[Sequence[str]]) -> Embedding:
        """Vectors of merged nodes, given their texts and the original nodes that they stand for."""


class TextReembedding:
    """Merged text is embedded like any other text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode(self, texts: Sequence[str]) -> Matrix:
        """The embedder's vectors."""
        return self._embedder.embed(texts=texts).vectors

    def embed(self, *, texts: Sequence[str], members: Sequence[Sequence[str]]) -> Embedding:
        """The embedder's vectors of the merged texts."""
        return self._embedder.embed(texts=texts)


class MeanReembedding:
    """For vectors of a model that is not here: a merged node gets the normalised mean of its members' vectors."""

    def __init__(self, memory: Memory) -> None:
        self._by_member = {member: node.vector for node in memory.nodes for member in node.members}
        self._by_text = {segment.text: node.vector for node in reversed(memory.nodes) for segment in node.segments}

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Vectors of the original nodes with these texts."""
        return np.stack([self._by_text[text] for text in texts])

    def embed(self, *, texts: Sequence[str], members: Sequence[Sequence[str]]) -> Embedding:
        """Independent of the order of merging."""
        means = np.stack(
            [np.mean([self._by_member[member] for member in group], axis=0, dtype=np.float64) for group in members]
        )
        return Embedding(vectors=normalised(means), truncated=np.zeros(len(texts), dtype=bool))


@dataclass(frozen=True, eq=False)
class CompressedMemory:
    """A smaller memory and what happened on the way."""

    memory: Memory
    report: Mapping[str, Json]


class _Job:
    """One memory under compression: what is alive, where it stands, and what happened so far."""

    def __init__(self, memory: Memory, waves: Waves) -> None:
        self.memory = memory
        self.pending: Wave = ()
        self.reduction: Reduction | None = None
        self.merges = 0
        self.failures: Counter[str] = Counter()
        self.dropped_segments: dict[str, list[Segment]] = {}
        self._waves = waves
        self._live = {id(node): node for node in memory.nodes}
        self._place = {id(node): place for place, node in enumerate(memory.nodes)}
        self._member_place = {member: place for place, member in enumerate(_all_members(memory.nodes))}

    def advance(self, outcomes: Sequence[MergeOutcome] | None) -> None:
        """Send the outcomes of the pending wave (None at the start) and take the next one."""
        try:
            self.pending = next(self._waves) if outcomes is None else self._waves.send(outcomes)
        except StopIteration as stop:
            self.pending, self.reduction = (), stop.value
        taken = [id(node) for pair in self.pending for node in (pair.older, pair.newer)]
        if len(taken) != len(set(taken)):
            raise MethodError(f"memory {self.memory.id}: a wave merges one node twice; its pairs must be independent")
        if not all(node in self._live for node in taken):
            raise MethodError(f"memory {self.memory.id}: a wave merges a node that is not, or no longer, in the memory")

    def members(self, pair: Pair) -> tuple[str, ...]:
        """Original ids of both nodes in insertion order."""
        return tuple(sorted((*pair.older.members, *pair.newer.members), key=self._member_place.__getitem__))

    def merged(self, pair: Pair, node: MemoryNode, dropped: Sequence[Segment]) -> None:
        """Put the merged node in the place of its newer part."""
        self.merges += 1
        self._place[id(node)] = self._place[id(pair.newer)]
        del self._live[id(pair.older)], self._live[id(pair.newer)]
        self._live[id(node)] = node
        gone = [*self.dropped_segments.pop(pair.older.id, []), *self.dropped_segments.pop(pair.newer.id, []), *dropped]
        if gone:
            self.dropped_segments[node.id] = gone

    def survivors(self) -> tuple[MemoryNode, ...]:
        """The nodes that the compressor left. Raises MethodError unless they are live ones, each once, in order."""
        assert self.reduction is not None
        nodes = self.reduction.nodes
        if not all(id(node) in self._live for node in nodes):
            raise MethodError(f"memory {self.memory.id}: the compressor returned a node that it was not given")
        places = [self._place[id(node)] for node in nodes]
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise MethodError(f"memory {self.memory.id}: the compressor's nodes are not in insertion order, each once")
        return nodes


def compress_memories(
    memories: Sequence[Memory],
    *,
    compressor: Compressor,
    merger: Merger,
    reembedding: Reembedding,
    ratio: float,
    seed: int,
    progress: Callable[[int], None] = lambda merged: None,
) -> list[CompressedMemory]:
    """Compress `memories` together; the result for each is the same as if it were compressed alone.

    Raises MethodError when a compressor breaks its protocol: nodes lost or invented, a merge of one node twice in a
    wave, a count above M without failed merges to explain it, or below M.
    """
    jobs = [_Job(memory, compressor.compress(memory=memory, ratio=ratio, seed=seed)) for memory in memories]
    for job in jobs:
        job.advance(None)
    while active := [job for job in jobs if job.reduction is None]:
        pairs = [(job, pair) for job in active for pair in job.pending]
        outcomes = _merge(pairs, merger=merger, reembedding=reembedding)
        progress(len(pairs))
        start = 0
        for job in active:
            end = start + len(job.pending)
            job.advance(outcomes[start:end])
            start = end
    return [_finished(job, ratio=ratio) for job in jobs]


def _merge(pairs: Sequence[tuple[_Job, Pair]], *, merger: Merger, reembedding: Reembedding) -> list[MergeOutcome]:
    if not pairs:
        return []
    encode: Encode = reembedding.encode
    results = merger.merge(pairs=[pair for _, pair in pairs], encode=encode)
    if len(results) != len(pairs):
        raise MethodError(f"merger {type(merger).__name__} returned {len(results)} results for {len(pairs)} pairs")
    merged = [
        (job, pair, result)
        for (job, pair), result in zip(pairs, results, strict=True)
        if isinstance(result, MergedSegments)
    ]
    members = [job.members(pair) for job, pair, _ in merged]
    texts = [" ".join(segment.text for segment in result.segments) for _, _, result in merged]
    vectors: Iterable[tuple[np.ndarray, bool]] = ()
    if merged:
        embedding = reembedding.embed(texts=texts, members=members)
        vectors = zip(embedding.vectors, map(bool, embedding.truncated), strict=True)
    made = iter(zip(members, vectors, strict=True))
    outcomes: list[MergeOutcome] = []
    for (job, pair), result in zip(pairs, results, strict=True):
        if isinstance(result, MergeFailed):
            job.failures[result.reason] += 1
            outcomes.append(result)
            continue
        ids, (vector, truncated) = next(made)
        node = _merged_node(pair, result, ids, vector, truncated)
        job.merged(pair, node, result.dropped)
        outcomes.append(node)
    return outcomes


def _merged_node(
    pair: Pair, result: MergedSegments, members: tuple[str, ...], vector: np.ndarray, truncated: bool
) -> MemoryNode:
    times = [node.time for node in (pair.older, pair.newer) if node.time is not None]
    return MemoryNode(
        id=merged_id(members),
        segments=result.segments,
        vector=vector,
        time=max(times, default=None),
        members=members,
        kind=pair.newer.kind,
        truncated=truncated,
        metadata=_agreed(pair.older.metadata, pair.newer.metadata),
    )


def merged_id(members: Sequence[str]) -> str:
    """Id of a merged node: a function of the set of original nodes, so equal whatever the order of merging."""
    return "merged-" + digest(sorted(members))[:16]


def _all_members(nodes: Iterable[MemoryNode]) -> list[str]:
    return [member for node in nodes for member in node.members]


def _agreed(older: Mapping[str, Json], newer: Mapping[str, Json]) -> dict[str, Json]:
    """Metadata in which both nodes agree; the rest is found at the members."""
    return {key: value for key, value in older.items() if key in newer and newer[key] == value}


def _finished(job: _Job, *, ratio: float) -> CompressedMemory:
    assert job.reduction is not None
    before, after = job.memory.nodes, job.survivors()
    exact = target_count(count=len(before), ratio=ratio)
    target = exact if job.reduction.target is None else job.reduction.target
    if len(after) < target or (len(after) > target and not job.failures):
        raise MethodError(
            f"memory {job.memory.id}: the compressor left {len(after)} nodes where {target} were asked for"
        )
    kept = set(_all_members(after))
    smaller = Memory(id=job.memory.id, nodes=after, source_level=job.memory.source_level, clock=job.memory.clock)
    return CompressedMemory(
        memory=smaller,
        report={
            "memory": job.memory.id,
            "target": exact,
            "method_target": target,
            "merges": job.merges,
            "failed_merges": dict(job.failures),
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
    )


def memory_size(memory: Memory) -> dict[str, int]:
    """Nodes, words, stored bytes of text (UTF-8) and vectors (float32), and texts longer than the embedder reads."""
    return {
        "nodes": len(memory),
        "words": sum(node.words for node in memory.nodes),
        "text_bytes": sum(len(node.text.encode()) for node in memory.nodes),
        "vector_bytes": int(memory.matrix.nbytes),
        "truncated_texts": sum(node.truncated for node in memory.nodes),
    }
