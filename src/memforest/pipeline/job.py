"""One memory under compression: what is alive, where it stands, and what happened so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memforest.core.errors import MethodError
from memforest.core.merge_log import LoggedFailure, LoggedMerge, MergeLog, Ref, kept_pieces, pieces
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeOutcome
from memforest.core.protocols import Carried, MergedVector, Reduction, Reembedding, Wave, Waves
from memforest.core.types import Memory, MemoryNode, Pair, Segment
from memforest.pipeline.known_merges import KnownMerges
from memforest.pipeline.merged_nodes import in_insertion_order, member_sum, merged_node


@dataclass(eq=False, slots=True)
class _Live:
    """A live node: its place in insertion order, its history here and among known merges, and what it carries."""

    node: MemoryNode
    place: int
    ref: Ref
    known: Ref | None
    sum: int | None = None
    carried: Carried = None

    @property
    def member_sum(self) -> int:
        """The sum of its members' digests; computed for an original node when it is merged."""
        return member_sum(self.node.members) if self.sum is None else self.sum


class Job:
    """Drives one compressor over one memory and logs what it does."""

    def __init__(self, memory: Memory, waves: Waves, known: KnownMerges) -> None:
        self.memory = memory
        self.pending: Wave = ()
        self.reduction: Reduction | None = None
        self.replayed = 0
        self.overlong = 0
        self.failures: Counter[str] = Counter()
        self.retryable = 0
        self.failures_in_a_row = 0
        self.stopped: str | None = None
        self.dropped_segments: dict[str, list[Segment]] = {}
        self._waves = waves
        self._wave = -1
        self._known = known
        self._live = {
            id(node): _Live(node, place, ref=node.id, known=node.id) for place, node in enumerate(memory.nodes)
        }
        self._place = {member: place for place, member in enumerate(all_members(memory.nodes))}
        self._merges: list[LoggedMerge] = []
        self._failures: list[LoggedFailure] = []

    @property
    def merges(self) -> int:
        """Merges that succeeded."""
        return len(self._merges)

    @property
    def alive(self) -> int:
        """Nodes that are there now."""
        return len(self._live)

    def advance(self, outcomes: Sequence[MergeOutcome] | None) -> None:
        """Send the outcomes of the pending wave (None at the start) and take the next one."""
        try:
            self.pending = next(self._waves) if outcomes is None else self._waves.send(outcomes)
            self._wave += 1
        except StopIteration as stop:
            self.pending, self.reduction = (), stop.value
        if self.memory.clock != "calendar":
            self.pending = tuple(replace(pair, clock=self.memory.clock) for pair in self.pending)
        taken = [id(node) for pair in self.pending for node in (pair.older, pair.newer)]
        if len(taken) != len(set(taken)):
            raise MethodError(f"memory {self.memory.id}: a wave merges one node twice; its pairs must be independent")
        if not all(node in self._live for node in taken):
            raise MethodError(f"memory {self.memory.id}: a wave merges a node that is not, or no longer, in the memory")

    def stop(self, reason: str) -> None:
        """Merge no more, whatever the compressor wants: all nodes that are there now stay."""
        self._waves.close()
        live = sorted(self._live.values(), key=lambda node: node.place)
        self.pending, self.stopped = (), reason
        self.reduction = Reduction(nodes=tuple(item.node for item in live))

    def known(self, pair: Pair) -> int | None:
        """The number of the same merge among those of other runs."""
        return self._known.find(*(side.known for side in self._sides(pair)))

    def remembered(self, number: int) -> LoggedMerge:
        """A merge of another run."""
        return self._known[number]

    def carried(self, pair: Pair, reembedding: Reembedding) -> Carried:
        """What the merged node of a pair will carry."""
        older, newer = self._sides(pair)
        return reembedding.carried(pair=pair, older=older.carried, newer=newer.carried)

    def merged(
        self, pair: Pair, merged: MergedSegments, vector: MergedVector, *, carried: Carried, known: int | None
    ) -> MemoryNode:
        """Put the merged node in the place of its newer part; `known` is its number among merges of other runs."""
        older, newer = self._sides(pair)
        total = older.member_sum + newer.member_sum
        members = in_insertion_order(pair.older.members, pair.newer.members, place=self._place)
        node = merged_node(pair, merged, vector, members=members, member_sum=total)
        del self._live[id(pair.older)], self._live[id(pair.newer)]
        self._live[id(node)] = _Live(node, newer.place, ref=self.merges, known=known, sum=total, carried=carried)
        self._log(pair, merged, vector, older=older.ref, newer=newer.ref)
        self._drop(pair, node, merged.dropped)
        self.overlong += self._merges[-1].wrote and node.words > pair.older.words + pair.newer.words
        self.replayed += known is not None
        self.failures_in_a_row = 0
        return node

    def failed(self, pair: Pair, failure: MergeFailed) -> None:
        """Both nodes stay."""
        older, newer = self._sides(pair)
        self.failures[failure.reason] += 1
        self.retryable += failure.retry
        self.failures_in_a_row += 1
        self._failures.append(LoggedFailure(older.ref, newer.ref, self._wave, failure.reason, retry=failure.retry))

    def smaller(self) -> Memory:
        """The memory that the compressor left. Raises MethodError unless its nodes are live, each once, in order."""
        assert self.reduction is not None
        nodes = self.reduction.nodes
        if not all(id(node) in self._live for node in nodes):
            raise MethodError(f"memory {self.memory.id}: the compressor returned a node that it was not given")
        places = [self._live[id(node)].place for node in nodes]
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise MethodError(f"memory {self.memory.id}: the compressor's nodes are not in insertion order, each once")
        return self.memory.with_nodes(nodes)

    def log(self) -> MergeLog:
        """All that happened, once the compressor is done."""
        assert self.reduction is not None
        kept = {id(node) for node in self.reduction.nodes}
        pruned = sorted((live.place, live.ref) for key, live in self._live.items() if key not in kept)
        return MergeLog(
            memory=self.memory.id,
            merges=tuple(self._merges),
            failures=tuple(self._failures),
            pruned=tuple(ref for _, ref in pruned),
        )

    def _sides(self, pair: Pair) -> tuple[_Live, _Live]:
        return self._live[id(pair.older)], self._live[id(pair.newer)]

    def _log(self, pair: Pair, merged: MergedSegments, vector: MergedVector, *, older: Ref, newer: Ref) -> None:
        self._merges.append(
            LoggedMerge(
                older=older,
                newer=newer,
                wave=self._wave,
                kept=kept_pieces(merged.segments, pair),
                dropped=pieces(merged.dropped, pair),
                vector=vector.vector,
                truncated=vector.truncated,
            )
        )

    def _drop(self, pair: Pair, node: MemoryNode, dropped: Sequence[Segment]) -> None:
        """Keep account of the segments that the merged node's parts gave up, and of those it gives up itself."""
        gone = [segment for part in (pair.older, pair.newer) for segment in self.dropped_segments.pop(part.id, [])]
        if gone or dropped:
            self.dropped_segments[node.id] = [*gone, *dropped]


def all_members(nodes: Iterable[MemoryNode]) -> list[str]:
    """Original ids behind the nodes, in order."""
    return [member for node in nodes for member in node.members]
