"""The executor's own work at 100,000 nodes: a method decides, and merging costs next to nothing."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest

from memforest.core.outcomes import MergeOutcome
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, MemoryNode, Pair, Segment
from memforest.core.vectors import normalised
from memforest.mergers.concat import Concat
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.reembedding.mean import MeanReembedding
from tests.unit.pipeline.scripted import Script, Scripted
from tests.unit.reembedding.test_reembedding import Unasked


def large(count: int, *, dimension: int) -> Memory:
    """Random unit vectors and a few words each."""
    vectors = normalised(np.random.default_rng(0).standard_normal((count, dimension), dtype=np.float32))
    return Memory(
        id="large",
        nodes=tuple(
            MemoryNode(
                id=f"node-{place}",
                segments=(Segment(f"some words about {place}", (f"D{place}",), float(place)),),
                vector=vector,
                time=float(place),
                members=(f"node-{place}",),
            )
            for place, vector in enumerate(vectors)
        ),
    )


def halving(*, chain: int, wave: int) -> Script:
    """Half of the nodes remain: `chain` nodes are swallowed by the first, one a wave, others merge by two, `wave` at
    once."""

    def script(of: Memory) -> Waves:
        merges = len(of) - len(of) // 2
        head: MergeOutcome = of.nodes[0]
        for newer in of.nodes[1 : chain + 1]:
            assert isinstance(head, MemoryNode)
            (head,) = yield (Pair(head, newer),)
        rest, made = of.nodes[chain + 1 :], [head]
        for start in range(0, merges - chain, wave):
            end = min(start + wave, merges - chain)
            made += yield tuple(Pair(*rest[2 * number : 2 * number + 2]) for number in range(start, end))
        merged = tuple(node for node in made if isinstance(node, MemoryNode))
        return Reduction(nodes=(*merged, *rest[2 * (merges - chain) :]))

    return script


def halved(of: Memory, script: Script) -> tuple[CompressedMemory, float]:
    """The result and the processor seconds that it took."""
    start = time.process_time()
    (done,) = compress_memories(
        [of],
        compressor=Scripted(script),
        merger=Concat(),
        reembedding=MeanReembedding(),
        embedder=Unasked(),
        ratio=0.5,
        seed=0,
    )
    return done, time.process_time() - start


def test_a_merge_into_a_node_that_swallowed_thousands_costs_less_than_a_millisecond() -> None:
    _, seconds = halved(large(8000, dimension=4), halving(chain=4000, wave=500))
    assert seconds < 4


@pytest.mark.slow
@pytest.mark.parametrize(("chain", "wave"), [(1, 5000), (20_000, 5000)])
def test_fifty_thousand_merges_take_seconds_and_little_memory(chain: int, wave: int) -> None:
    done, seconds = halved(large(100_000, dimension=384), halving(chain=chain, wave=wave))
    assert done.report["merges"] == 50_000
    assert max(len(node.members) for node in done.memory.nodes) == chain + 1
    assert seconds < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 3 * 1024**2
