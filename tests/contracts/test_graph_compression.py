"""What every compressor must leave of a video's memory with a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from memforest.compressors.within_kinds import WithinKinds
from memforest.config.folder import options
from memforest.config.spec import KINDS
from memforest.core.protocols import Compressor
from memforest.core.types import Memory, Segment, target_count
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.pipeline.replay import replay
from memforest.store.memory_format import dump_memories, load_memories
from tests.contracts.support import EMBEDDER, OWN_TARGET, RATIOS, choice, component, goal, marked
from tests.graphs import FACE, busy_memory, carrying, graph_memory, text_node
from tests.invariants import assert_consistent, event_sequence, graph_of

MEMORIES: Mapping[str, Memory] = {
    "two characters": graph_memory(12),
    "no texts": graph_memory(0),
    "one text": graph_memory(1),
    "no entities": carrying([text_node(10 + place, f"thing {place}", clip=place // 5) for place in range(20)]),
    "no clips": carrying([text_node(10 + place, "<face_0>", clip=None) for place in range(8)], entities=[FACE]),
    "busy": busy_memory(120),
    "busy, some without a clip": busy_memory(120, clipless=True),
}
every_compressor = pytest.mark.parametrize("option", marked("compressor", options("compressor")))
every_memory = pytest.mark.parametrize("name", MEMORIES)


def merges(option: str) -> bool:
    return "merger" in choice("compressor", option).uses


def compressed(option: str, of: Memory, *, ratio: float, within: bool, merger: str = "concat") -> CompressedMemory:
    """As a run compresses it: methods that merge keep to kinds unless they are told not to."""
    compressor: Compressor = component("compressor", option)
    (done,) = compress_memories(
        [of],
        compressor=WithinKinds(compressor) if merges(option) and within else compressor,
        merger=component("merger", merger),
        reembedding=component("reembedding", "mean"),
        embedder=EMBEDDER,
        ratio=ratio,
        seed=0,
    )
    return done


@every_memory
@every_compressor
def test_a_graph_stays_consistent(option: str, name: str) -> None:
    of = MEMORIES[name]
    for ratio, within in product((0.3, 0.7, 0.99), (True, False) if merges(option) else (True,)):
        for merger in ("concat", "extractive") if merges(option) else ("concat",):
            done = compressed(option, of, ratio=ratio, within=within, merger=merger)
            assert_consistent(of, done.memory)


@every_memory
@every_compressor
def test_exactly_m_nodes_remain_and_of_more_kinds_than_m_one_each(option: str, name: str) -> None:
    of = MEMORIES[name]
    kinds = len({node.kind for node in of.nodes})
    for ratio in RATIOS:
        done = compressed(option, of, ratio=ratio, within=True)
        asked = target_count(count=len(of), ratio=ratio)
        if merges(option) and kinds > asked and option not in OWN_TARGET:
            assert (len(done.memory), done.report["target"], done.report["method_target"]) == (kinds, asked, kinds)
        else:
            assert len(done.memory) == goal(option, done.report, count=len(of), ratio=ratio)


@every_memory
@pytest.mark.parametrize("option", marked("compressor", [name for name in options("compressor") if merges(name)]))
def test_kinds_stay_apart(option: str, name: str) -> None:
    of = MEMORIES[name]
    kind = {node.id: node.kind for node in of.nodes}
    for ratio in RATIOS:
        for node in compressed(option, of, ratio=ratio, within=True).memory.nodes:
            assert {kind[member] for member in node.members} == {node.kind}


@every_compressor
def test_a_compressed_memory_is_stored_and_replayed_with_its_graph(option: str) -> None:
    of = MEMORIES["busy"]
    done = compressed(option, of, ratio=0.7, within=True)
    (stored,) = load_memories(dump_memories([done.memory]))
    assert graph_of(stored).edges == graph_of(done.memory).edges
    again = replay(of, done.log)
    assert dump_memories([again]) == dump_memories([done.memory])
    assert_consistent(of, again)


@pytest.mark.parametrize("backbone", options("backbone"))
def test_a_backbone_with_a_graph_says_that_its_nodes_are_of_several_kinds(backbone: str) -> None:
    provides = choice("backbone", backbone).provides
    assert "graph" not in provides or KINDS in provides


def test_the_busy_memory_has_all_that_can_go_wrong() -> None:
    of = MEMORIES["busy, some without a clip"]
    graph = graph_of(of)
    isolated = [node for node in of.nodes if not graph.of(node)]
    texts = {node.id for node in of.nodes}
    assert {node.kind for node in of.nodes} == {"episodic", "semantic"}
    assert len(isolated) > 20
    assert len(texts) - len(isolated) > 20
    assert any(node.time is None for node in of.nodes)
    assert any(not node.vector.any() for node in of.nodes)
    assert any({first, second} <= texts for first, second, _ in graph.edges)
    assert len(graph.equivalences) > 2
    assert max(map(len, event_sequence(of).values())) > 5


def replaced(of: Memory, **changes: Any) -> Memory:
    return replace(of, graph=replace(graph_of(of), **changes))


def renamed(of: Memory, **changes: Any) -> Memory:
    """Another first node."""
    return replace(of, nodes=(replace(of.nodes[0], **changes), *of.nodes[1:]))


BROKEN: Mapping[str, Callable[[Memory], Memory]] = {
    "an edge is lost": lambda of: replaced(of, edges=graph_of(of).edges[1:]),
    "an edge weighs more": lambda of: replaced(of, edges=((*graph_of(of).edges[0][:2], 99.0), *graph_of(of).edges[1:])),
    "an edge to itself": lambda of: replaced(of, edges=(*graph_of(of).edges, ("0", "0", 1.0))),
    "an edge to nobody": lambda of: replaced(of, edges=(*graph_of(of).edges, ("0", "nobody", 1.0))),
    "an entity is lost": lambda of: replaced(of, entities=graph_of(of).entities[1:]),
    "an equivalence is lost": lambda of: replaced(of, equivalences=graph_of(of).equivalences[1:]),
    "another clip": lambda of: renamed(of, time=9000.0),
    "a member from nowhere": lambda of: renamed(of, members=("nobody",)),
    "a member twice": lambda of: renamed(of, members=of.nodes[1].members),
    "a tag is lost": lambda of: renamed(of, segments=(Segment("somebody waits", ()),)),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_checker_notices_when(fault: str) -> None:
    of = MEMORIES["two characters"]
    smaller = of.with_nodes(of.nodes[::2])
    assert_consistent(of, smaller)
    with pytest.raises(AssertionError):
        assert_consistent(of, BROKEN[fault](smaller))
