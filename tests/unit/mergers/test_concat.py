"""The lossless merger."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.outcomes import MergedSegments
from memforest.core.types import Segment
from memforest.core.vectors import Matrix
from memforest.mergers.concat import Concat
from tests.builders import node, pair

SEGMENTS = st.lists(
    st.builds(Segment, st.text("ab ", max_size=4), st.just(("s",)), st.none() | st.integers(0, 3).map(float)),
    min_size=1,
    max_size=4,
).map(tuple)


def never(texts: object) -> Matrix:
    raise AssertionError("concat embeds nothing")


def merged(older: tuple[Segment, ...], newer: tuple[Segment, ...]) -> tuple[Segment, ...]:
    pairs = [pair(node("a", segments=older), node("b", segments=newer))]
    (result,) = Concat().merge(pairs=pairs, encode=never)
    assert isinstance(result, MergedSegments)
    assert result.dropped == ()
    return result.segments


def at(text: str, time: float | None) -> Segment:
    return Segment(text, (text,), time)


@given(SEGMENTS, SEGMENTS)
def test_nothing_is_lost_invented_or_relabelled(older: tuple[Segment, ...], newer: tuple[Segment, ...]) -> None:
    assert Counter(merged(older, newer)) == Counter([*older, *newer])


@given(SEGMENTS, SEGMENTS)
def test_given_times_never_decrease_where_all_are_given(older: tuple[Segment, ...], newer: tuple[Segment, ...]) -> None:
    times = [segment.time for segment in merged(older, newer)]
    if None not in times:
        assert times == sorted(times, key=lambda time: np.inf if time is None else time)


def test_segments_of_both_are_interleaved_by_time() -> None:
    found = merged((at("a", 1), at("c", 3)), (at("b", 2), at("d", 4)))
    assert [segment.text for segment in found] == ["a", "b", "c", "d"]


def test_equal_times_keep_the_older_nodes_first() -> None:
    found = merged((at("a", 1), at("b", 2)), (at("x", 1), at("y", 2)))
    assert [segment.text for segment in found] == ["a", "x", "b", "y"]


def test_without_times_the_older_node_stands_first() -> None:
    found = merged((at("a", None), at("b", None)), (at("x", None),))
    assert [segment.text for segment in found] == ["a", "b", "x"]


def test_there_is_one_result_a_pair_in_their_order() -> None:
    nodes = [node(f"n{place}", f"text {place}") for place in range(4)]
    results = Concat().merge(pairs=[pair(nodes[0], nodes[1]), pair(nodes[2], nodes[3])], encode=never)
    assert [
        [segment.text for segment in result.segments] for result in results if isinstance(result, MergedSegments)
    ] == [["text 0", "text 1"], ["text 2", "text 3"]]


def test_no_pairs_give_no_results() -> None:
    assert list(Concat().merge(pairs=[], encode=never)) == []
