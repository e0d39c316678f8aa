"""What every merger in conf/merger must do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from memforest.core.graph import tags
from memforest.core.outcomes import MergedSegments
from memforest.core.protocols import Merger, WaitingMerger
from memforest.core.types import MemoryNode, Pair, Segment
from memforest.core.vectors import Matrix
from tests.builders import DAY, START, node
from tests.contracts.support import EMBEDDER, WORDS, choice, component, usable, without_model

every_merger = pytest.mark.parametrize("option", usable("merger"))


def encode(texts: Sequence[str]) -> Matrix:
    return EMBEDDER.embed(texts=texts).vectors


def _node(name: str, lengths: Sequence[int], time: float | None) -> MemoryNode:
    """Segments of the given numbers of words, a day apart, each with a source of its own."""
    segments = tuple(
        Segment(
            " ".join(WORDS[(place * 3 + word) % 20] for word in range(length)),
            (f"{name}:{place}", f"{name}:{place}b"),
            None if time is None else time - DAY * place,
        )
        for place, length in enumerate(lengths)
    )
    return node(name, time=time, segments=segments)


PAIRS = (
    Pair(_node("a", [5], START), _node("b", [7], START + DAY)),
    Pair(_node("c", [30, 12, 25], START), _node("d", [28, 4], START)),
    Pair(_node("e", [60], None), _node("f", [50], None)),
    Pair(_node("g", [0], START), _node("h", [0], None)),
    Pair(_node("i", [9] * 12, None), _node("j", [9] * 12, START)),
)


def _merged(merger: Merger, pairs: Sequence[Pair]) -> list[MergedSegments]:
    results = merger.merge(pairs=pairs, encode=encode)
    return [result for result in results if isinstance(result, MergedSegments)]


@every_merger
def test_results_stand_beside_their_pairs(option: str) -> None:
    merger = component("merger", option)
    together = merger.merge(pairs=PAIRS, encode=encode)
    assert len(together) == len(PAIRS)
    assert [*together] == [merger.merge(pairs=[pair], encode=encode)[0] for pair in PAIRS]
    assert [*merger.merge(pairs=PAIRS[::-1], encode=encode)] == [*together][::-1]


@every_merger
def test_of_a_merger_that_waits_what_bounds_failures_identifies_the_run_and_its_calls_do_not(option: str) -> None:
    if isinstance(component("merger", option), WaitingMerger):
        identity = choice("merger", option).identity()
        assert "failures_in_a_row" in identity
        assert "concurrency" not in identity


@every_merger
def test_no_pairs_give_no_results(option: str) -> None:
    assert len(component("merger", option).merge(pairs=[], encode=encode)) == 0


@every_merger
def test_every_source_comes_from_the_pair(option: str) -> None:
    for pair, result in zip(PAIRS, _merged(component("merger", option), PAIRS), strict=True):
        ours = {*pair.older.sources, *pair.newer.sources}
        for segment in (*result.segments, *result.dropped):
            assert set(segment.sources) <= ours


@every_merger
def test_something_of_every_pair_survives(option: str) -> None:
    assert all(result.segments for result in _merged(component("merger", option), PAIRS))


@every_merger
def test_every_tag_of_an_entity_survives(option: str) -> None:
    named = [node(f"n{place}", f"<face_{place}> {' '.join(WORDS)} <voice_{place % 3}>") for place in range(8)]
    pairs = [Pair(node("a", segments=tuple(part.segments[0] for part in named)), named[7]), Pair(*named[:2])]
    for pair, result in zip(pairs, _merged(component("merger", option), pairs), strict=True):
        survived = tags(" ".join(segment.text for segment in result.segments))
        assert survived == tags(f"{pair.older.text} {pair.newer.text}")


@pytest.mark.parametrize("option", without_model("merger"))
def test_mergers_without_a_model_invent_nothing_and_account_for_everything(option: str) -> None:
    for pair, result in zip(PAIRS, _merged(component("merger", option), PAIRS), strict=True):
        assert Counter((*result.segments, *result.dropped)) == Counter((*pair.older.segments, *pair.newer.segments))


@pytest.mark.parametrize("option", without_model("merger"))
def test_surviving_segments_are_in_time_order(option: str) -> None:
    for result in _merged(component("merger", option), PAIRS):
        times = [segment.time for segment in result.segments if segment.time is not None]
        assert times == sorted(times)


@pytest.mark.parametrize(
    "option", [name for name in usable("merger") if choice("merger", name).settings.get("max_words") is not None]
)
def test_word_limits_hold_but_for_a_single_segment(option: str) -> None:
    limit = choice("merger", option).settings["max_words"]
    for pair, result in zip(PAIRS, _merged(component("merger", option), PAIRS), strict=True):
        words = sum(len(segment.text.split()) for segment in result.segments)
        assert words <= limit or len(result.segments) == 1
        assert not result.dropped or pair.older.words + pair.newer.words > limit
