"""A memory's graph: it follows its nodes through merging, pruning and the end of a clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memforest.core.graph import MemoryGraph, tagged, tags
from memforest.core.types import Hits, Memory, clip_of
from memforest.store.memory_format import dump_memories, load_memories
from tests.graphs import FACE, OTHER, VOICE, carrying, graph_memory, text_node


def graph_of(memory: Memory) -> MemoryGraph:
    assert memory.graph is not None
    return memory.graph


def weights(memory: Memory) -> dict[frozenset[str], float]:
    return {frozenset(edge[:2]): edge[2] for edge in graph_of(memory).edges}


def test_edges_of_merged_nodes_are_summed_and_those_between_them_vanish() -> None:
    first, second, third = (text_node(number, "text", clip=0) for number in (10, 11, 12))
    memory = carrying(
        [first, second, third],
        entities=[FACE, VOICE],
        edges=[("0", "10", 1.0), ("0", "11", 2.0), ("1", "11", 1.0), ("10", "11", 4.0), ("10", "12", 3.0)],
    )
    merged = replace(second, id="merged", members=("10", "11"))
    smaller = memory.with_nodes([merged, third])
    assert weights(smaller) == {
        frozenset({"0", "merged"}): 3.0,
        frozenset({"1", "merged"}): 1.0,
        frozenset({"12", "merged"}): 3.0,
    }
    again = smaller.with_nodes([replace(merged, id="all", members=("10", "11", "12"))])
    assert weights(again) == {frozenset({"0", "all"}): 3.0, frozenset({"1", "all"}): 1.0}


def test_edges_of_pruned_nodes_vanish_and_entities_and_equivalences_stay() -> None:
    memory = graph_memory(6)
    smaller = memory.with_nodes(memory.nodes[1:2])
    assert weights(smaller) == {frozenset({"1", "11"}): 2.0}
    assert graph_of(smaller).entities == graph_of(memory).entities
    assert graph_of(smaller).equivalences == graph_of(memory).equivalences


def test_what_was_known_when_a_clip_had_ended_holds_nothing_later() -> None:
    memory = graph_memory(12)
    early = memory.until(1)
    assert [clip_of(node) for node in early.nodes] == [0, 0, 0, 1, 1, 1]
    assert [node.id for node in graph_of(early).equivalences] == ["90"]
    assert early.matrix.tobytes() == memory.matrix[:6].tobytes()
    assert len(memory.until(-1)) == 0
    assert memory.until(3) is memory, "nothing is later than the last clip"


def test_entities_that_come_up_later_are_not_known_yet() -> None:
    nodes = [text_node(10, "<face_0> waits", clip=0), text_node(11, "<voice_2> speaks", clip=1)]
    edges = [("0", "10", 1.0), ("2", "11", 1.0)]
    memory = carrying(nodes, entities=[FACE, OTHER], edges=edges)
    assert graph_of(memory.until(0)).entities == (FACE,)


def test_a_node_without_a_clip_is_in_no_early_memory() -> None:
    memory = carrying([text_node(10, "text", clip=None), text_node(11, "text", clip=0)])
    assert [node.id for node in memory.until(5).nodes] == ["11"]


def test_the_entities_of_a_node_are_those_that_it_is_linked_to() -> None:
    memory = graph_memory(4)
    assert graph_of(memory).of(memory.nodes[3]) == {"0": 2.0}
    assert graph_of(carrying([text_node(10, "text", clip=0)])).of(text_node(10, "text", clip=0)) == {}
    assert [VOICE.tag, tagged("<face_3> and <voice_12>, <face_3>")] == ["voice_1", ["3", "12"]]
    assert tags("<face_3> and <voice_12>, <face_3>") == {"<face_3>", "<voice_12>"}


@pytest.mark.parametrize("memory", [graph_memory(), graph_memory(0), graph_memory(12).with_nodes([])])
def test_a_stored_memory_has_its_graph_again(memory: Memory) -> None:
    plain = replace(graph_memory(2), graph=None, id="plain")
    found, other = load_memories(dump_memories([memory, plain]))
    assert other.graph is None
    assert graph_of(found).entities == graph_of(memory).entities
    assert graph_of(found).edges == graph_of(memory).edges
    for mine, theirs in zip(graph_of(found).equivalences, graph_of(memory).equivalences, strict=True):
        assert (mine.id, mine.segments, mine.time) == (theirs.id, theirs.segments, theirs.time)
        assert np.array_equal(mine.vector, theirs.vector)
    assert np.array_equal(found.matrix, memory.matrix)


def test_a_ranking_goes_on_behind_what_was_shown() -> None:
    memory = graph_memory(4)
    hits = Hits(memory=memory, order=(2, 0, 3, 1), scores=(0.9, 0.8, 0.7, 0.6), k=2)
    rest = hits.without({"12", "13"})
    assert [node.id for node in rest.nodes] == ["10", "11"]
    assert (rest.scores, rest.k) == ((0.8, 0.6), 2)
    assert hits.without({"10", "11", "12", "13"}).nodes == ()
