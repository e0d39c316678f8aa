"""The things that flow through the pipeline. All are immutable; arrays are read-only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from memforest.core.errors import DataError
from memforest.core.vectors import Grid, Matrix, Vector, on_grid

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Clock = Literal["calendar", "video"]
"""What a time counts: seconds since 1970-01-01 UTC, or seconds since the start of a video."""

SourceLevel = Literal["turn", "session", "own"]
"""What the sources of a memory's segments name: turns, sessions, or a user's own ids."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `caption` describes an image that was shared with it."""

    id: str
    session_id: str
    speaker: str
    text: str
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Turns of one sitting; `time` in seconds on the unit's clock."""

    id: str
    number: int
    time: float | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """An annotated fact about a speaker with the ids of the turns it was read from."""

    text: str
    speaker: str
    session_id: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """What owns one memory: a history and its assets. `index` is its position in the data file.

    `cluster` names what units have in common whose questions are not independent (the same person); intervals are
    clustered by it, and by the unit where it is None.
    """

    id: str
    index: int
    speakers: tuple[str, ...]
    sessions: tuple[Session, ...]
    observations: tuple[Observation, ...] = ()
    clock: Clock = "calendar"
    cluster: str | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in order of time."""
        return tuple(turn for session in self.sessions for turn in session.turns)


@dataclass(frozen=True, slots=True)
class Question:
    """The public part of a test item: all that a method may see. `time` is when it is asked.

    `options` are the texts of a multiple choice without their letters; the letter is the place: a, b, c, d.
    """

    id: str
    unit_id: str
    text: str
    time: float | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gold:
    """The private part of a test item. No backbone, compressor, retriever or answerer takes one.

    `evidence` holds turn ids after normalisation, each once; `evidence_sessions` session ids, where a benchmark names
    sessions (else they are those of the turns). What of both names no turn or session is in `unresolved` too.
    `letter` is that of the correct option, whose text is `answer`; `ungradable` says why no letter can grade the
    question.
    """

    question_id: str
    category: str
    answerable: bool
    answer: str | None
    adversarial_answer: str | None
    evidence: tuple[str, ...]
    unresolved: tuple[str, ...] = ()
    evidence_sessions: tuple[str, ...] = ()
    letter: str | None = None
    ungradable: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text, the ids it rests on, and its time; merging moves segments, it never relabels them."""

    text: str
    sources: tuple[str, ...]
    time: float | None = None


@dataclass(frozen=True, eq=False)
class MemoryNode:
    """One entry of a memory.

    `vector` is a read-only unit vector; `members` are the ids of all original nodes that this one stands for (its
    own for an unmerged node); `truncated` says that the embedder read only the beginning of the text.
    """

    id: str
    segments: tuple[Segment, ...]
    vector: Vector
    time: float | None
    members: tuple[str, ...]
    kind: str = "memory"
    truncated: bool = False
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vector.setflags(write=False)
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    @cached_property
    def text(self) -> str:
        """The node's text: its segments in order."""
        return " ".join(segment.text for segment in self.segments)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Ids that the surviving text rests on, each once, in order."""
        return tuple(dict.fromkeys(source for segment in self.segments for source in segment.sources))

    @cached_property
    def words(self) -> int:
        """Whitespace-separated words of the text."""
        return len(self.text.split())


@dataclass(frozen=True, eq=False)
class Memory:
    """One store's nodes in insertion order, and their matrix.

    Raises DataError when ids repeat, vectors differ in length, or a vector is not finite.
    """

    id: str
    nodes: tuple[MemoryNode, ...]
    source_level: SourceLevel = "own"
    clock: Clock = "calendar"

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for node in self.nodes:
            if node.id in seen:
                raise DataError(f"memory {self.id}: the id {node.id!r} occurs twice; ids must be unique")
            seen.add(node.id)
            if node.vector.shape != self.nodes[0].vector.shape:
                raise DataError(
                    f"memory {self.id}: node {node.id!r} has a vector of shape {node.vector.shape}, "
                    f"{self.nodes[0].id!r} one of {self.nodes[0].vector.shape}; embed all with one model"
                )
            if not np.isfinite(node.vector).all():
                raise DataError(f"memory {self.id}: the vector of node {node.id!r} holds NaN or infinity; re-embed it")

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def matrix(self) -> Matrix:
        """Vectors in rows, float32, shape [nodes, dimension]; [0, 0] for an empty memory."""
        if not self.nodes:
            return np.zeros((0, 0), dtype=np.float32)
        matrix = np.stack([node.vector for node in self.nodes])
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def grid(self) -> Grid:
        """`matrix` on the exact grid, float64, for `core.vectors.similarity`."""
        grid = on_grid(self.matrix)
        grid.setflags(write=False)
        return grid


@dataclass(frozen=True, eq=False)
class Query:
    """What a retriever is asked: text, its vector, and the time of asking."""

    text: str
    vector: Vector
    time: float | None = None


@dataclass(frozen=True, eq=False)
class Hits:
    """A full ranking of one memory: `order[r]` is the node at rank r with `scores[r]`; the first `k` are the hits.

    Scores never increase along the ranking, so that rankings of several memories can be merged by score.
    """

    memory: Memory
    order: tuple[int, ...]
    scores: tuple[float, ...]
    k: int

    @property
    def nodes(self) -> tuple[MemoryNode, ...]:
        """The k hits, best first."""
        return tuple(self.memory.nodes[i] for i in self.order[: self.k])


@dataclass(frozen=True)
class Pair:
    """Two nodes to merge; `older` comes first in time, then in insertion order. `clock` is that of their times."""

    older: MemoryNode
    newer: MemoryNode
    clock: Clock = field(default="calendar", kw_only=True)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Segments of both nodes in time order; equal and absent times keep the older node's first."""
        # `core.order` imports this module.
        from memforest.core.order import in_order_of_time

        return in_order_of_time((*self.older.segments, *self.newer.segments))


def target_count(*, count: int, ratio: float) -> int:
    """Nodes that remain when the share `ratio` of `count` is removed: M = max(1, round((1 - ratio) N)); 0 of 0."""
    if not 0 <= ratio < 1 or math.isnan(ratio):
        raise DataError(f"ratio is the share of nodes removed and must be in [0, 1), got {ratio}")
    return max(1, round((1 - ratio) * count)) if count else 0
