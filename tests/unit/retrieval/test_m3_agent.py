"""M3-Agent's search and its three controls against the same by the book."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memforest.config.folder import settings
from memforest.config.spec import RESERVED
from memforest.core.errors import ConfigError
from memforest.core.types import Hits, Memory, Query, clip_of
from memforest.retrieval.agpr import Agpr
from memforest.retrieval.m3_agent.search import M3Agent
from tests.builders import memory as random_memory
from tests.builders import node
from tests.graphs import carrying, graph_memory
from tests.unit.retrieval.videos import asked, best_clips, best_nodes, graph_of, video

OPTIONS = ("m3_agent", "m3_agent_agpr", "m3_agent_clip_agpr", "m3_agent_node")


def chosen(option: str, **changes: Any) -> dict[str, Any]:
    """An option's settings, some of them changed."""
    held = {key: value for key, value in settings("retriever", option).items() if key not in (*RESERVED, "_target_")}
    return held | changes


def retriever(option: str = "m3_agent", **changes: Any) -> M3Agent:
    return M3Agent(**chosen(option, **changes))


def search(memory: Memory, query: Query, option: str = "m3_agent", **changes: Any) -> Hits:
    return retriever(option, **changes).index(memory=memory).search(query=query, k=10)


def ids(hits: Hits) -> list[str]:
    return [one.id for one in hits.nodes]


def require_ranking(hits: Hits) -> None:
    assert sorted(hits.order) == list(range(len(hits.memory)))
    assert (np.diff(hits.scores) <= 0).all()


