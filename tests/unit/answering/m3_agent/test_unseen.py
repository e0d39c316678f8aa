"""Which hits are new, in both ways of keeping books, against slow and obvious versions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.answering.m3_agent.unseen import Unseen
from memforest.core.errors import ConfigError
from memforest.core.types import clip_of
from tests.builders import memory
from tests.unit.answering.m3_agent.worlds import ranked, texts, video

rounds = st.lists(st.permutations(range(8)), min_size=1, max_size=4)


def all_shown(unseen: Unseen, orders: list[list[int]], *, k: int) -> list[list[str]]:
    """What each of several searches shows when everything new is shown."""
    of = video(0, 0, 1, 2, 2, None, 4, None)
    shown = []
    for order in orders:
        (hits,) = unseen.of([ranked(of, order, k=k)], text="x")
        unseen.note(of, hits.nodes, text="x")
        shown.append(texts([hits]))
    return shown


@given(rounds, st.integers(1, 5))
def test_corrected_the_ranking_goes_on_behind_what_was_shown(orders: list[list[int]], k: int) -> None:
    seen: list[str] = []
    expected = []
    for order in orders:
        expected.append([f"n{place}" for place in order if f"n{place}" not in seen][:k])
        seen += expected[-1]
    assert all_shown(Unseen(repeats="corrected", exempt=None), orders, k=k) == expected


@given(rounds, st.integers(1, 5))
def test_released_hits_of_clips_that_were_shown_are_dropped_after_the_cut(orders: list[list[int]], k: int) -> None:
    nodes = video(0, 0, 1, 2, 2, None, 4, None).nodes
    clips: set[object] = set()
    expected = []
    for order in orders:
        hits = [nodes[place] for place in order[:k]]
        kept = [one for one in hits if (one.id if clip_of(one) is None else clip_of(one)) not in clips]
        clips |= {one.id if clip_of(one) is None else clip_of(one) for one in kept}
        expected.append([one.id for one in kept])
    assert all_shown(Unseen(repeats="released", exempt=None), orders, k=k) == expected


def test_released_a_search_may_bring_nothing_although_there_is_more() -> None:
    orders = [[0, 1, 2, 3, 4, 5, 6, 7]] * 2
    assert all_shown(Unseen(repeats="released", exempt=None), orders, k=3) == [["n0", "n1", "n2"], []]
    assert all_shown(Unseen(repeats="corrected", exempt=None), orders, k=3)[1] == ["n3", "n4", "n5"]


def test_on_a_calendar_there_are_no_clips_and_nodes_count_by_themselves() -> None:
    of, unseen = memory(4), Unseen(repeats="released", exempt=None)
    unseen.note(of, of.nodes[:1], text="x")
    (hits,) = unseen.of([ranked(of, [0, 1, 2, 3], k=2)], text="x")
    assert texts([hits]) == ["n1"]


@pytest.mark.parametrize("repeats", ["corrected", "released"])
def test_what_was_shown_of_one_memory_says_nothing_of_another(repeats: str) -> None:
    first, second = video(0, 1, id="v/a"), video(0, 1, id="v/b")
    unseen = Unseen(repeats=repeats, exempt=None)
    unseen.note(first, first.nodes, text="x")
    rankings = unseen.of([ranked(first, [0, 1], k=2), ranked(second, [0, 1], k=2)], text="x")
    assert [texts([hits]) for hits in rankings] == [[], ["n0", "n1"]]


@pytest.mark.parametrize("repeats", ["corrected", "released"])
def test_an_exempt_search_is_neither_cut_nor_remembered(repeats: str) -> None:
    of, unseen = video(0, 1, 2), Unseen(repeats=repeats, exempt="character id")
    unseen.note(of, of.nodes, text="What is the character id of Ada?")
    everything = [ranked(of, [0, 1, 2], k=3)]
    assert texts(unseen.of(everything, text="Ada")) == ["n0", "n1", "n2"]
    unseen.note(of, of.nodes, text="Ada")
    assert texts(unseen.of(everything, text="Ada")) == []
    assert texts(unseen.of(everything, text="the character id of Ada")) == ["n0", "n1", "n2"]


def test_scores_and_the_number_of_hits_follow_what_is_left() -> None:
    of = video(0, 1, 1, 2)
    unseen = Unseen(repeats="released", exempt=None)
    unseen.note(of, [of.nodes[1]], text="x")
    (hits,) = unseen.of([ranked(of, [3, 2, 0, 1], k=3)], text="x")
    assert (hits.order, hits.k) == ((3, 0), 2)
    assert hits.scores == pytest.approx((1.0, 0.98))


@pytest.mark.parametrize(("setting", "values"), [("repeats", ("both", None)), ("exempt", ("released", ""))])
def test_settings_are_checked(setting: str, values: tuple[str, str | None]) -> None:
    with pytest.raises(ConfigError, match=rf"answerer\.{setting}"):
        Unseen(repeats=values[0], exempt=values[1])
