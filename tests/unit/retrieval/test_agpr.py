"""AGPR: anchors, candidates, time units, ties and settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.core.errors import ConfigError
from memforest.core.order import TIME_UNITS
from memforest.core.types import Hits, Memory, Query
from memforest.core.vectors import on_grid, similarity
from memforest.retrieval.agpr import OUTPUT_ORDERS, Agpr
from memforest.retrieval.hub_corrected import HubCorrected
from memforest.retrieval.topk import TopK
from tests.builders import DAY, START, axis, memory, node, random_nodes, unit_vectors

QUERY = Query(text="?", vector=unit_vectors(1, seed=9)[0])


def agpr(**changes: object) -> Agpr:
    """The paper's settings but for the changes."""
    given_settings: dict[str, object] = {
        "candidate_factor": 4,
        "anchor_share": 0.2,
        "gamma": 0.9,
        "include_self": True,
        "time_unit": "dense_rank",
        "time_scale": DAY,
        "output_order": "fused",
        "hubness": "none",
        "correction": 0.75,
        "neighbours": 5,
        "index": "exact",
    }
    return Agpr(**{**given_settings, **changes})  # type: ignore[arg-type]


def search(retriever: Agpr | TopK | HubCorrected, of: Memory, k: int, query: Query = QUERY) -> Hits:
    return retriever.index(memory=of).search(query=query, k=k)


def coordinates(unit: str, of: Memory, candidates: Sequence[int], scale: float) -> dict[int, float]:
    """The time coordinate of each candidate; all nodes of the memory have times."""
    times = [node.time or 0.0 for node in of.nodes]
    if unit == "dense_rank":
        distinct = sorted({times[place] for place in candidates})
        return {place: float(distinct.index(times[place])) for place in candidates}
    if unit == "rank":
        order = sorted(range(len(of)), key=lambda place: (times[place], place))
        return {place: float(order.index(place)) for place in candidates}
    if unit == "clip":
        return {place: float(times[place] // 30) for place in candidates}
    return {place: times[place] / scale for place in candidates}


def literal(of: Memory, k: int, tuning: dict[str, Any]) -> tuple[list[int], dict[int, float]]:
    """Section 3.3 step by step: the ranking by similarity, and the fused scores of the candidates."""
    cosines = similarity(of.grid, on_grid(QUERY.vector)).tolist()
    ranked = sorted(range(len(of)), key=lambda place: (-cosines[place], place))
    candidates = ranked[: max(k, math.floor(tuning["candidate_factor"] * k + 0.5))]
    anchors = candidates[: max(1, math.floor(tuning["anchor_share"] * k + 0.5))]
    at = coordinates(tuning["time_unit"], of, candidates, tuning["time_scale"])
    fused = {}
    for place in candidates:
        counted = [anchor for anchor in anchors if tuning["include_self"] or anchor != place]
        nearness = sum(math.exp(-abs(at[place] - at[anchor])) for anchor in counted) / max(1, len(counted))
        fused[place] = tuning["gamma"] * cosines[place] + (1 - tuning["gamma"]) * nearness
    return ranked, fused


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 50),
    st.integers(1, 12),
    st.fixed_dictionaries(
        {
            "candidate_factor": st.sampled_from([1, 1.5, 4]),
            "anchor_share": st.sampled_from([0.1, 0.2, 0.5]),
            "gamma": st.sampled_from([0.0, 0.5, 0.9, 1.0]),
            "include_self": st.booleans(),
            "time_unit": st.sampled_from(TIME_UNITS),
            "time_scale": st.just(40.0),
        }
    ),
)
def test_the_ranking_is_the_literal_one(count: int, k: int, tuning: dict[str, Any]) -> None:
    days = np.random.default_rng(count).integers(0, 6, size=count)
    of = memory(
        [node(f"n{i}", vector=v, time=20.0 * float(days[i])) for i, v in enumerate(unit_vectors(count, seed=count))]
    )
    hits = search(agpr(**tuning), of, k)
    by_similarity, fused = literal(of, k, tuning)
    scores = dict(zip(hits.order, hits.scores, strict=True))
    assert {place: scores[place] for place in fused} == pytest.approx(fused, abs=1e-12)
    best = sorted(by_similarity[: len(fused)], key=lambda place: -scores[place])
    assert list(hits.order) == [*best, *by_similarity[len(fused) :]]


