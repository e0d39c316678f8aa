"""StreamMeCo's search against the same by the book."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memforest.config.folder import settings
from memforest.config.spec import RESERVED
from memforest.core.errors import ConfigError
from memforest.core.types import Hits, Memory, Query, clip_of
from memforest.retrieval.m3_agent.time_decay import StreamMeCo, shared_out
from tests.builders import axis, node
from tests.graphs import carrying
from tests.unit.retrieval.videos import asked, decayed_nodes, shared_out_slowly, video


def retriever(**changes: Any) -> StreamMeCo:
    held = {key: value for key, value in settings("retriever", "streammeco").items() if key not in RESERVED}
    return StreamMeCo(**{key: value for key, value in (held | changes).items() if key != "_target_"})


def search(memory: Memory, query: Query, **changes: Any) -> Hits:
    return retriever(**changes).index(memory=memory).search(query=query, k=10)


def taken(hits: Hits) -> set[str]:
    return {one.id for one in hits.nodes}


@pytest.mark.parametrize("text", ["Who is it?", "Where is <voice_2>?"])
@pytest.mark.parametrize("equivalences", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_hits_are_those_of_the_released_search(seed: int, equivalences: bool, text: str) -> None:
    memory = video(40 + 9 * seed, clips=12, told=seed % 4, seed=seed)
    for before_clip in (None, 4, 12, 20):
        query = replace(asked(text, seed=seed), before_clip=before_clip)
        for nodes in (3, 20):
            found = search(memory, query, nodes=nodes, search_equivalences=equivalences)
            assert taken(found) == decayed_nodes(memory, query, nodes=nodes, decay=0.1, equivalences=equivalences)
            assert sorted(found.order) == list(range(len(memory)))
            assert (np.diff(found.scores) <= 0).all()


def test_later_clips_get_more_places_and_without_a_time_of_asking_all_get_as_many() -> None:
    nodes = [node(str(n), vector=axis(0), time=30.0 * (n % 4)) for n in range(40)]
    memory = carrying(nodes)
    query = Query(text="", vector=axis(0))
    even = search(memory, query)
    assert [sum(clip_of(one) == clip for one in even.nodes) for clip in range(4)] == [5, 5, 5, 5]
    late = search(memory, replace(query, before_clip=3), decay=math.log(2))
    # Importance 1/8, 1/4, 1/2, 1 of 15/8: shares 1.33, 2.67, 5.33, 10.67, of which 11 is not there.
    assert [sum(clip_of(one) == clip for one in late.nodes) for clip in range(4)] == [2, 3, 5, 10]


@pytest.mark.parametrize("before_clip", [20, 10_000, 10**9])
def test_however_late_a_question_is_the_shares_of_clips_are_the_same(before_clip: int) -> None:
    apart = [node("n", vector=-axis(0), time=30.0 * 15)]  # Nearer than all others, and of no importance.
    memory = carrying([node(str(n), vector=axis(0), time=30.0 * (n % 4)) for n in range(40)] + apart)
    late = search(memory, Query(text="", vector=axis(0), before_clip=before_clip), decay=math.log(2))
    assert [sum(clip_of(one) == clip for one in late.nodes) for clip in range(4)] == [2, 3, 5, 10]


def test_where_nothing_is_similar_the_most_similar_are_taken() -> None:
    vectors = [[-math.cos(n), math.sin(n), 0, 0] for n in np.linspace(0.0, 1.5, 40)]
    memory = carrying([node(str(n), vector=vector, time=30.0 * n) for n, vector in enumerate(vectors)])
    found = search(memory, Query(text="", vector=axis(0)))
    assert [one.id for one in found.nodes] == [str(39 - n) for n in range(20)]


@pytest.mark.parametrize("seed", range(40))
def test_places_are_shared_out_as_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.integers(0, 5, size=random.integers(1, 9)) / 4
    weights[0] = 1.0
    available = random.integers(1, 6, size=len(weights))
    for places in (1, 7, 20, 100):
        given = shared_out(weights, available, places=places)
        assert given.tolist() == shared_out_slowly(weights.tolist(), available.tolist(), places)
        assert given.sum() == min(places, available.sum())
        assert (given <= available).all()


def test_what_was_shown_gives_its_places_to_what_was_not() -> None:
    memory = video(70, clips=10, told=3, seed=1)
    query = replace(asked(), before_clip=9)
    hits, shown, rounds = search(memory, query), set[str](), 0
    while hits.k:
        assert not taken(hits) & shown
        left = memory.with_nodes([one for one in memory.nodes if one.id not in shown])
        assert taken(hits) == decayed_nodes(left, query, nodes=20, decay=0.1, equivalences=rounds == 0)
        shown |= taken(hits)
        hits, rounds = hits.without(shown), rounds + 1
    assert shown == {one.id for one in memory.nodes}


def test_an_empty_memory_has_no_hits() -> None:
    assert search(carrying([]), asked()).order == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": 0}, "retriever.nodes must be a whole number of at least 1"),
        ({"decay": -0.1}, "retriever.decay, per clip, must be in"),
        ({"decay": float("nan")}, "retriever.decay, per clip, must be in"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        retriever(**changes)
