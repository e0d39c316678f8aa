"""Fusion of similarity and BM25 against its definitions."""

from __future__ import annotations

import pytest

from memforest.core.errors import ConfigError
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.bm25 import Bm25
from memforest.retrieval.hub_corrected import HubCorrected
from memforest.retrieval.hybrid import Hybrid
from memforest.retrieval.topk import TopK
from tests.builders import axis, memory, node, unit_vectors

QUERY = Query(text="lantern violin 7", vector=unit_vectors(1, seed=9)[0])


def hybrid(**changes: object) -> Hybrid:
    """The file's settings but for the changes."""
    given_settings: dict[str, object] = {
        "fusion": "weighted",
        "lexical_weight": 0.5,
        "rrf_constant": 60.0,
        "k1": 1.2,
        "b": 0.75,
        "hubness": "none",
        "correction": 0.75,
        "neighbours": 5,
    }
    return Hybrid(**{**given_settings, **changes})  # type: ignore[arg-type]


def search(retriever: Hybrid | TopK | Bm25 | HubCorrected, of: Memory, query: Query = QUERY) -> Hits:
    return retriever.index(memory=of).search(query=query, k=10)


def scores(retriever: Hybrid | TopK | Bm25 | HubCorrected, of: Memory) -> dict[int, float]:
    hits = search(retriever, of)
    return dict(zip(hits.order, hits.scores, strict=True))


def rank_of(scores: dict[int, float], place: int) -> int:
    """From 1 on; equal scores share a rank."""
    return 1 + sum(score > scores[place] for score in scores.values())


BM25 = Bm25(k1=1.2, b=0.75)
LOCAL = HubCorrected(hubness="local", correction=0.75, neighbours=5)


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize(("hubness", "dense"), [("none", TopK(index="exact")), ("local", LOCAL)])
def test_weighted_scores_are_added(weight: float, hubness: str, dense: TopK | HubCorrected) -> None:
    of = memory(40)
    left, right = scores(dense, of), scores(BM25, of)
    found = scores(hybrid(lexical_weight=weight, hubness=hubness), of)
    assert found == {place: (1 - weight) * left[place] + weight * right[place] for place in range(40)}


@pytest.mark.parametrize("constant", [0.0, 60.0])
@pytest.mark.parametrize(("hubness", "dense"), [("none", TopK(index="exact")), ("local", LOCAL)])
def test_reciprocal_ranks_are_added(constant: float, hubness: str, dense: TopK | HubCorrected) -> None:
    of = memory(40)
    left, lexical = scores(dense, of), scores(BM25, of)
    expected = {
        place: 1 / (constant + rank_of(left, place)) + (lexical[place] > 0) / (constant + rank_of(lexical, place))
        for place in range(40)
    }
    assert 0.0 in lexical.values()
    assert len(set(lexical.values())) < 40
    assert scores(hybrid(fusion="rrf", rrf_constant=constant, hubness=hubness), of) == pytest.approx(expected)


@pytest.mark.parametrize(("weight", "alone"), [(0.0, TopK(index="exact")), (1.0, BM25)])
def test_at_both_ends_it_is_one_of_the_two(weight: float, alone: TopK | Bm25) -> None:
    of = memory(60)
    assert search(hybrid(lexical_weight=weight), of).order == search(alone, of).order


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_what_both_find_comes_first(fusion: str) -> None:
    of = memory(
        [
            node("words", "a violin", vector=axis(1)),
            node("vectors", "a cello", vector=axis(0)),
            node("neither", "a horn", vector=axis(2)),
            node("both", "a violin", vector=axis(0)),
        ]
    )
    hits = search(hybrid(fusion=fusion), of, Query(text="violin", vector=axis(0)))
    assert hits.nodes[0].id == "both"
    assert hits.nodes[3].id == "neither"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"fusion": "max"}, "retriever.fusion"),
        ({"lexical_weight": -0.1}, "retriever.lexical_weight"),
        ({"lexical_weight": 1.1}, "retriever.lexical_weight"),
        ({"rrf_constant": -1.0}, "retriever.rrf_constant"),
        ({"k1": -1.0}, "retriever.k1"),
        ({"b": 2.0}, "retriever.b"),
        ({"hubness": "global"}, "retriever.hubness"),
        ({"correction": -1.0}, "retriever.correction"),
        ({"neighbours": 0}, "retriever.neighbours"),
    ],
)
def test_impossible_settings_are_named(changes: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        hybrid(**changes)