@pytest.mark.parametrize(
    ("k", "share", "anchors"), [(30, 0.2, 6), (20, 0.2, 4), (10, 0.25, 3), (1, 0.2, 1), (5, 0.3, 2)]
)
def test_anchors_are_lambda_k_rounded_half_up_and_at_least_one(k: int, share: float, anchors: int) -> None:
    # With gamma = 0 and all times far apart an anchor scores 1 / anchors, any other candidate nothing.
    of = memory([node(f"n{i}", vector=v, time=1e6 * i) for i, v in enumerate(unit_vectors(200))])
    hits = search(agpr(anchor_share=share, gamma=0.0, time_unit="seconds", time_scale=1.0), of, k)
    assert hits.scores[:anchors] == pytest.approx([1 / anchors] * anchors)
    assert set(hits.scores[anchors:]) == {0.0}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 60),
    st.integers(1, 12),
    st.booleans(),
    st.sampled_from(TIME_UNITS),
    st.sampled_from(["fused", "similarity"]),
)
def test_gamma_1_is_topk(count: int, k: int, include_self: bool, unit: str, output_order: str) -> None:
    of = memory(count, seed=count)
    plain = search(TopK(index="exact"), of, k)
    fused = search(agpr(gamma=1.0, include_self=include_self, time_unit=unit, output_order=output_order), of, k)
    assert (fused.order, fused.scores, fused.k) == (plain.order, plain.scores, plain.k)


@pytest.mark.parametrize("form", ["mean", "local"])
def test_gamma_1_with_a_correction_is_hub_corrected(form: str) -> None:
    of = memory(60)
    plain = search(HubCorrected(hubness=form, correction=0.75, neighbours=5), of, 10)
    fused = search(agpr(gamma=1.0, hubness=form), of, 10)
    assert (fused.order, fused.scores) == (plain.order, plain.scores)


def test_with_a_correction_candidates_and_fused_scores_are_of_corrected_similarities() -> None:
    of = memory(60)
    corrected = search(HubCorrected(hubness="local", correction=0.75, neighbours=5), of, 10)
    fused = search(agpr(hubness="local"), of, 10)
    assert sorted(fused.order[:40]) == sorted(corrected.order[:40])
    assert fused.scores[40:] == pytest.approx([0.9 * score for score in corrected.scores[40:]])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 50), st.integers(1, 12), st.sampled_from(OUTPUT_ORDERS))
def test_an_output_order_moves_the_hits_and_nothing_else(count: int, k: int, output_order: str) -> None:
    of = memory(random_nodes(count, count, 8, 4)[::-1])
    fused, arranged = search(agpr(), of, k), search(agpr(output_order=output_order), of, k)
    assert arranged.scores == fused.scores
    assert arranged.order[k:] == fused.order[k:]
    cosines = similarity(of.grid, on_grid(QUERY.vector)).tolist() if count else []
    keys: dict[str, Callable[[int], tuple[float, float]]] = {
        "fused": lambda place: (fused.order.index(place), 0),
        "similarity": lambda place: (-cosines[place], place),
        "time": lambda place: (of.nodes[place].time or 0.0, place),
    }
    assert list(arranged.order[:k]) == sorted(fused.order[:k], key=keys[output_order])


def test_hits_in_order_of_time_stand_in_input_order_where_there_are_no_times() -> None:
    of = memory([node(f"n{place}", vector=vector) for place, vector in enumerate(unit_vectors(30))])
    hits = search(agpr(output_order="time"), of, 10).order[:10]
    assert list(hits) == sorted(hits)


@pytest.mark.parametrize("k", [1, 5, 10])
def test_candidates_are_reordered_and_the_rest_follows_by_similarity(k: int) -> None:
    of = memory(60)
    plain, fused = search(TopK(index="exact"), of, k).order, search(agpr(), of, k).order
    assert sorted(fused[: 4 * k]) == sorted(plain[: 4 * k])
    assert fused[4 * k :] == plain[4 * k :]


