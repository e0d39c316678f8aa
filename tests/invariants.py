"""What holds of a memory with a graph whatever a compressor did to it, checked the slow way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from memforest.core.characters import characters_of
from memforest.core.graph import MemoryGraph, tags
from memforest.core.types import Memory, MemoryNode, clip_of


def assert_consistent(before: Memory, after: Memory) -> None:
    """Raises AssertionError where `after` is no compressed form of `before`, a memory of unmerged nodes."""
    owner = {member: node for node in after.nodes for member in node.members}
    assert len(owner) == sum(len(node.members) for node in after.nodes), "a node stands in two"
    assert owner.keys() <= {node.id for node in before.nodes}, "a member comes from nowhere"
    _assert_untouched(graph_of(before), graph_of(after))
    _assert_edges(before, after, owner)
    _assert_clips(before, after)
    _assert_tags(before, after)
    for clip in {found for node in before.nodes if (found := clip_of(node)) is not None}:
        _assert_early(after, clip)


def graph_of(memory: Memory) -> MemoryGraph:
    """A memory's graph."""
    assert memory.graph is not None
    return memory.graph


def event_sequence(memory: Memory) -> Mapping[int, list[str]]:
    """Ids of episodic nodes by clip, in order; clips without any are absent."""
    found: dict[int, list[str]] = defaultdict(list)
    for node in memory.nodes:
        clip = clip_of(node)
        if node.kind == "episodic" and clip is not None:
            found[clip].append(node.id)
    return dict(found)


def _assert_untouched(before: MemoryGraph, after: MemoryGraph) -> None:
    """Entities, equivalences and characters are those that they were."""
    assert after.entities == before.entities
    assert after.equivalences == before.equivalences
    assert characters_of(after) == characters_of(before)


def _assert_edges(before: Memory, after: Memory, owner: Mapping[str, MemoryNode]) -> None:
    """Every edge is the sum of those that it stands for, and stands for some; none is lost between what is left."""
    graph = graph_of(after)
    fixed = {*(entity.id for entity in graph.entities), *(node.id for node in graph.equivalences)}
    expected: dict[frozenset[str], float] = defaultdict(float)
    for first, second, weight in graph_of(before).edges:
        ends = [id if id in fixed else owner[id].id for id in (first, second) if id in fixed or id in owner]
        if len(set(ends)) == 2:
            expected[frozenset(ends)] += weight
    assert {frozenset(edge[:2]): edge[2] for edge in graph.edges} == expected
    assert len(graph.edges) == len(expected), "an edge stands twice"
    linked = {id: sum(graph_of(before).of(node).values()) for node in before.nodes for id in node.members}
    for node in after.nodes:
        assert sum(graph.of(node).values()) == sum(linked[member] for member in node.members)


def _assert_clips(before: Memory, after: Memory) -> None:
    """A node has the latest clip of its members, if all have one; what came in order of clips is still in order."""
    clip = {node.id: clip_of(node) for node in before.nodes}
    for node in after.nodes:
        known = [found for member in node.members if (found := clip[member]) is not None]
        assert clip_of(node) == (max(known) if len(known) == len(node.members) else None)
    if _in_order(before):
        assert _in_order(after)
        events = [id for clip in sorted(event_sequence(after)) for id in event_sequence(after)[clip]]
        assert events == [node.id for node in after.nodes if node.kind == "episodic"]


def _in_order(memory: Memory) -> bool:
    clips = [clip_of(node) for node in memory.nodes]
    return all(first is not None and second is not None and first <= second for first, second in pairwise(clips))


def _assert_tags(before: Memory, after: Memory) -> None:
    """A text names what its members' texts name, neither less nor more."""
    named = {node.id: tags(node.text) for node in before.nodes}
    for node in after.nodes:
        assert tags(node.text) == frozenset().union(*(named[member] for member in node.members))


def _assert_early(after: Memory, clip: int) -> None:
    """What is known at a clip holds nothing later, and no edge to anything that is not known."""
    early = after.until(clip)
    graph = graph_of(early)
    there = {node.id for node in (*early.nodes, *graph.equivalences)} | {entity.id for entity in graph.entities}
    assert all((found := clip_of(node)) is not None and found <= clip for node in early.nodes)
    assert {id for edge in graph.edges for id in edge[:2]} <= there
