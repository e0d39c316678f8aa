"""Merging within kinds: as if each kind were a memory of its own, with one count M over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.balanced.method import Balanced
from memforest.compressors.quotas import largest_remainder
from memforest.compressors.random_merging import RandomMerging
from memforest.compressors.tome import ToMe
from memforest.compressors.within_kinds import WithinKinds
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.protocols import Compressor, Encode, Merger
from memforest.core.types import Memory, MemoryNode, Pair, target_count
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.pipeline.known_merges import KnownMerges
from memforest.pipeline.replay import replay
from memforest.store.memory_format import dump_memories
from memforest.store.merge_format import dump_logs, load_logs
from tests.builders import memory
from tests.contracts.support import EMBEDDER, component
from tests.unit.compressors.grids import drive, eventtree, groups, memories

RATIOS = (0.0, 0.3, 0.5, 0.7, 0.9, 0.99)
METHODS: Mapping[str, Compressor] = {
    "memforest": eventtree(),
    "memforest_released_m3": eventtree(preset="memforest_released_m3"),
    "tome": ToMe(),
    "memforest_balanced": Balanced(size_penalty=0.12, round_share=0.5, drop=0.0),
    "random_merging": RandomMerging(),
}
every_method = pytest.mark.parametrize("method", METHODS)


@st.composite
def memories_of_kinds(draw: st.DrawFn) -> Memory:
    """A memory of grid vectors whose nodes are of up to three kinds."""
    of = draw(memories(largest=14))
    kinds = draw(st.lists(st.sampled_from(["episodic", "semantic", "other"]), min_size=len(of), max_size=len(of)))
    return replace(of, nodes=tuple(replace(node, kind=kind) for node, kind in zip(of.nodes, kinds, strict=True)))


def of_kinds(count: int = 40) -> Memory:
    """Every third node is semantic."""
    of = memory(count)
    kinds = ["semantic" if place % 3 == 2 else "episodic" for place in range(count)]
    return replace(of, nodes=tuple(replace(node, kind=kind) for node, kind in zip(of.nodes, kinds, strict=True)))


def apart(of: Memory) -> dict[str, Memory]:
    """A memory for each kind."""
    kinds = dict.fromkeys(node.kind for node in of.nodes)
    return {
        kind: replace(of, id=f"{of.id}/{kind}", nodes=tuple(node for node in of.nodes if node.kind == kind))
        for kind in kinds
    }


def last_member(of: Memory, node: MemoryNode) -> int:
    """The place of the newest member: where a merged node stands."""
    when = {original.id: (original.time or 0.0, place) for place, original in enumerate(of.nodes)}
    return max(when[member] for member in node.members)[1]


@pytest.mark.parametrize("method", ["memforest", "tome", "memforest_balanced", "random_merging"])
@settings(max_examples=40, deadline=None)
@given(memories_of_kinds(), st.sampled_from(RATIOS))
def test_it_is_each_kind_compressed_on_its_own(method: str, of: Memory, ratio: float) -> None:
    found, _ = drive(WithinKinds(METHODS[method]), of, ratio=ratio)
    parts = apart(of)
    if len(parts) == 1:
        alone, _ = drive(METHODS[method], of, ratio=ratio)
        assert (groups(found.nodes), found.target) == (groups(alone.nodes), alone.target)
        return
    quotas = largest_remainder([len(part) for part in parts.values()], target_count(count=len(of), ratio=ratio))
    expected: list[frozenset[str]] = []
    for part, quota in zip(parts.values(), quotas, strict=True):
        reduction, _ = drive(METHODS[method], part, ratio=1 - quota / len(part))
        assert len(reduction.nodes) == quota
        expected += groups(reduction.nodes)
    assert sorted(map(sorted, expected)) == sorted(map(sorted, groups(found.nodes)))
    assert found.target == len(found.nodes) == max(len(parts), target_count(count=len(of), ratio=ratio))


@every_method
@settings(max_examples=30, deadline=None)
@given(memories_of_kinds(), st.sampled_from(RATIOS))
def test_no_pair_is_of_two_kinds(method: str, of: Memory, ratio: float) -> None:
    kind = {node.id: node.kind for node in of.nodes}
    _, asked = drive(WithinKinds(METHODS[method]), of, ratio=ratio)
    for pair in asked:
        assert len({kind[member] for side in (pair.older, pair.newer) for member in side.members}) == 1


class Merging:
    """Keeps all segments; refuses pairs whose texts come to a number of characters that can be divided by 3."""

    def __init__(self, *, refuses: bool) -> None:
        self._refuses = refuses
        self.asked = 0

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """A failure or all segments."""
        self.asked += len(pairs)
        return [
            MergeFailed("refused")
            if self._refuses and not len(pair.older.text + pair.newer.text) % 3
            else MergedSegments(pair.segments)
            for pair in pairs
        ]


def compressed(
    of: Memory, method: str, *, ratio: float, merger: Merger, known: tuple[CompressedMemory, ...] = ()
) -> CompressedMemory:
    (done,) = compress_memories(
        [of],
        compressor=WithinKinds(METHODS[method]),
        merger=merger,
        reembedding=component("reembedding", "mean"),
        embedder=EMBEDDER,
        ratio=ratio,
        seed=0,
        known=[KnownMerges(log for one in known for log in load_logs(dump_logs([one.log])))],
    )
    return done


@every_method
@pytest.mark.parametrize("refuses", [False, True])
def test_nodes_are_of_their_members_kind_and_in_order(method: str, refuses: bool) -> None:
    of = of_kinds()
    kind = {node.id: node.kind for node in of.nodes}
    for ratio in RATIOS:
        done = compressed(of, method, ratio=ratio, merger=Merging(refuses=refuses))
        assert all({kind[member] for member in node.members} == {node.kind} for node in done.memory.nodes)
        places = [last_member(of, node) for node in done.memory.nodes]
        assert places == sorted(places)
        assert sum(len(node.members) for node in done.memory.nodes) == len(of)
        assert refuses or done.report["shortfall"] == 0


@every_method
def test_a_log_replays_and_other_ratios_change_nothing(method: str) -> None:
    of = of_kinds()
    first = compressed(of, method, ratio=0.7, merger=Merging(refuses=True))
    assert dump_memories([replay(of, first.log)]) == dump_memories([first.memory])
    alone = compressed(of, method, ratio=0.5, merger=Merging(refuses=True))
    again = compressed(of, method, ratio=0.5, merger=Merging(refuses=True), known=(first,))
    assert dump_memories([again.memory]) == dump_memories([alone.memory])
    assert dump_logs([again.log]) == dump_logs([alone.log])
    counted = Merging(refuses=True)
    repeated = compressed(of, method, ratio=0.7, merger=counted, known=(first,))
    assert (counted.asked, repeated.replayed) == (len(first.log.failures), len(first.log.merges))


def test_a_wave_holds_pairs_of_every_kind() -> None:
    waves = WithinKinds(eventtree(alpha=0.1)).compress(memory=of_kinds(), ratio=0.5, seed=0)
    assert {pair.older.kind for pair in next(waves)} == {"episodic", "semantic"}


def test_it_can_be_stopped_between_waves() -> None:
    waves = WithinKinds(ToMe()).compress(memory=of_kinds(), ratio=0.5, seed=0)
    next(waves)
    waves.close()
    with pytest.raises(StopIteration):
        next(waves)


def test_kinds_draw_different_numbers() -> None:
    of = memory(20)
    nodes = [replace(node, kind=kind, id=f"{kind}{node.id}") for kind in ("a", "b") for node in of.nodes]
    twice = replace(of, nodes=tuple(replace(node, members=(node.id,)) for node in nodes))
    found, _ = drive(WithinKinds(RandomMerging()), twice, ratio=0.5)
    first, second = (
        {
            frozenset(member.removeprefix(kind) for member in node.members)
            for node in found.nodes
            if kind in node.members[0]
        }
        for kind in ("an", "bn")
    )
    assert first != second


def test_what_each_kind_reports_stands_under_its_name() -> None:
    found, _ = drive(WithinKinds(ToMe()), of_kinds(), ratio=0.5)
    assert found.details == {"episodic": {"rounds": 1}, "semantic": {"rounds": 2}}
