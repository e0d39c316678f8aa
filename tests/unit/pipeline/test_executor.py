"""The executor of compressors: what it refuses, and how it makes merged nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from memforest.core.errors import MethodError
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.protocols import Compressor, Encode, Merger, Reduction, Reembedding, Waves
from memforest.core.types import Memory, MemoryNode, Pair, Segment
from memforest.embedding.hashing import Hashing
from memforest.mergers.concat import Concat
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.pipeline.merged_nodes import merged_id
from memforest.reembedding.text import TextReembedding
from tests.builders import axis, memory, node
from tests.unit.pipeline.scripted import Script, Scripted, merging

EMBEDDER = Hashing(buckets=4)


def returning(choose: Callable[[Memory], Sequence[MemoryNode]], target: int | None = None) -> Script:
    """A script that merges nothing."""

    def script(of: Memory) -> Waves:
        yield from ()
        return Reduction(nodes=tuple(choose(of)), target=target)

    return script


def run(
    script: Script,
    of: Memory,
    *,
    ratio: float = 0.5,
    merger: Merger | None = None,
    reembedding: Reembedding | None = None,
) -> CompressedMemory:
    compressor: Compressor = Scripted(script)
    (done,) = compress_memories(
        [of],
        compressor=compressor,
        merger=merger or Concat(),
        reembedding=reembedding or TextReembedding(),
        embedder=EMBEDDER,
        ratio=ratio,
        seed=0,
    )
    return done


def one_wave(*pairs: tuple[int, int]) -> Script:
    """A script that asks for pairs in one wave, and gives up."""

    def script(of: Memory) -> Waves:
        yield tuple(Pair(of.nodes[first], of.nodes[second]) for first, second in pairs)
        return Reduction(nodes=of.nodes[:2])

    return script


def _forged(of: Memory) -> Sequence[MemoryNode]:
    return replace(of.nodes[0], segments=(Segment("a forged memory", ("elsewhere",)),)), of.nodes[1]


def _stranger(of: Memory) -> Waves:
    yield (Pair(of.nodes[0], node("stranger", vector=of.nodes[0].vector)),)
    return Reduction(nodes=of.nodes[:2])


def _stale(of: Memory) -> Waves:
    yield (Pair(of.nodes[0], of.nodes[1]),)
    return Reduction(nodes=of.nodes[:2])


MISDEEDS: dict[str, tuple[Script, str]] = {
    "fewer than M": (returning(lambda of: of.nodes[:1]), "left 1 nodes where 2"),
    "none at all": (returning(lambda of: ()), "left 0 nodes where 2"),
    "more than M without a failed merge": (returning(lambda of: of.nodes[:3]), "left 3 nodes where 2"),
    "fewer than its own target": (returning(lambda of: of.nodes[:2], target=3), "left 2 nodes where 3"),
    "one node twice": (returning(lambda of: (of.nodes[0], of.nodes[0])), "each once"),
    "a member twice": (
        returning(lambda of: (of.nodes[0], node("x", members=("n0", "n1"), vector=of.nodes[0].vector))),
        "was not given",
    ),
    "a member that does not exist": (
        returning(lambda of: (of.nodes[0], node("x", vector=of.nodes[0].vector))),
        "was not given",
    ),
    "one node in two pairs": (one_wave((0, 1), (1, 2)), "one node twice"),
    "a node with itself": (one_wave((0, 0)), "one node twice"),
    "a text of its own": (returning(_forged), "was not given"),
    "another order": (returning(lambda of: of.nodes[:2][::-1]), "not in insertion order"),
    "a stranger to merge": (_stranger, "not, or no longer, in the memory"),
    "nodes that were merged away": (_stale, "was not given"),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_compressor_that_breaks_its_protocol_is_stopped(misdeed: str) -> None:
    script, message = MISDEEDS[misdeed]
    with pytest.raises(MethodError, match=message) as error:
        run(script, memory(4, id="store"))
    assert "store" in str(error.value)


def test_the_same_script_within_its_protocol_passes() -> None:
    assert [item.id for item in run(returning(lambda of: of.nodes[:2]), memory(4)).memory.nodes] == ["n0", "n1"]


class Miscounting:
    """A merger that forgets a pair."""

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """One result too few."""
        return Concat().merge(pairs=pairs[1:], encode=encode)


def test_a_merger_that_forgets_a_pair_is_stopped() -> None:
    with pytest.raises(MethodError):
        run(merging((0, 1)), memory(3), merger=Miscounting())


NODES = [
    replace(node("a", "alpha", vector=axis(0), time=2.0, metadata={"speaker": "Ada", "x": 1}), kind="turn"),
    replace(node("b", "beta", vector=axis(1), time=1.0, metadata={"speaker": "Ada", "x": 2}), kind="fact"),
    replace(node("c", "gamma", vector=axis(2), time=None, metadata={"speaker": "Ada"}), kind="fact"),
    replace(node("d", "delta", vector=axis(3), time=1.5, metadata={}), kind="turn"),
]


@pytest.mark.parametrize(
    ("places", "time", "kind", "text", "metadata"),
    [
        ((0, 1), 2.0, "turn", "beta alpha", {"speaker": "Ada"}),
        ((1, 2), 1.0, "fact", "beta gamma", {"speaker": "Ada"}),
        ((1, 3), 1.5, "turn", "beta delta", {}),
    ],
)
def test_a_merged_node_takes_the_later_time_and_the_newer_kind(
    places: tuple[int, int], time: float, kind: str, text: str, metadata: dict[str, object]
) -> None:
    (made,) = (item for item in run(merging(places), memory(NODES), ratio=0.25).memory.nodes if len(item.members) > 1)
    assert (made.time, made.kind, made.text, made.metadata) == (time, kind, text, metadata)
    assert np.array_equal(made.vector, EMBEDDER.embed(texts=[text]).vectors[0])


@pytest.mark.parametrize(("places", "time"), [((0, 1), 2.0), ((1, 2), None), ((2, 3), None)])
def test_in_a_video_what_is_merged_with_a_node_without_a_time_has_none(
    places: tuple[int, int], time: float | None
) -> None:
    of = replace(memory(NODES), clock="video")
    (made,) = (item for item in run(merging(places), of, ratio=0.25).memory.nodes if len(item.members) > 1)
    assert made.time == time
    assert (made in of.with_nodes([made]).until(0).nodes) == (time is not None)


def test_two_nodes_without_a_time_stay_without_one() -> None:
    (made,) = run(merging((0, 1)), memory([node("a"), node("b")])).memory.nodes
    assert made.time is None


@pytest.mark.parametrize("order", [[(0, 1), (1, 2)], [(1, 2), (0, 2)], [(0, 2), (1, 2)]])
def test_id_and_members_do_not_depend_on_the_order_of_merging(order: list[tuple[int, int]]) -> None:
    of = memory([node("z", vector=axis(0)), node("y", vector=axis(1)), node("x", vector=axis(2))])
    (made,) = run(merging(*order), of, ratio=0.7).memory.nodes
    assert made.members == ("z", "y", "x")
    assert made.id == merged_id(["x", "y", "z"])


def test_ids_of_different_sets_differ() -> None:
    ids = [merged_id(members) for members in (["a", "b"], ["a", "c"], ["ab"], ["a", "b", "c"], ["b", "c"])]
    assert len(set(ids)) == len(ids)


def test_ids_that_hold_newlines_do_not_collide() -> None:
    assert merged_id(["a\nb", "c"]) != merged_id(["a", "b\nc"])


def test_members_of_a_memory_that_was_compressed_before_are_kept() -> None:
    of = memory([node("m1", members=("a", "b")), node("m2", members=("c", "d"), vector=axis(1)), node("e")])
    done = run(merging((0, 1)), of, ratio=0.3)
    assert [item.members for item in done.memory.nodes] == [("a", "b", "c", "d"), ("e",)]
    assert done.report["dropped_nodes"] == []


class Trimming:
    """A merger that keeps the newer part only."""

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Drops the older segments."""
        return [MergedSegments(segments=pair.newer.segments, dropped=pair.older.segments) for pair in pairs]


