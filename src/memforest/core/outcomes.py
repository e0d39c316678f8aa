"""Typed outcomes: a failure is never an answer and never a zero (DESIGN rule 3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from memforest.core.types import MemoryNode, Segment

ShownNode = tuple[str, str]
"""What a model was shown: the ids of a memory and of a node in it."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """`shown` are the nodes that the model was shown, in order; None: all hits of all searches. It is no part of what
    was said, so it does not tell outcomes apart."""

    shown: tuple[ShownNode, ...] | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Answered(_Outcome):
    """An answer was given. `reply` is all that the model wrote, where the answer is only a part of it; `left_out`
    counts the hits that the model was not shown, for want of room."""

    text: str
    reply: str | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Abstained(_Outcome):
    """The answerer said that the memory does not hold the answer, or, without a text, was asked to answer and did not;
    `left_out` as in Answered."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Unanswered(_Outcome):
    """The answerer only searches: nothing failed, nothing was said, and there is nothing to judge."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed(_Outcome):
    """No answer: `stage` names the step that failed, `error` the reason; `detail` is for people."""

    stage: str
    error: str
    detail: str = ""


Answer = Answered | Abstained | Unanswered | Failed


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
