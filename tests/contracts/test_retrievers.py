"""What every retriever in conf/retriever must do, for any memory, before and after any compressor."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from memforest.core.types import Hits, Memory, Query
from tests.builders import memory, node
from tests.contracts.support import (
    EMBEDDER,
    SHAPES,
    component,
    compressed,
    marked,
    plain,
    shaped,
    usable,
)

every_retriever = pytest.mark.parametrize("option", marked("retriever", usable("retriever")))
every_k = pytest.mark.parametrize("k", [1, 5, 10, 1000])
QUERIES = ("lantern harbour", "violin 3", "nothing of this", "")
MEMORIES: Mapping[str, Memory] = {
    **{f"{shape} {count}": shaped(shape, count) for shape in SHAPES for count in (1, 2, 60)},
    "empty": plain(0),
}


def search(option: str, memory: Memory, text: str, k: int) -> Hits:
    query = Query(text=text, vector=EMBEDDER.embed(texts=[text]).vectors[0], time=None)
    hits: Hits = component("retriever", option).index(memory=memory).search(query=query, k=k)
    return hits


def require_ranking(hits: Hits, memory: Memory, k: int) -> None:
    """Each node once, as many hits as asked for or there are, scores that never increase."""
    assert sorted(hits.order) == list(range(len(memory)))
    assert len(hits.scores) == len(hits.order)
    assert all(first >= second for first, second in zip(hits.scores, hits.scores[1:], strict=False))
    assert (hits.k, len(hits.nodes)) == (k, min(k, len(memory)))
    assert hits.memory is memory


@every_k
@pytest.mark.parametrize("name", MEMORIES)
@every_retriever
def test_the_ranking_is_complete_and_k_is_respected(option: str, name: str, k: int) -> None:
    for text in QUERIES:
        require_ranking(search(option, MEMORIES[name], text, k), MEMORIES[name], k)


@pytest.mark.parametrize("compressor", marked("compressor", usable("compressor")))
@every_retriever
def test_it_works_after_every_compressor(option: str, compressor: str) -> None:
    for ratio in (0.5, 0.99):
        smaller = compressed(compressor, "plain", 60, ratio).memory
        require_ranking(search(option, smaller, QUERIES[0], 5), smaller, 5)


@every_retriever
def test_the_same_search_gives_the_same_hits(option: str) -> None:
    first, second = (search(option, plain(60), QUERIES[0], 10) for _ in range(2))
    assert (first.order, first.scores) == (second.order, second.scores)


@every_retriever
def test_an_index_does_not_remember_earlier_searches(option: str) -> None:
    index = component("retriever", option).index(memory=plain(60))
    queries = [Query(text=text, vector=EMBEDDER.embed(texts=[text]).vectors[0]) for text in QUERIES]
    forwards = [index.search(query=query, k=5).scores for query in queries]
    backwards = [index.search(query=query, k=5).scores for query in queries[::-1]]
    assert forwards == backwards[::-1]


@every_k
@pytest.mark.parametrize("shape", ["identical vectors", "empty texts"])
@every_retriever
def test_equal_nodes_keep_insertion_order(option: str, shape: str, k: int) -> None:
    alike = memory([node(f"n{place}", vector=shaped(shape, 1).nodes[0].vector, time=0.0) for place in range(60)])
    assert search(option, alike, QUERIES[0], k).order == tuple(range(60))


@every_retriever
def test_a_node_that_is_the_query_comes_first(option: str) -> None:
    nodes = plain(60)
    text = nodes.nodes[41].text
    assert search(option, nodes, text, 10).nodes[0].text == text
