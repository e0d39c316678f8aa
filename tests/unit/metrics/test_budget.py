"""The first k hits and whole hits within a number of words, against slow versions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.types import Hits
from memforest.metrics.budget import first_k, merged_ranking, within_words
from tests.builders import memory, node
from tests.unit.metrics.golds import ranking


@st.composite
def rankings(draw: st.DrawFn) -> list[Hits]:
    """Up to three memories with few score levels, so that ties within and between them are common."""
    made = []
    for number in range(draw(st.integers(0, 3))):
        words = draw(st.lists(st.integers(0, 5), max_size=6))
        of = memory([node(f"n{i}", " ".join(["w"] * count)) for i, count in enumerate(words)], id=f"m{number}")
        scores = sorted(draw(st.lists(st.integers(0, 3), min_size=len(words), max_size=len(words))), reverse=True)
        order = draw(st.permutations(range(len(words))))
        made.append(ranking(of, *map(float, scores), order=order, k=2))
    return made


def by_score(lists: Sequence[Hits]) -> list[tuple[str, str, float]]:
    """All hits by score, ties by memory, then by rank."""
    rows = [
        (-score, number, rank, hits.memory.nodes[place].id)
        for number, hits in enumerate(lists)
        for rank, (place, score) in enumerate(zip(hits.order, hits.scores, strict=True))
    ]
    return [(lists[number].memory.id, name, -score) for score, number, _, name in sorted(rows)]


@given(rankings())
def test_rankings_merge_by_score_then_memory_then_rank(lists: list[Hits]) -> None:
    assert [(hit.memory_id, hit.node.id, hit.score) for hit in merged_ranking(lists)] == by_score(lists)


@given(rankings(), st.integers(0, 20))
def test_whole_hits_are_taken_in_rank_order_while_they_fit(lists: list[Hits], budget: int) -> None:
    merged = list(merged_ranking(lists))
    expected, left = [], budget
    for hit in merged:
        if hit.node.words <= left:
            expected.append(hit)
            left -= hit.node.words
    smallest = min((hit.node.words for hit in merged), default=0)
    assert within_words(merged, budget, smallest=smallest) == expected


def test_a_hit_that_would_exceed_the_budget_is_skipped_and_later_ones_are_tried() -> None:
    of = memory([node("a", "one two"), node("b", "one two three four"), node("c", "one"), node("d", "one")])
    taken = within_words(list(merged_ranking([ranking(of, 4, 3, 2, 1, k=1)])), 4, smallest=1)
    assert [hit.node.id for hit in taken] == ["a", "c", "d"]


def test_the_budget_goes_beyond_k() -> None:
    of = memory(20)
    hits = ranking(of, *range(20, 0, -1), k=3)
    assert len(first_k([hits])) == 3
    assert len(within_words(list(merged_ranking([hits])), 10_000, smallest=1)) == 20


@pytest.mark.parametrize(
    ("k", "expected"), [(1, ["a0", "b0"]), (2, ["a0", "a1", "b0", "b1"]), (9, ["a0", "a1", "b0", "b1"])]
)
def test_k_holds_for_each_memory(k: int, expected: list[str]) -> None:
    lists = [ranking(memory([node(f"{m}0"), node(f"{m}1")], id=m), 0.5, 0.4, k=k) for m in "ab"]
    assert [hit.node.id for hit in first_k(lists)] == expected
    assert [hit.memory_id for hit in first_k(lists)] == [name[0] for name in expected]
