"""Recall of evidence and of answer words in what was retrieved. None means that the question has no such value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memforest.core.times import long_date
from memforest.core.types import Clock, Gold, MemoryNode

STOPWORDS = frozenset(["the", "a", "an", "of", "and", "to", "in", "on", "for", "is", "was", "her", "his"])
_TOKEN = re.compile(r"[a-z0-9]+")
_TURN_ID = re.compile(r"(D\d+):\d+")


def evidence_recall(gold: Gold, sources: Iterable[str]) -> float | None:
    """Share of the evidence turns among `sources`; None without evidence or for an unanswerable question.

    Ids that name no turn stay in the denominator.
    """
    if not gold.answerable or not gold.evidence:
        return None
    found = set(sources).intersection(gold.evidence)
    return len(found) / len(gold.evidence)


def session_evidence_recall(gold: Gold, sources: Iterable[str]) -> float | None:
    """Share of the evidence sessions among the sessions of `sources` (turn or session ids).

    The evidence sessions are those that the benchmark names, else those of the evidence turns. Each id that names no
    turn or session counts as one more session, which cannot be found.
    """
    named = gold.evidence_sessions or gold.evidence
    if not gold.answerable or not named:
        return None
    missing = set(named).intersection(gold.unresolved)
    wanted = {session_of(evidence) for evidence in named if evidence not in missing}
    found = wanted.intersection(session_of(source) for source in sources)
    return len(found) / (len(wanted) + len(missing))


def session_of(source: str) -> str:
    """The session of a turn id; a session id is its own."""
    match = _TURN_ID.fullmatch(source)
    return match[1] if match else source


def answer_tokens(answer: str | None) -> list[str]:
    """Lower-case words and numbers of a gold answer without stopwords; repeats count."""
    return [token for token in _TOKEN.findall((answer or "").lower()) if token not in STOPWORDS]


def answer_token_recall(gold: Gold, visible: frozenset[str]) -> float | None:
    """Share of the answer's tokens in `visible`; None for an unanswerable question or an answer without tokens."""
    tokens = answer_tokens(gold.answer) if gold.answerable else []
    if not tokens:
        return None
    return sum(token in visible for token in tokens) / len(tokens)


def visible_tokens(node: MemoryNode, *, clock: Clock) -> frozenset[str]:
    """Tokens of a node's text and of its date, written like 08 May 2023 when it has one."""
    date = f" {long_date(node.time)}" if clock == "calendar" and node.time is not None else ""
    return frozenset(_TOKEN.findall((node.text + date).lower()))
