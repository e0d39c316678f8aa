"""Small nodes, memories and units for tests. No text of any benchmark stands here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from memforest.core.types import (
    Clock,
    Json,
    Memory,
    MemoryNode,
    Observation,
    Pair,
    Segment,
    Session,
    SourceLevel,
    Turn,
    Unit,
)
from memforest.core.vectors import Matrix, Vector, normalised

DAY = 86400.0
START = 1_700_000_000.0
WORDS = ("lantern", "harbour", "violin", "orchard", "copper", "meadow", "glacier", "walnut", "ferry", "saddle")


def unit_vectors(count: int, *, dimension: int = 8, seed: int = 0) -> Matrix:
    """Random vectors of length 1, shape [count, dimension]."""
    return normalised(np.random.default_rng(seed).normal(size=(count, dimension)))


def axis(place: int, *, dimension: int = 4) -> Vector:
    """The unit vector along one axis."""
    vector = np.zeros(dimension, dtype=np.float32)
    vector[place] = 1
    return vector


def node(
    id: str,
    text: str = "some words",
    *,
    vector: Sequence[float] | Vector | None = None,
    time: float | None = None,
    sources: Iterable[str] | None = None,
    members: Iterable[str] | None = None,
    segments: tuple[Segment, ...] | None = None,
    metadata: dict[str, Json] | None = None,
) -> MemoryNode:
    """A node of one segment; `sources` and `members` are its own id unless given, `vector` an axis of four."""
    return MemoryNode(
        id=id,
        segments=segments or (Segment(text, tuple(sources if sources is not None else (id,)), time),),
        vector=np.array(axis(0) if vector is None else vector, dtype=np.float32),
        time=time,
        members=tuple(members if members is not None else (id,)),
        metadata=metadata or {},
    )


def memory(
    content: int | Sequence[MemoryNode] = 10,
    *,
    seed: int = 0,
    dimension: int = 8,
    id: str = "m",
    session_size: int = 3,
    source_level: SourceLevel = "own",
    clock: Clock = "calendar",
) -> Memory:
    """A memory of the given nodes, or of so many random ones: `session_size` of them share a time, a day apart."""
    nodes = random_nodes(content, seed, dimension, session_size) if isinstance(content, int) else tuple(content)
    return Memory(id=id, nodes=nodes, source_level=source_level, clock=clock)


def random_nodes(count: int, seed: int, dimension: int, session_size: int) -> tuple[MemoryNode, ...]:
    """Nodes n0, n1, ... with random words, unit vectors and times."""
    random = np.random.default_rng([seed, count])
    vectors = normalised(random.normal(size=(count, dimension)))
    return tuple(
        node(
            f"n{place}",
            f"{' '.join(random.choice(WORDS, size=random.integers(3, 9)))} {place}",
            vector=vectors[place],
            time=START + DAY * (place // session_size),
        )
        for place in range(count)
    )


def pair(older: MemoryNode, newer: MemoryNode) -> Pair:
    """Two nodes to merge."""
    return Pair(older=older, newer=newer)


def unit(
    sessions: Sequence[Session] | None = None,
    *,
    id: str = "u",
    index: int = 0,
    speakers: tuple[str, ...] = ("Ada", "Ben"),
    observations: Sequence[Observation] = (),
) -> Unit:
    """A unit; two sessions of two turns unless given."""
    made = (session(1), session(2)) if sessions is None else tuple(sessions)
    return Unit(id=id, index=index, speakers=speakers, sessions=made, observations=tuple(observations))


def session(number: int, texts: Sequence[str] = ("first line", "second line"), *, time: float | None = None) -> Session:
    """Turns D<number>:1, D<number>:2, ... by Ada and Ben in turn, `number` days after the start unless timed."""
    name = f"D{number}"
    turns = tuple(
        Turn(id=f"{name}:{place}", session_id=name, speaker=("Ada", "Ben")[(place - 1) % 2], text=text)
        for place, text in enumerate(texts, 1)
    )
    return Session(id=name, number=number, time=START + DAY * number if time is None else time, turns=turns)


def locomo_unit(
    *, sample_id: str = "u1", sessions: int = 2, turns: int = 2, qa: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """One conversation in LoCoMo's file schema, with one observation a session and one question of category 4."""
    conversation: dict[str, Any] = {"speaker_a": "Ada", "speaker_b": "Ben"}
    for number in range(1, sessions + 1):
        conversation[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        conversation[f"session_{number}"] = [
            {"speaker": ("Ada", "Ben")[(place - 1) % 2], "dia_id": f"D{number}:{place}", "text": f"line {place}"}
            for place in range(1, turns + 1)
        ]
    return {
        "sample_id": sample_id,
        "conversation": conversation,
        "observation": {
            f"session_{number}_observation": {"Ada": [[f"Ada said something in {number}.", f"D{number}:1"]]}
            for number in range(1, sessions + 1)
        },
        "qa": list(qa) if qa is not None else [question_row()],
    }


def question_row(**changes: Any) -> dict[str, Any]:
    """A row of LoCoMo's `qa`; a change to `...` removes the key."""
    row = {"question": "What was said?", "answer": "a line", "evidence": ["D1:1"], "category": 4} | changes
    return {key: value for key, value in row.items() if value is not ...}
