"""The things that flow through the pipeline. All are immutable; arrays are read-only."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from memforest.core.errors import DataError
from memforest.core.vectors import Grid, Matrix, Vector, on_grid
from memforest.core.video import VideoGraph

if TYPE_CHECKING:
    from memforest.core.graph import MemoryGraph

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Clock = Literal["calendar", "video"]
"""What a time counts: seconds since 1970-01-01 UTC, or seconds since the start of a video."""

CLIP_SECONDS = 30.0
"""Length of a clip of a video, the unit of its clock that benchmarks and papers use."""

SourceLevel = Literal["turn", "session", "node", "own"]
"""What the sources of a memory's segments name: turns, sessions, nodes of the unit's graph, or a user's own ids."""


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
    clustered by it, and by the unit where it is None. `graph` is that of a video, where the dataset brings it along.
    """

    id: str
    index: int
    speakers: tuple[str, ...]
    sessions: tuple[Session, ...]
    observations: tuple[Observation, ...] = ()
    clock: Clock = "calendar"
    cluster: str | None = None
    graph: VideoGraph | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in order of time."""
        return tuple(turn for session in self.sessions for turn in session.turns)


@dataclass(frozen=True, slots=True)
class Question:
    """The public part of a test item: all that a method may see. `time` is when it is asked.

    `options` are the texts of a multiple choice without their letters; the letter is the place: a, b, c, d.
    `before_clip` is the last clip of a video that had ended when the question was asked; -1 when none had.
    """

    id: str
    unit_id: str
    text: str
    time: float | None = None
    options: tuple[str, ...] = ()
    before_clip: int | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """The private part of a test item. No backbone, compressor, retriever or answerer takes one.

    A question counts in its `category` and in `more_categories`, which benchmarks with several types per question have.
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
    more_categories: tuple[str, ...] = ()

    @property
    def categories(self) -> tuple[str, ...]:
        """All categories in which the question counts."""
        return (self.category, *self.more_categories)


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
    """One store's nodes in insertion order, their matrix, and sometimes a graph around them.

    Raises DataError when ids repeat, vectors differ in length, or a vector is not finite.
    """

    id: str
    nodes: tuple[MemoryNode, ...]
    source_level: SourceLevel = "own"
    clock: Clock = "calendar"
    graph: MemoryGraph | None = None

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

    def with_nodes(self, nodes: Sequence[MemoryNode]) -> Memory:
        """The memory with `nodes` in place of its own, each of which stands for some of them; its graph follows."""
        graph = self.graph
        if graph is not None:
            successor = {member: node.id for node in nodes for member in node.members}
            graph = graph.contracted(
                {node.id: successor[node.members[0]] for node in self.nodes if node.members[0] in successor}
            )
        return replace(self, nodes=tuple(nodes), graph=graph)

    def until(self, clip: int) -> Memory:
        """What was in a video's memory when `clip` had ended; a node without a time cannot be shown to be that early.

        The memory itself, where that is all of it.
        """
        graph = self.graph
        nodes = [node for node in self.nodes if _ended(node, clip)]
        told = () if graph is None else tuple(node for node in graph.equivalences if _ended(node, clip))
        if len(nodes) == len(self) and (graph is None or len(told) == len(graph.equivalences)):
            return self
        early = self.with_nodes(nodes)
        return early if early.graph is None else replace(early, graph=early.graph.telling(told))


def clip_of(node: MemoryNode) -> int | None:
    """The clip of a video in which a node's time lies; None without a time."""
    return None if node.time is None else math.floor(node.time / CLIP_SECONDS)


def _ended(node: MemoryNode, clip: int) -> bool:
    found = clip_of(node)
    return found is not None and found <= clip


@dataclass(frozen=True, eq=False)
class Query:
    """What a retriever is asked: text, its vector, and the time of asking; of a video, the last clip that had ended.

    A retriever is given no node after `before_clip`, so it need not look at it. `variants` are the vectors of the texts
    that an index wants in place of `text` (`core.protocols.ExpandingIndex`), shape [variants, dimension]; None where it
    wants no others.
    """

    text: str
    vector: Vector
    time: float | None = None
    before_clip: int | None = None
    variants: Matrix | None = None


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

    def without(self, shown: Container[str]) -> Hits:
        """The ranking that is left when the nodes with the ids `shown` were shown before; as many hits as then fit."""
        left = [rank for rank, place in enumerate(self.order) if self.memory.nodes[place].id not in shown]
        return replace(
            self,
            order=tuple(self.order[rank] for rank in left),
            scores=tuple(self.scores[rank] for rank in left),
        )


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
