"""What of a video's beginning can still be found after compression, against a slow version."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.compressors.within_kinds import WithinKinds
from memforest.core.protocols import Compressor
from memforest.core.types import CLIP_SECONDS, Memory, clip_of
from memforest.metrics.early import EarlyKnowledge
from memforest.pipeline.compression import compress_memories
from tests.contracts.support import EMBEDDER, component
from tests.graphs import busy_memory, graph_memory


def compressed(option: str, of: Memory) -> Memory:
    compressor: Compressor = WithinKinds(component("compressor", option))
    (done,) = compress_memories(
        [of],
        compressor=compressor,
        merger=component("merger", "concat"),
        reembedding=component("reembedding", "mean"),
        embedder=EMBEDDER,
        ratio=0.7,
        seed=0,
    )
    return done.memory


def slowly(original: Memory, smaller: Memory, clip: int) -> dict[str, int]:
    """By what is in both memories when the clip has ended."""
    known = [node.id for node in original.until(clip).nodes]
    shown = {member for node in smaller.until(clip).nodes for member in node.members}
    kept = {member for node in smaller.nodes for member in node.members}
    return {
        "known": len(known),
        "hidden": sum(id in kept and id not in shown for id in known),
        "dropped": sum(id not in kept for id in known),
    }


@pytest.mark.parametrize("option", ["none", "tome", "random_pruning", "memforest_balanced_pruned"])
@pytest.mark.parametrize("of", [graph_memory(40), busy_memory(90, clipless=True), graph_memory(0)])
def test_it_counts_what_is_known_and_cannot_be_found(option: str, of: Memory) -> None:
    smaller = compressed(option, of)
    early = EarlyKnowledge([of, of], [smaller, of])
    for clip in range(-1, 15):
        once, whole = slowly(of, smaller, clip), slowly(of, of, clip)
        assert early.at(clip) == {name: once[name] + whole[name] for name in once}
        assert (whole["hidden"], whole["dropped"]) == (0, 0)


def test_a_node_is_hidden_until_the_latest_of_its_company_is_known() -> None:
    of = graph_memory(12)
    first, last = of.nodes[0], of.nodes[-1]
    merged = replace(last, id="merged", members=(first.id, last.id), time=3 * CLIP_SECONDS)
    smaller = of.with_nodes([*of.nodes[2:-1], merged])
    early = EarlyKnowledge([of], [smaller])
    assert clip_of(merged) == 3
    assert early.at(-1) == {"known": 0, "hidden": 0, "dropped": 0}
    assert early.at(0) == {"known": 3, "hidden": 1, "dropped": 1}
    assert early.at(2) == {"known": 9, "hidden": 1, "dropped": 1}
    assert early.at(3) == {"known": 12, "hidden": 0, "dropped": 1}


def test_what_is_merged_with_a_node_without_a_clip_is_hidden_for_good() -> None:
    of = graph_memory(6)
    of = of.with_nodes([*of.nodes[:-1], replace(of.nodes[-1], time=None)])
    merged = replace(of.nodes[0], id="merged", members=(of.nodes[0].id, of.nodes[-1].id), time=None)
    smaller = of.with_nodes([merged, *of.nodes[1:-1]])
    assert EarlyKnowledge([of], [smaller]).at(9) == {"known": 5, "hidden": 1, "dropped": 0} == slowly(of, smaller, 9)
