"""Evidence recall, its session form, and answer-token recall."""

from __future__ import annotations

import pytest

from memforest.core.times import parse_time
from memforest.core.types import Clock
from memforest.metrics.recall import (
    answer_token_recall,
    answer_tokens,
    evidence_recall,
    session_evidence_recall,
    visible_tokens,
)
from tests.builders import node
from tests.unit.metrics.golds import gold

MAY_8 = parse_time("1:56 pm on 8 May, 2023", where="test")


@pytest.mark.parametrize(
    ("evidence", "sources", "expected"),
    [
        (["D1:1", "D2:3"], ["D1:1", "D9:9"], 0.5),
        (["D1:1", "D2:3"], ["D2:3", "D1:1", "D1:1"], 1.0),
        (["D1:1"], [], 0.0),
        (["D1:1"], ["D1:10", "D11:1"], 0.0),
        (["D1:1", "D", "D99:1"], ["D1:1"], 1 / 3),
        ([], ["D1:1"], None),
    ],
)
def test_evidence_recall_is_the_share_of_evidence_among_the_sources(
    evidence: list[str], sources: list[str], expected: float | None
) -> None:
    assert evidence_recall(gold(*evidence), sources) == expected


@pytest.mark.parametrize("metric", [evidence_recall, session_evidence_recall])
def test_unanswerable_questions_have_no_evidence_recall(metric: object) -> None:
    assert callable(metric)
    assert metric(gold("D1:1", answerable=False), ["D1:1"]) is None
    assert metric(gold("D1:1"), ["D1:1"]) == 1.0


@pytest.mark.parametrize(
    ("evidence", "unresolved", "sources", "expected"),
    [
        (["D1:1", "D1:2"], [], ["D1"], 1.0),
        (["D1:1", "D2:2"], [], ["D1"], 0.5),
        (["D1:1", "D2:2"], [], ["D2:7"], 0.5),
        (["D1:1"], [], ["D11", "D11:1"], 0.0),
        (["D1:1", "D"], ["D"], ["D1"], 0.5),
        (["D1:1", "D1:99"], ["D1:99"], ["D1:1"], 0.5),
        ([], [], ["D1"], None),
    ],
)
def test_session_recall_is_the_share_of_sessions_found(
    evidence: list[str], unresolved: list[str], sources: list[str], expected: float | None
) -> None:
    assert session_evidence_recall(gold(*evidence, unresolved=unresolved), sources) == expected


@pytest.mark.parametrize(
    ("evidence", "sessions", "unresolved", "sources", "expected"),
    [
        ([], ["D1", "D2"], [], ["D1:4"], 0.5),
        (["D1:1"], ["D1", "D2"], [], ["D1:1"], 0.5),
        (["D1:1"], ["D1", "D2"], [], ["D2:9", "D1:7"], 1.0),
        ([], ["D1", "gone"], ["gone"], ["D1:4", "gone"], 0.5),
        (["D1:1", "gone"], ["D1", "gone"], ["gone"], ["D1:1"], 0.5),
    ],
)
def test_sessions_that_a_benchmark_names_are_those_that_count(
    evidence: list[str], sessions: list[str], unresolved: list[str], sources: list[str], expected: float
) -> None:
    item = gold(*evidence, sessions=sessions, unresolved=unresolved)
    assert session_evidence_recall(item, sources) == expected


def test_where_only_sessions_are_known_there_is_no_recall_of_turns() -> None:
    assert evidence_recall(gold(sessions=["D1"]), ["D1:1"]) is None


def test_unresolved_evidence_that_looks_like_a_session_cannot_be_found() -> None:
    assert session_evidence_recall(gold("D1:1", "D3", unresolved=["D3"]), ["D1:1", "D3:2"]) == 0.5


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ("The Lantern of her harbour", ["lantern", "harbour"]),
        ("an A THE of and to in on for is was her his", []),
        ("8 May 2023", ["8", "may", "2023"]),
        ("mother's well-being", ["mother", "s", "well", "being"]),
        ("very very good", ["very", "very", "good"]),
        ("3", ["3"]),
        ("...", []),
        (None, []),
    ],
)
def test_answer_tokens_are_lower_case_words_without_stopwords(answer: str | None, tokens: list[str]) -> None:
    assert answer_tokens(answer) == tokens


@pytest.mark.parametrize(
    ("answer", "visible", "expected"),
    [
        ("the red lantern", {"red"}, 0.5),
        ("red red lantern", {"red"}, 2 / 3),
        ("red", {"reddish", "the"}, 0.0),
        ("the", {"the"}, None),
        (None, {"red"}, None),
    ],
)
def test_answer_token_recall_counts_repeats(answer: str | None, visible: set[str], expected: float | None) -> None:
    assert answer_token_recall(gold(answer=answer), frozenset(visible)) == expected


def test_unanswerable_questions_have_no_answer_token_recall() -> None:
    assert answer_token_recall(gold(answer="red", answerable=False), frozenset({"red"})) is None


@pytest.mark.parametrize(
    ("clock", "time", "expected"),
    [
        ("calendar", MAY_8, {"violin", "lesson", "08", "may", "2023"}),
        ("calendar", None, {"violin", "lesson"}),
        ("video", 95.0, {"violin", "lesson"}),
    ],
)
def test_a_nodes_date_is_visible_where_it_has_one(clock: Clock, time: float | None, expected: set[str]) -> None:
    assert visible_tokens(node("a", "Violin lesson!", time=time), clock=clock) == expected


def test_a_date_does_not_count_as_words() -> None:
    assert node("a", "Violin lesson!", time=MAY_8).words == 2