def test_dropped_segments_are_listed_under_the_node_that_survives() -> None:
    of = memory([node("a", "alpha"), node("b", "beta"), node("c", "gamma")])
    done = run(merging((0, 1), (1, 2)), of, ratio=0.7, merger=Trimming())
    (made,) = done.memory.nodes
    assert made.sources == ("c",)
    assert done.report["dropped_segments"] == {
        made.id: [{"text": "alpha", "sources": ("a",)}, {"text": "beta", "sources": ("b",)}]
    }


class Failing:
    """A merger that never merges."""

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Failures only."""
        return [MergeFailed("timeout") for _ in pairs]


def _gives_up(of: Memory) -> Waves:
    outcomes = yield (Pair(of.nodes[0], of.nodes[1]), Pair(of.nodes[2], of.nodes[3]))
    assert all(isinstance(outcome, MergeFailed) for outcome in outcomes)
    return Reduction(nodes=of.nodes)


def test_failed_merges_explain_a_shortfall() -> None:
    done = run(_gives_up, memory(4), merger=Failing())
    assert (done.report["failed_merges"], done.report["shortfall"], done.report["merges"]) == ({"timeout": 2}, 2, 0)


def test_the_merges_of_a_wave_come_to_the_merger_together_over_all_memories() -> None:
    batches: list[int] = []

    class Counting(Concat):
        def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
            batches.append(len(pairs))
            return super().merge(pairs=pairs, encode=encode)

    steps: list[int] = []
    compress_memories(
        [memory(4, dimension=4, id=name) for name in "abc"],
        compressor=Scripted(merging((0, 1), (1, 2))),
        merger=Counting(),
        reembedding=TextReembedding(),
        embedder=EMBEDDER,
        ratio=0.5,
        seed=0,
        progress=steps.append,
    )
    assert batches == steps == [3, 3]
