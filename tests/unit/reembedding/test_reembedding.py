"""Each way to give a merged node its vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import ConfigError
from memforest.core.outcomes import MergeFailed
from memforest.core.protocols import Carried, Embedder, Embedding, Merge, MergedVector, Reduction, Reembedding, Waves
from memforest.core.types import Memory, MemoryNode
from memforest.core.vectors import Vector, normalised, on_grid
from memforest.embedding.hashing import Hashing
from memforest.mergers.concat import Concat
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.reembedding.directions import OPPOSITE
from memforest.reembedding.interpolate import InterpolateReembedding
from memforest.reembedding.mean import MeanReembedding
from memforest.reembedding.text import TextReembedding
from tests.builders import axis, memory, node, pair, unit_vectors
from tests.unit.pipeline.scripted import Script, Scripted, merging

EMBEDDER = Hashing(buckets=4)


class Unasked:
    """An embedder that must not be asked."""

    identity = "unasked"
    dimension = 4

    def embed(self, *, texts: object) -> Embedding:
        """Never."""
        raise AssertionError("no text is embedded")


def vector_of(
    reembedding: Reembedding, older: MemoryNode, newer: MemoryNode, *, embedder: Embedder | None = None
) -> MergedVector | MergeFailed:
    """The vector of two original nodes that merge."""
    both = pair(older, newer)
    carried = reembedding.carried(pair=both, older=None, newer=None)
    merge = Merge(pair=both, segments=both.segments, carried=carried)
    (made,) = reembedding.embed(merges=[merge], embedder=embedder or Unasked())
    return made


def direction(made: MergedVector | MergeFailed) -> Vector:
    assert isinstance(made, MergedVector)
    return made.vector


def compressed(of: Memory, reembedding: Reembedding, script: Script, *, ratio: float = 0.999) -> CompressedMemory:
    """The memory after a script, with a merger that keeps everything."""
    (done,) = compress_memories(
        [of],
        compressor=Scripted(script),
        merger=Concat(),
        reembedding=reembedding,
        embedder=Unasked(),
        ratio=ratio,
        seed=0,
    )
    return done


def test_text_embeds_the_merged_text_and_says_what_was_not_read() -> None:
    class Short(Hashing):
        def embed(self, *, texts: object) -> Embedding:
            made = super().embed(texts=texts)  # type: ignore[arg-type]
            return Embedding(made.vectors, np.ones(len(made.vectors), dtype=bool))

    made = vector_of(TextReembedding(), node("a", "alpha"), node("b", "beta"), embedder=Short(buckets=4))
    assert np.array_equal(direction(made), EMBEDDER.embed(texts=["alpha beta"]).vectors[0])
    assert isinstance(made, MergedVector) and made.truncated is True


@pytest.mark.parametrize("weight", [0.5, 0.3, 0.9])
def test_interpolate_is_equation_11_with_the_older_node_as_i(weight: float) -> None:
    older, newer = unit_vectors(2)
    made = vector_of(InterpolateReembedding(weight=weight), node("a", vector=older), node("b", vector=newer))
    between = weight * older.astype(np.float64) + (1 - weight) * newer
    assert direction(made) == pytest.approx(between / np.linalg.norm(between), abs=1e-6)


def test_a_heavier_weight_keeps_the_older_node_nearer() -> None:
    made = vector_of(InterpolateReembedding(weight=0.9), node("a", vector=axis(0)), node("b", vector=axis(1)))
    assert direction(made)[0] > direction(made)[1] > 0


@pytest.mark.parametrize("weight", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_weight_outside_the_open_interval_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match=r"reembedding\.weight"):
        InterpolateReembedding(weight=weight)


@given(st.integers(0, 1000), st.integers(2, 6).flatmap(lambda count: st.permutations(range(count))))
def test_a_mean_is_that_of_all_members_in_whatever_order_they_merge(seed: int, order: list[int]) -> None:
    of = memory(len(order), seed=seed, dimension=5)
    (made,) = compressed(of, MeanReembedding(), merging(*_chain(order))).memory.nodes
    assert made.vector.tobytes() == normalised(on_grid(of.matrix).sum(axis=0) / len(order)).tobytes()


def _chain(order: Sequence[int]) -> list[tuple[int, int]]:
    """Places that merge so that nodes join in this order; the merged node stands at the higher place."""
    head, steps = order[0], []
    for place in order[1:]:
        steps.append((head, place))
        head = max(head, place)
    return steps


def test_a_mean_counts_an_original_node_once_for_each_of_its_members() -> None:
    made = vector_of(MeanReembedding(), node("m", members=("a", "b", "c"), vector=axis(0)), node("d", vector=axis(1)))
    assert direction(made) == pytest.approx([3 / 10**0.5, 1 / 10**0.5, 0, 0])


def test_a_long_chain_of_means_stays_exact() -> None:
    of = memory(400, dimension=3)
    (made,) = compressed(of, MeanReembedding(), merging(*_chain(range(400)))).memory.nodes
    assert made.vector.tobytes() == normalised(on_grid(of.matrix).sum(axis=0) / 400).tobytes()


NEARLY = normalised(np.array([3, 4, 1, 2], dtype=np.float64))


@pytest.mark.parametrize("reembedding", [MeanReembedding(), InterpolateReembedding(weight=0.5)])
@pytest.mark.parametrize("vector", [axis(0), NEARLY])
def test_opposite_vectors_cannot_merge(reembedding: Reembedding, vector: Vector) -> None:
    opposite = np.nextafter(-vector, np.float32(1), dtype=np.float32)
    for other in (-vector, opposite):
        assert vector_of(reembedding, node("a", vector=vector), node("b", vector=other)) == OPPOSITE


def test_opposite_vectors_of_unequal_weight_can() -> None:
    made = vector_of(InterpolateReembedding(weight=0.6), node("a", vector=axis(0)), node("b", vector=-axis(0)))
    assert direction(made) == pytest.approx([1, 0, 0, 0])


@pytest.mark.parametrize("reembedding", [MeanReembedding(), InterpolateReembedding(weight=0.5)])
def test_texts_without_a_direction_merge_into_one_without(reembedding: Reembedding) -> None:
    nothing = np.zeros(4, dtype=np.float32)
    assert not direction(vector_of(reembedding, node("a", vector=nothing), node("b", vector=nothing))).any()
    made = vector_of(reembedding, node("a", vector=nothing), node("b", vector=axis(2)))
    assert np.array_equal(direction(made), axis(2))


def opposites(of: Memory) -> Waves:
    """Asks for the first two nodes."""
    (outcome,) = yield (pair(of.nodes[0], of.nodes[1]),)
    assert outcome == OPPOSITE
    return Reduction(nodes=of.nodes)


def test_an_opposite_pair_is_reported_as_a_failed_merge_and_both_nodes_stay() -> None:
    of = memory([node("a", vector=axis(0)), node("b", vector=-axis(0)), node("c", vector=axis(1))])
    done = compressed(of, MeanReembedding(), opposites, ratio=0.5)
    assert done.report["failed_merges"] == {"opposite vectors": 1}
    assert [item.id for item in done.memory.nodes] == ["a", "b", "c"]


@pytest.mark.parametrize("reembedding", [TextReembedding(), InterpolateReembedding(weight=0.5)])
def test_only_a_mean_carries_anything(reembedding: Reembedding) -> None:
    carried: Carried = reembedding.carried(pair=pair(node("a"), node("b")), older=None, newer=None)
    assert carried is None
