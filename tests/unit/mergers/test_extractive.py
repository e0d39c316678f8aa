"""The lossy merger against a slow version of its rule."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.core.graph import tags
from memforest.core.outcomes import MergedSegments
from memforest.core.types import Segment
from memforest.core.vectors import Matrix, on_grid, similarity
from memforest.embedding.hashing import Hashing
from memforest.mergers.extractive import Extractive
from tests.builders import WORDS, node, pair

EMBEDDER = Hashing(buckets=32)
TAGGED = (*WORDS[:6], "<face_1>", "<voice_2>", "<voice_20>")
TEXTS = st.lists(st.lists(st.sampled_from(TAGGED), min_size=1, max_size=6).map(" ".join), min_size=2, max_size=8)


def encode(texts: Sequence[str]) -> Matrix:
    return EMBEDDER.embed(texts=texts).vectors


def merged(texts: Sequence[str], max_words: int) -> tuple[list[str], list[str]]:
    """What stays and what goes, of segments in time order that two nodes hold."""
    segments = [Segment(f"{text}", (f"s{place}",), float(place)) for place, text in enumerate(texts)]
    nodes = pair(node("a", segments=tuple(segments[:1])), node("b", segments=tuple(segments[1:])))
    (result,) = Extractive(max_words=max_words).merge(pairs=[nodes], encode=encode)
    assert isinstance(result, MergedSegments)
    return [item.sources[0] for item in result.segments], [item.sources[0] for item in result.dropped]


def slowly(texts: Sequence[str], max_words: int) -> tuple[list[str], list[str]]:
    """While more than `max_words` are held, the shorter of the two most similar segments goes; of equals the older; but
    never the last one with a tag."""
    kept, gone = list(range(len(texts))), []
    while len(kept) > 1 and sum(len(texts[place].split()) for place in kept) > max_words:

        def cosine(two: tuple[int, int]) -> float:
            left, right = on_grid(encode([texts[two[0]], texts[two[1]]]))
            return float(similarity(left[None], right)[0])

        spare = [one for one in kept if tags(texts[one]) <= tags(" ".join(texts[i] for i in kept if i != one))]
        pairs = [two for two in combinations(kept, 2) if set(two) & set(spare)]
        if not pairs:
            break
        best = max(cosine(two) for two in pairs)
        first, second = next(two for two in pairs if cosine(two) == best)
        shorter, other = (second, first) if len(texts[second].split()) < len(texts[first].split()) else (first, second)
        going = shorter if shorter in spare else other
        kept.remove(going)
        gone.append(going)
    return [f"s{place}" for place in kept], [f"s{place}" for place in gone]


@settings(max_examples=150, deadline=None)
@given(texts=TEXTS, max_words=st.integers(1, 40))
def test_it_keeps_and_drops_what_the_rule_says(texts: list[str], max_words: int) -> None:
    assert merged(texts, max_words) == slowly(texts, max_words)


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS, max_words=st.integers(1, 40))
def test_kept_and_dropped_are_all_segments_and_kept_ones_stay_in_order(texts: list[str], max_words: int) -> None:
    kept, dropped = merged(texts, max_words)
    assert sorted([*kept, *dropped]) == sorted(f"s{place}" for place in range(len(texts)))
    assert kept == sorted(kept)


@pytest.mark.parametrize(("max_words", "dropped"), [(4, []), (3, ["s0"])])
def test_nothing_goes_at_the_limit_and_something_one_word_below(max_words: int, dropped: list[str]) -> None:
    assert merged(["red boat", "old violin"], max_words)[1] == dropped


def test_the_shorter_one_of_the_most_similar_goes() -> None:
    assert merged(["red boat in harbour", "old violin", "red boat"], 7) == (["s0", "s1"], ["s2"])


def test_of_two_equally_long_ones_the_newer_stays() -> None:
    assert merged(["red boat", "boat red"], 2) == (["s1"], ["s0"])


def test_a_single_segment_longer_than_the_limit_is_kept_whole() -> None:
    assert merged(["red boat in the harbour", "boat"], 3) == (["s0"], ["s1"])


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, max_words=st.integers(1, 40))
def test_every_tag_stays(texts: list[str], max_words: int) -> None:
    kept, _ = merged(texts, max_words)
    assert tags(" ".join(texts)) == tags(" ".join(texts[int(source[1:])] for source in kept))


def test_the_only_segment_with_a_tag_stays_although_it_is_the_shorter_one() -> None:
    assert merged(["<face_1> boat", "red boat in harbour", "old violin"], 4) == (["s0", "s2"], ["s1"])


def test_segments_that_name_an_entity_each_stay_over_the_limit() -> None:
    assert merged(["<face_1> red boat", "<face_2> red boat"], 3) == (["s0", "s1"], [])


def test_below_the_limit_nothing_is_embedded() -> None:
    def never(texts: Sequence[str]) -> Matrix:
        raise AssertionError(texts)

    (result,) = Extractive(max_words=40).merge(pairs=[pair(node("a", "red boat"), node("b", "violin"))], encode=never)
    assert isinstance(result, MergedSegments)
    assert len(result.segments) == 2


def test_a_pairs_result_does_not_depend_on_the_pairs_beside_it() -> None:
    pairs = [
        pair(node(f"a{n}", " ".join(np.roll(WORDS, n)[:6]), time=1.0), node(f"b{n}", WORDS[n], time=2.0))
        for n in range(4)
    ]
    merger = Extractive(max_words=6)
    together = list(merger.merge(pairs=pairs, encode=encode))
    assert together == [merger.merge(pairs=[one], encode=encode)[0] for one in pairs]
