"""Memories as bytes and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memforest.core.types import Clock, Memory, MemoryNode, Segment, SourceLevel
from memforest.store.memory_format import dump_memories, load_memories

# Line and paragraph separators (Zl, Zp) and U+0085 have a test of their own; surrogates (Cs) are no text.
letters = st.characters(exclude_categories=["Cs", "Zl", "Zp"], exclude_characters="\x85")
text = st.text(letters, max_size=12)
ids = st.text(letters, min_size=1, max_size=6)
time = st.none() | st.floats(allow_nan=False, allow_infinity=False)
segments = st.lists(st.builds(Segment, text, st.lists(ids, max_size=2).map(tuple), time), max_size=3).map(tuple)
metadata = st.dictionaries(ids, st.none() | st.booleans() | st.integers() | text, max_size=2)

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Any memory of up to five nodes."""
    dimension = draw(st.integers(1, 4))
    names = draw(st.lists(ids, max_size=5, unique=True))
    number = st.floats(-1, 1, width=32)
    nodes = tuple(
        MemoryNode(
            id=name,
            segments=draw(segments),
            vector=np.array(draw(st.lists(number, min_size=dimension, max_size=dimension)), dtype=np.float32),
            time=draw(time),
            members=tuple(draw(st.lists(ids, max_size=3))),
            kind=draw(ids),
            truncated=draw(st.booleans()),
            metadata=draw(metadata),
        )
        for name in names
    )
    level: SourceLevel = draw(st.sampled_from(["turn", "session", "own"]))
    clock: Clock = draw(st.sampled_from(["calendar", "video"]))
    return Memory(id=draw(ids), nodes=nodes, source_level=level, clock=clock)


def of_one_dimension(made: list[Memory]) -> list[Memory]:
    """Memories of one unit share an embedder, and so a length of vectors."""
    lengths = [memory.nodes[0].vector.shape for memory in made if memory.nodes]
    return [memory for memory in made if not memory.nodes or memory.nodes[0].vector.shape == lengths[0]]


@quick
@given(st.lists(memories(), min_size=1, max_size=3).map(of_one_dimension))
def test_memories_come_back_as_they_were(made: list[Memory]) -> None:
    back = load_memories(dump_memories(made))
    assert [(m.id, m.source_level, m.clock, len(m)) for m in back] == [
        (m.id, m.source_level, m.clock, len(m)) for m in made
    ]
    for old, new in zip((n for m in made for n in m.nodes), (n for m in back for n in m.nodes), strict=True):
        assert (new.id, new.segments, new.time, new.members) == (old.id, old.segments, old.time, old.members)
        assert (new.kind, new.truncated, dict(new.metadata)) == (old.kind, old.truncated, dict(old.metadata))
        assert new.vector.tobytes() == old.vector.tobytes()


@quick
@given(st.lists(memories(), min_size=1, max_size=2).map(of_one_dimension))
def test_equal_memories_give_equal_bytes(made: list[Memory]) -> None:
    files = dump_memories(made)
    assert dump_memories(load_memories(files)) == files


def test_an_empty_memory_keeps_its_name() -> None:
    assert [(m.id, len(m)) for m in load_memories(dump_memories([Memory(id="m", nodes=())]))] == [("m", 0)]


def test_no_memories_come_back_as_none() -> None:
    assert load_memories(dump_memories([])) == []


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_a_text_with_an_unusual_line_end_comes_back(separator: str) -> None:
    node = MemoryNode("n", (Segment(f"one{separator}two", ("n",)),), np.ones(1, np.float32), None, ("n",))
    (back,) = load_memories(dump_memories([Memory(id="m", nodes=(node,))]))
    assert back.nodes[0].text == f"one{separator}two"


def test_a_time_keeps_every_bit() -> None:
    node = MemoryNode("n", (), np.ones(1, np.float32), math.nextafter(1.7e9, 2e9), ("n",))
    (back,) = load_memories(dump_memories([Memory(id="m", nodes=(node,))]))
    assert back.nodes[0].time == node.time
