"""Typed outcomes: a failure is never an answer and never a zero (DESIGN rule 3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from memforest.core.types import MemoryNode, Segment


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer was given. `reply` is all that the model wrote, where the answer is only a part of it; `left_out`
    counts the hits that the model was not shown, for want of room, and `left_out_words` their words."""

    text: str
    reply: str | None = None
    left_out: int = 0
    left_out_words: int = 0


@dataclass(frozen=True, slots=True)
class Abstained:
    """The answerer said that the memory does not hold the answer; `left_out` and its words as in Answered."""

    text: str
    left_out: int = 0
    left_out_words: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer: `stage` names the step that failed, `error` the reason; `detail` is for people."""

    stage: str
    error: str
    detail: str = ""


Answer = Answered | Abstained | Failed


@dataclass(frozen=True, slots=True)
class Correct:
    """The judge accepted the answer; `votes` are its single verdicts where it gave several."""

    votes: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Incorrect:
    """The judge rejected the answer; `votes` are its single verdicts where it gave several."""

    votes: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Unscored:
    """No verdict, and why. `retry` says that a failed call is the reason, which the next run makes again."""

    reason: str
    retry: bool = False


Verdict = Correct | Incorrect | Unscored


@dataclass(frozen=True, slots=True)
class MergedSegments:
    """What a merger made of a pair: the surviving segments, and those it gave up."""

    segments: tuple[Segment, ...]
    dropped: tuple[Segment, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class MergeFailed:
    """A pair that could not be merged; both nodes are kept.

    `retry`: whether a call failed (a timeout, an empty reply, ...) rather than the merge: a result with such failures
    is not finished, and the same command tries them again.
    """

    reason: str
    retry: bool = False


MergeResult = MergedSegments | MergeFailed
"""What a merger returns for one pair."""

MergeOutcome = MemoryNode | MergeFailed
"""What a compressor is told about one pair: the merged node, or why there is none."""
