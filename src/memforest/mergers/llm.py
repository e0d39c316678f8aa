"""A language model writes the merged text: the merger of the EventTree paper (its prompt's purpose, in our words)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memforest.core.chat import Chat, ChatFailed
from memforest.core.checks import require, require_count_or_null
from memforest.core.graph import tags
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.prompts import load_prompt
from memforest.core.protocols import Encode
from memforest.core.times import written_time
from memforest.core.types import MemoryNode, Pair, Segment

TAG_DROPPED = "tag dropped"
"""The reason of a failure that no client knows: a mark of an entity in an input is missing from the reply."""

_LABEL = re.compile(
    r"(?:here(?: is|'s|’s) )?(?:the )?(?:(?:new|merged|combined) )?(?:entry|memory|summary|text|paragraph) ?:",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:(?:i['’]m|i am) (?:very )?sorry|sorry|i apologi[sz]e|as an ai)\b[^.]*\b(?:can['’]t|cannot|unable|won['’]t)\b"
    r"|i (?:can['’]t|cannot|won['’]t|am unable to|am not able to)"
    r" (?:assist|help|comply|merge|do that|process|fulfil|provide|create|write)\b",
    re.IGNORECASE,
)


class ModelMerger:
    """Asks a model for one paragraph that replaces both texts.

    The paragraph rests on all of what both nodes rest on: which part of it comes from which source only the model
    could tell, so its `sources` are the union, and nothing is listed as dropped although a model does leave things
    out. What evidence recall says of such a node is an upper bound.
    """

    def __init__(self, *, chat: Chat, max_words: int | None, failures_in_a_row: int) -> None:
        require_count_or_null("merger.max_words", max_words)
        require(failures_in_a_row >= 1, f"merger.failures_in_a_row must be at least 1, got {failures_in_a_row}")
        self._chat = chat
        self._max_words = max_words
        self._failures_in_a_row = failures_in_a_row

    @property
    def concurrency(self) -> int:
        """As many calls as the model takes at once."""
        return self._chat.concurrency

    @property
    def failures_in_a_row(self) -> int:
        """The setting."""
        return self._failures_in_a_row

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """One pair after the other, for callers that do not wait for several at once."""
        return [self.merge_one(pair=pair) for pair in pairs]

    def merge_one(self, *, pair: Pair) -> MergeResult:
        """One segment with the model's text, the sources of both nodes, and the newer time.

        Without a call, both nodes' segments where one of them has no words. A failure is a failed call, a reply that
        lacks a tag of an input (TAG_DROPPED), a refusal, or a label without a text. A reply that is longer than asked
        for is taken.
        """
        if not pair.older.words or not pair.newer.words:
            return MergedSegments(segments=pair.segments)
        outcome = self._chat.ask(
            request=load_prompt("mergers", "llm").request(data=_texts(pair), plain=self._plain(pair))
        )
        if isinstance(outcome, ChatFailed):
            return MergeFailed(outcome.reason, retry=True)
        text = _without_label(outcome.text)
        problem = _problem(text, pair)
        # A client keeps a complete reply, so asking again would bring the same one: only failed calls are retried.
        return MergeFailed(problem) if problem else MergedSegments(segments=(_segment(text, pair),))

    def _plain(self, pair: Pair) -> dict[str, str]:
        joint = pair.older.words + pair.newer.words
        words = joint if self._max_words is None else min(joint, self._max_words)
        return {"older_time": _clause(pair.older, pair), "newer_time": _clause(pair.newer, pair), "words": str(words)}


def _texts(pair: Pair) -> dict[str, str]:
    return {"older": pair.older.text, "newer": pair.newer.text}


def _clause(node: MemoryNode, pair: Pair) -> str:
    """The node's time as part of a heading; nothing where it has none."""
    time = written_time(node.time, clock=pair.clock)
    return "" if time is None else f" ({time})"


def _without_label(reply: str) -> str:
    """The reply without a title such as `Merged entry:`; a speaker's name before a colon is none."""
    text = reply.strip()
    label = _LABEL.match(text)
    return text[label.end() :].strip() if label else text


def _problem(text: str, pair: Pair) -> str | None:
    """Why a reply is no merged text, as far as that is certain."""
    given = " ".join(_texts(pair).values())
    refusal = _REFUSAL.match(text)
    if not text:
        return "reply malformed"
    if refusal and refusal[0].lower() not in given.lower():
        return "reply refused"
    return TAG_DROPPED if tags(given) - tags(text) else None


def _segment(text: str, pair: Pair) -> Segment:
    sources = dict.fromkeys((*pair.older.sources, *pair.newer.sources))
    time = pair.older.time if pair.newer.time is None else pair.newer.time
    return Segment(text=text, sources=tuple(sources), time=time)
