"""Any merging method within the kinds of a memory's nodes, such as episodic and semantic ones."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memforest.compressors.quotas import largest_remainder
from memforest.core.outcomes import MergeFailed, MergeOutcome
from memforest.core.protocols import Compressor, Reduction, Wave, Waves
from memforest.core.types import Memory, target_count


@dataclass(frozen=True, slots=True)
class WithinKinds:
    """Compresses the nodes of each kind as a memory of their own, all in step; a memory of one kind as it is.

    M is spread over the kinds by largest remainder, at least 1 each; so of more kinds than M one node each stays.
    """

    compressor: Compressor

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """A wave holds the next one of each kind that is not done."""
        kinds = _by_kind(memory)
        if len(kinds) < 2:
            return (yield from self.compressor.compress(memory=memory, ratio=ratio, seed=seed))
        sizes = [len(part) for part in kinds.values()]
        quotas = largest_remainder(sizes, target_count(count=len(memory), ratio=ratio))
        place = {node.id: place for place, node in enumerate(memory.nodes)}
        left = yield from _in_step(
            {
                kind: self.compressor.compress(memory=part, ratio=1 - quota / len(part), seed=seed)
                for (kind, part), quota in zip(kinds.items(), quotas, strict=True)
            },
            place,
        )
        nodes = [node for reduction in left.values() for node in reduction.nodes]
        targets = [reduction.target for reduction in left.values()]
        return Reduction(
            nodes=tuple(sorted(nodes, key=lambda node: place[node.id])),
            target=sum(quota if own is None else own for own, quota in zip(targets, quotas, strict=True)),
            details={kind: dict(reduction.details) for kind, reduction in left.items()},
        )


def _by_kind(memory: Memory) -> dict[str, Memory]:
    """A memory for each kind of nodes, in order of the kinds' first nodes; their names keep random numbers apart."""
    return {
        kind: replace(memory.with_nodes([node for node in memory.nodes if node.kind == kind]), id=f"{memory.id}/{kind}")
        for kind in dict.fromkeys(node.kind for node in memory.nodes)
    }


def _in_step(
    parts: Mapping[str, Waves], place: dict[str, int]
) -> Generator[Wave, Sequence[MergeOutcome], dict[str, Reduction]]:
    """Drive `parts` together until all are done; `place` learns the places of merged nodes, those of their newer parts.

    Returns what each leaves, in order.
    """
    left: dict[str, Reduction] = {}
    settled: dict[str, list[MergeOutcome] | None] = dict.fromkeys(parts)
    while True:
        waves: dict[str, Wave] = {}
        for kind, outcomes in settled.items():
            try:
                waves[kind] = next(parts[kind]) if outcomes is None else parts[kind].send(outcomes)
            except StopIteration as stop:
                left[kind] = stop.value
        if not waves:
            return {kind: left[kind] for kind in parts}
        joined = tuple(pair for wave in waves.values() for pair in wave)
        results = yield joined
        for pair, outcome in zip(joined, results, strict=True):
            if not isinstance(outcome, MergeFailed):
                place[outcome.id] = place[pair.newer.id]
        coming = iter(results)
        settled = {kind: list(islice(coming, len(wave))) for kind, wave in waves.items()}