def test_nearness_in_time_lifts_a_node_over_a_more_similar_one() -> None:
    similarities = {"best": 1.0, "far": 0.62, "near": 0.6}
    times = {"best": START, "far": START + 9 * DAY, "near": START}
    of = memory([node(n, vector=[s, math.sqrt(1 - s * s), 0, 0], time=times[n]) for n, s in similarities.items()])
    query = Query(text="?", vector=axis(0))
    assert [hit.id for hit in search(TopK(index="exact"), of, 3, query).nodes] == ["best", "far", "near"]
    assert [hit.id for hit in search(agpr(), of, 3, query).nodes] == ["best", "near", "far"]


def _scores_at(unit: str, times: Sequence[float | None], scale: float = DAY) -> list[float]:
    """Nearness alone (gamma = 0) of nodes of falling similarity to the first of them, by insertion."""
    angles = np.linspace(0, 1, len(times))
    of = memory(
        [
            node(f"n{i}", vector=[math.cos(angle), math.sin(angle)], time=time)
            for i, (angle, time) in enumerate(zip(angles, times, strict=True))
        ]
    )
    retriever = agpr(gamma=0.0, anchor_share=0.01, time_unit=unit, time_scale=scale)
    hits = search(retriever, of, 10, Query(text="?", vector=np.array([1, 0], dtype=np.float32)))
    return [score for _, score in sorted(zip(hits.order, hits.scores, strict=True))]


E = math.exp


@pytest.mark.parametrize(
    ("unit", "times", "distances"),
    [
        ("dense_rank", [0.0, 0.0, 7.0, 7.0, 900.0], [0, 0, 1, 1, 2]),
        ("rank", [0.0, 0.0, 7.0, 7.0, 900.0], [0, 1, 2, 3, 4]),
        ("clip", [0.0, 29.9, 30.0, 61.0, 900.0], [0, 0, 1, 2, 30]),
        ("seconds", [0.0, 20.0, 40.0, 40.0, 60.0], [0, 0.5, 1, 1, 1.5]),
        ("dense_rank", [900.0, 7.0, 0.0], [0, 1, 2]),
        ("rank", [900.0, 7.0, 0.0], [0, 1, 2]),
        ("dense_rank", [None, None, None], [0, 1, 2]),
        ("rank", [None, None, None], [0, 1, 2]),
        ("dense_rank", [0.0, None, 5.0], [0, 0, 1]),
    ],
)
def test_a_time_unit_counts_what_it_says(unit: str, times: list[float | None], distances: list[float]) -> None:
    assert _scores_at(unit, times, scale=40.0) == pytest.approx([E(-distance) for distance in distances])


def test_dense_ranks_are_taken_among_the_candidates_only() -> None:
    # 8 candidates for k = 2; the many nodes between their times are none.
    angles = [0.01 * place for place in range(8)] + [1.5] * 40
    times = [0.0] * 7 + [50.0] + [float(place + 1) for place in range(40)]
    of = memory(
        [
            node(f"n{i}", vector=[math.cos(angle), math.sin(angle)], time=time)
            for i, (angle, time) in enumerate(zip(angles, times, strict=True))
        ]
    )
    hits = search(agpr(gamma=0.0), of, 2, Query(text="?", vector=np.array([1, 0], dtype=np.float32)))
    assert dict(zip(hits.order, hits.scores, strict=True))[7] == pytest.approx(E(-1))


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"time_unit": "days"}, "time_unit"),
        ({"gamma": -0.1}, "gamma"),
        ({"gamma": 1.1}, "gamma"),
        ({"candidate_factor": 0.5}, "candidate_factor"),
        ({"anchor_share": 0}, "anchor_share"),
        ({"time_scale": 0}, "time_scale"),
        ({"output_order": "newest"}, "retriever.output_order"),
        ({"hubness": "global"}, "retriever.hubness"),
        ({"correction": -1}, "retriever.correction"),
        ({"neighbours": 0}, "retriever.neighbours"),
    ],
)
def test_impossible_settings_are_named(changes: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        agpr(**changes)