@pytest.mark.parametrize("text", ["Who is it?", "Where is <voice_2>?", "What does <character_0> do?"])
@pytest.mark.parametrize("equivalences", [True, False])
@pytest.mark.parametrize("gamma", [1.0, 0.9, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_the_best_nodes_are_those_of_the_released_search(
    seed: int, gamma: float, equivalences: bool, text: str
) -> None:
    memory = video(40 + 7 * seed, clips=12, told=seed, seed=seed)
    query = asked(text, seed=seed, variants=seed % 3)
    for nodes in (3, 20):
        changes: dict[str, Any] = {"gamma": gamma, "search_equivalences": equivalences, "nodes": nodes}
        found = search(memory, query, "m3_agent_node", **changes)
        require_ranking(found)
        assert ids(found) == best_nodes(memory, query, gamma=gamma, equivalences=equivalences, nodes=nodes)


@pytest.mark.parametrize("text", ["Who is it?", "Where is <voice_2>?", "What does <character_0> do?"])
@pytest.mark.parametrize("equivalences", [True, False])
@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("seed", range(8))
def test_the_best_clips_are_those_of_the_released_search(
    seed: int, gamma: float, equivalences: bool, text: str
) -> None:
    memory = video(40 + 7 * seed, clips=12, told=seed, seed=seed)
    query = asked(text, seed=seed, variants=seed % 3)
    for threshold in (-1.0, 0.5, 0.95):
        changes: dict[str, Any] = {"gamma": gamma, "search_equivalences": equivalences, "threshold": threshold}
        found = search(memory, query, **changes)
        require_ranking(found)
        expected = best_clips(
            memory, query, gamma=gamma, equivalences=equivalences, threshold=threshold, nodes=20, clips=2
        )
        # All nodes of a clip are hits, whoever the query names; one that holds equivalences alone takes a place.
        assert set(ids(found)) == {one.id for one in memory.nodes if clip_of(one) in expected}
        order = list(dict.fromkeys(clip_of(one) for one in found.nodes))
        assert order == [clip for clip in expected if clip in order]


def test_the_released_numbers_are_80_candidates_and_4_anchors() -> None:
    for option in OPTIONS:
        assert (retriever(option).candidates, retriever(option).anchors) == (80, 4)
    assert (retriever(nodes=30).candidates, retriever(nodes=30).anchors) == (120, 6)
    assert retriever(nodes=1).anchors == 1


def test_the_four_controls_differ_in_granularity_and_gamma() -> None:
    controls = [(chosen(option)["granularity"], chosen(option)["gamma"]) for option in OPTIONS]
    assert controls == [("clip", 1.0), ("node", 0.9), ("clip", 0.9), ("node", 1.0)]


@pytest.mark.parametrize("seed", range(5))
def test_by_nodes_it_is_agpr_at_20_where_the_graph_has_no_say(seed: int) -> None:
    memory = video(200, clips=40, seed=seed)
    agpr = Agpr(**chosen("agpr", time_unit="clip")).index(memory=memory)
    expected = agpr.search(query=asked(seed=seed), k=20)
    found = search(memory, asked(seed=seed), "m3_agent_agpr")
    assert (found.order, found.scores, found.k) == (expected.order, expected.scores, 20)


def test_a_query_that_names_somebody_unlinked_finds_nothing() -> None:
    memory = carrying(graph_memory(6).nodes, entities=graph_of(graph_memory(6)).entities)
    for option in OPTIONS:
        found = search(memory, asked("<face_0>", dimension=8), option)
        require_ranking(found)
        assert found.k == 0
        assert search(memory, asked("<face_0>", dimension=8), option, entity_pools=False, threshold=-1.0).k > 0


def test_tags_that_name_nobody_restrict_nothing() -> None:
    memory = graph_memory(12)
    named = search(memory, asked("<face_77>, <character_9>", dimension=8), "m3_agent_agpr")
    assert ids(named) == ids(search(memory, asked("somebody", dimension=8), "m3_agent_agpr"))


def test_a_question_for_a_character_id_is_answered_by_nodes_without_equivalences() -> None:
    memory = video(60, clips=10, told=5, seed=1)
    query = asked("What is the character id of Ada?")
    found = search(memory, query, threshold=1.0)
    require_ranking(found)
    assert ids(found) == best_nodes(memory, query, gamma=1.0, equivalences=False, nodes=20)
    assert search(memory, query, threshold=1.0, memory_wise=False).k == 0
    assert ids(search(memory, query, "m3_agent_agpr")) == ids(search(memory, asked(), "m3_agent_agpr"))


def test_nodes_outside_the_pool_come_last_and_scores_do_not_rise() -> None:
    memory = video(60, clips=10, seed=3)
    linked = graph_of(memory).neighbours["2"]
    for option in OPTIONS[1:4:2]:
        found = search(memory, asked("<voice_2>"), option)
        inside = [memory.nodes[place].id in linked for place in found.order]
        assert inside == sorted(inside, reverse=True)
        assert found.k == min(20, sum(inside))


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_what_was_shown_makes_room_for_the_next_best(option: str, seed: int) -> None:
    memory = video(90, clips=30, told=4, seed=seed)
    whole = search(memory, asked(seed=seed), option, threshold=0.3)
    shown: set[str] = set()
    hits, rounds = whole, []
    while hits.k:
        require_left(hits, shown)
        rounds.append(ids(hits))
        shown.update(rounds[-1])
        hits = hits.without(shown)
    assert len(shown) == sum(map(len, rounds)) > 20
    eligible = [memory.nodes[place].id for place in whole.order][: len(shown)]
    assert [id for found in rounds for id in found] == eligible
    again = whole.without(set(rounds[0])).without(set(rounds[1]))
    assert ids(again) == ids(whole.without({*rounds[0], *rounds[1]})) == rounds[2]
    if chosen(option)["granularity"] == "node":
        assert {len(found) for found in rounds[1:-1]} == {20}
    else:
        assert {len({clip_of(one) for one in memory.nodes if one.id in found}) for found in rounds[1:-1]} <= {2}


def require_left(hits: Hits, shown: set[str]) -> None:
    left = {one.id for one in hits.memory.nodes} - shown
    assert {hits.memory.nodes[place].id for place in hits.order} == left
    assert len(hits.scores) == len(hits.order)
    assert (np.diff(hits.scores) <= 0).all()


def test_equivalences_take_the_places_of_hits_as_released_or_do_not() -> None:
    vector = asked().vector
    texts = [node(str(n), vector=vector, time=0.0) for n in range(30)]
    told = [replace(node(str(100 + n), "Equivalence: ", vector=vector, time=0.0), kind="semantic") for n in range(3)]
    near = [replace(one, vector=asked(seed=1).vector) for one in texts]
    memory = carrying(near, equivalences=told)
    assert search(memory, asked(), "m3_agent_node").k == 17
    assert search(memory, asked(), "m3_agent_node", search_equivalences=False).k == 20
    # They also make a clip as good as they are themselves.
    assert search(memory, asked(), threshold=0.99).k == 30
    assert search(memory, asked(), threshold=0.99, search_equivalences=False).k == 0


def test_an_early_memory_is_searched_as_if_the_rest_had_never_been() -> None:
    memory = video(90, clips=30, told=3, seed=2)
    early = memory.until(9)
    for option in OPTIONS:
        found = search(early, asked(), option, threshold=-1.0)
        assert found.k > 0
        assert all((clip_of(one) or 0) <= 9 for one in found.nodes)


def test_a_memory_of_equivalences_alone_has_no_hits() -> None:
    memory = carrying([], equivalences=graph_of(graph_memory()).equivalences)
    for option in OPTIONS:
        found = search(memory, asked(dimension=8), option, threshold=-1.0)
        assert (found.order, found.k, found.without({"10"}).k) == ((), 0, 0)


@pytest.mark.parametrize("option", OPTIONS)
def test_without_times_every_node_is_a_clip_and_without_a_video_every_time_is(option: str) -> None:
    untimed = carrying([replace(one, time=None) for one in video(30, clips=3).nodes])
    assert search(untimed, asked(), option, threshold=-1.0).k == (2 if chosen(option)["granularity"] == "clip" else 20)
    calendar = random_memory(30, dimension=4)
    found = search(calendar, asked(), option, threshold=-1.0)
    assert found.k == (6 if chosen(option)["granularity"] == "clip" else 20)


def test_variants_count_by_their_best_and_the_querys_own_vector_does_not() -> None:
    memory = video(50, clips=10, seed=4)
    query = asked(variants=2)
    assert query.variants is not None
    best = [search(memory, replace(query, variants=query.variants[[place]]), "m3_agent_node") for place in (0, 1)]
    both = search(memory, query, "m3_agent_node")
    of = [dict(zip(hits.order, hits.scores, strict=True)) for hits in (*best, both)]
    assert all(of[2][place] == max(of[0][place], of[1][place]) for place in range(50))


def test_a_character_is_embedded_as_each_of_its_tags() -> None:
    index = retriever().index(memory=graph_memory(3))
    assert index.texts(text="<character_0>?") == ("<face_0>?", "<voice_1>?", "<voice_2>?")
    assert index.texts(text="Who?") == ("Who?",)
    assert len(retriever(query_variants=2).index(memory=graph_memory(3)).texts(text="<character_0>")) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"granularity": "turn"}, "retriever.granularity must be one of clip, node"),
        ({"clips": 0}, "retriever.clips must be a whole number of at least 1"),
        ({"nodes": True}, "retriever.nodes must be a whole number"),
        ({"threshold": 1.5}, "retriever.threshold is a cosine"),
        ({"threshold": float("nan")}, "retriever.threshold is a cosine"),
        ({"gamma": 2.0}, "retriever.gamma must be in"),
        ({"candidate_factor": 0.5}, "retriever.candidate_factor must be in"),
        ({"anchor_share": 0.0}, "retriever.anchor_share must be above 0"),
        ({"memory_wise": 1}, "retriever.memory_wise must be true or false"),
        ({"search_equivalences": None}, "retriever.search_equivalences must be true or false"),
        ({"entity_pools": "released"}, "retriever.entity_pools must be true or false"),
        ({"query_variants": 0}, "retriever.query_variants must be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        retriever(**changes)
