"""Hub correction against slow definitions, and its exactness."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.core.errors import ConfigError
from memforest.core.types import Memory, Query
from memforest.core.vectors import mean_vector, on_grid, similarity
from memforest.retrieval import hubness
from memforest.retrieval.hub_corrected import HubCorrected
from memforest.retrieval.hubness import HubCorrection, local_hubness, mean_hubness
from memforest.retrieval.topk import TopK
from tests.builders import axis, memory, node, unit_vectors

QUERY = Query(text="?", vector=unit_vectors(1, seed=9)[0])


def hub_corrected(**changes: object) -> HubCorrected:
    """A correction that can be seen but for the changes."""
    given_settings: dict[str, object] = {"hubness": "mean", "correction": 1.0, "neighbours": 3}
    return HubCorrected(**{**given_settings, **changes})  # type: ignore[arg-type]


def crowded(count: int, *, seed: int = 0) -> Memory:
    """Random nodes of which every third is a copy of an earlier one."""
    vectors = unit_vectors(count, seed=seed)
    vectors[2::3] = vectors[: len(vectors[2::3])]
    return memory([node(f"n{place}", vector=vector) for place, vector in enumerate(vectors)])


def shuffled(of: Memory, *, seed: int) -> Memory:
    nodes = list(of.nodes)
    random.Random(seed).shuffle(nodes)
    return memory(nodes)


def scores(retriever: HubCorrected | TopK, of: Memory) -> dict[str, float]:
    hits = retriever.index(memory=of).search(query=QUERY, k=5)
    return {of.nodes[place].id: score for place, score in zip(hits.order, hits.scores, strict=True)}


@given(st.integers(1, 40))
def test_the_mean_form_is_the_mean_similarity_to_the_memory(count: int) -> None:
    grid = crowded(count, seed=count).grid
    means = [sum(float(similarity(left, right)) for right in grid) / count for left in grid]
    assert mean_hubness(grid) == pytest.approx(means, abs=1e-7)


def test_the_mean_vector_is_the_exact_mean_rounded_to_the_grid() -> None:
    grid = crowded(37).grid
    for column, found in zip(grid.T, mean_vector(grid), strict=True):
        exact = sum((Fraction(float(value)) for value in column), Fraction(0)) / len(column)
        assert abs(Fraction(float(found)) - exact) <= Fraction(1, 2**26) + Fraction(1, 2**50)
        assert (float(found) * 2**25).is_integer()


@given(st.integers(0, 40), st.integers(1, 12))
def test_the_local_form_is_the_mean_over_the_nearest_others(count: int, neighbours: int) -> None:
    grid = crowded(count, seed=count).grid
    expected = []
    for place, vector in enumerate(grid):
        others = [float(similarity(vector, other)) for number, other in enumerate(grid) if number != place]
        nearest = sorted(others)[-neighbours:]
        expected.append(sum(nearest) / len(nearest) if nearest else 0.0)
    assert local_hubness(grid, neighbours=neighbours).tolist() == expected


def test_a_copy_is_a_neighbour_and_the_node_itself_is_none() -> None:
    of = memory([node("a", vector=[1, 0]), node("b", vector=[0, 1]), node("copy of a", vector=[1, 0])])
    assert local_hubness(of.grid, neighbours=1).tolist() == [1, 0, 1]
    assert local_hubness(of.grid, neighbours=9).tolist() == [0.5, 0, 0.5]


def test_rows_are_taken_in_blocks_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = crowded(50).grid
    whole = local_hubness(grid, neighbours=4).tolist()
    monkeypatch.setattr(hubness, "_ROWS", 7)
    assert local_hubness(grid, neighbours=4).tolist() == whole


@pytest.mark.parametrize("form", ["mean", "local"])
@pytest.mark.parametrize("seed", range(3))
def test_scores_do_not_depend_on_the_order_of_the_nodes(form: str, seed: int) -> None:
    of = crowded(60)
    retriever = hub_corrected(hubness=form, correction=0.3)
    assert scores(retriever, of) == scores(retriever, shuffled(of, seed=seed))


@settings(deadline=None)
@given(st.integers(1, 60))
def test_the_mean_form_at_1_is_centring_the_query_to_the_last_bit(count: int) -> None:
    of = crowded(count, seed=count)
    centred = similarity(of.grid, on_grid(QUERY.vector) - mean_vector(of.grid))
    assert scores(hub_corrected(), of) == {node.id: float(score) for node, score in zip(of.nodes, centred, strict=True)}


@pytest.mark.parametrize("form", ["mean", "local"])
def test_a_correction_of_0_is_topk(form: str) -> None:
    of = crowded(60)
    plain = TopK(index="exact").index(memory=of).search(query=QUERY, k=10)
    same = hub_corrected(hubness=form, correction=0.0).index(memory=of).search(query=QUERY, k=10)
    assert (same.order, same.scores) == (plain.order, plain.scores)


@pytest.mark.parametrize("form", ["mean", "local"])
def test_a_node_that_is_like_everything_stands_back(form: str) -> None:
    axes = [node(f"axis {place}", vector=axis(place, dimension=5)) for place in range(1, 4)]
    of = memory([node("hub", vector=[0.5, 0.5, 0.5, 0.5, 0]), node("answer", vector=[0.45, 0, 0, 0, 0.893]), *axes])
    query = Query(text="?", vector=axis(0, dimension=5))
    assert TopK(index="exact").index(memory=of).search(query=query, k=1).nodes[0].id == "hub"
    found = hub_corrected(hubness=form).index(memory=of).search(query=query, k=1)
    assert found.nodes[0].id == "answer"


def test_none_takes_nothing_off() -> None:
    off = HubCorrection(hubness="none", correction=1.0, neighbours=3).offsets(crowded(9))
    assert off.tolist() == [0.0] * 9


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"hubness": "global"}, "hubness"),
        ({"hubness": "none"}, "topk"),
        ({"correction": -0.1}, "correction"),
        ({"correction": float("nan")}, "correction"),
        ({"correction": float("inf")}, "correction"),
        ({"neighbours": 0}, "neighbours"),
    ],
)
def test_impossible_settings_are_named(changes: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        hub_corrected(**changes)
