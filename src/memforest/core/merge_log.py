"""What a compression did to a memory, merge by merge: enough to do it again without merger and embedder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memforest.core.outcomes import MergedSegments
from memforest.core.types import Pair, Segment
from memforest.core.vectors import Vector

Ref = str | int
"""A node by its history: the id of an original node, or the number of the merge that made it, counted from 0."""

Piece = Segment | int
"""A segment, or its place among the segments of both nodes in time order."""


@dataclass(frozen=True, eq=False, slots=True)
class LoggedMerge:
    """A merge that succeeded. `wave` counts the waves of its memory; `kept` is None for all segments of both nodes in
    time order."""

    older: Ref
    newer: Ref
    wave: int
    kept: tuple[Piece, ...] | None
    dropped: tuple[Piece, ...]
    vector: Vector
    truncated: bool

    def result(self, pair: Pair) -> MergedSegments:
        """What the merger made of the pair."""
        if self.kept is None:
            return MergedSegments(pair.segments, _segments(self.dropped, pair))
        return MergedSegments(_segments(self.kept, pair), _segments(self.dropped, pair))

    @property
    def wrote(self) -> bool:
        """Whether a text stands there that neither node had."""
        return any(isinstance(piece, Segment) for piece in self.kept or ())

    def made_the_same(self, other: LoggedMerge) -> bool:
        """Whether both merges ended in the same segments and vector, given that they began with the same nodes."""
        return (self.kept, self.dropped, self.truncated) == (other.kept, other.dropped, other.truncated) and (
            self.vector.tobytes() == other.vector.tobytes()
        )


@dataclass(frozen=True, slots=True)
class LoggedFailure:
    """A merge that failed, why, and whether the same command tries it again; both nodes stayed."""

    older: Ref
    newer: Ref
    wave: int
    reason: str
    retry: bool = False


@dataclass(frozen=True, eq=False)
class MergeLog:
    """All merges of one memory in the order of their success; `pruned` are nodes that the method gave up.

    The log depends on the memory, the method and the merger, never on what was compressed beside it.
    """

    memory: str
    merges: tuple[LoggedMerge, ...]
    failures: tuple[LoggedFailure, ...]
    pruned: tuple[Ref, ...]


def pieces(segments: Sequence[Segment], pair: Pair) -> tuple[Piece, ...]:
    """Segments by their places among those of the pair; what is not there, such as a model's new text, stays whole."""
    if not segments:
        return ()
    places: dict[Segment, list[int]] = {}
    for place in reversed(range(len(pair.segments))):
        places.setdefault(pair.segments[place], []).append(place)
    return tuple(_piece(segment, places) for segment in segments)


def kept_pieces(segments: tuple[Segment, ...], pair: Pair) -> tuple[Piece, ...] | None:
    """`pieces`, or None where all are kept in time order."""
    everything = len(segments) == len(pair.older.segments) + len(pair.newer.segments) and segments == pair.segments
    return None if everything else pieces(segments, pair)


def _piece(segment: Segment, places: Mapping[Segment, list[int]]) -> Piece:
    """The first place of a segment that is not taken."""
    free = places.get(segment)
    return free.pop() if free else segment


def _segments(kept: Sequence[Piece], pair: Pair) -> tuple[Segment, ...]:
    return tuple(pair.segments[piece] if isinstance(piece, int) else piece for piece in kept)
