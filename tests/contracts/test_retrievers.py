"""What every retriever in conf/retriever must do, for any memory, before and after any compressor."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from memforest.core.protocols import CuttingRetriever
from memforest.core.types import Hits, Memory, Query
from tests.builders import memory, node
from tests.contracts.support import (
    EMBEDDER,
    SHAPES,
    choice,
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


def require_ranking(hits: Hits, memory: Memory, k: int, *, option: str) -> None:
    """Each node once, as many hits as asked for or there are, scores that never increase; a retriever that ignores k
    has as many hits as it likes."""
    assert sorted(hits.order) == list(range(len(memory)))
    assert len(hits.scores) == len(hits.order)
    assert all(first >= second for first, second in zip(hits.scores, hits.scores[1:], strict=False))
    asked = hits.k if "k" in choice("retriever", option).ignores else k
    assert (hits.k, len(hits.nodes)) == (asked, min(asked, len(memory)))
    assert hits.memory is memory


@every_k
@pytest.mark.parametrize("name", MEMORIES)
@every_retriever
def test_the_ranking_is_complete_and_k_is_respected(option: str, name: str, k: int) -> None:
    for text in QUERIES:
        require_ranking(search(option, MEMORIES[name], text, k), MEMORIES[name], k, option=option)


@every_retriever
def test_a_retriever_that_cuts_itself_says_so_in_its_file(option: str) -> None:
    ignores = choice("retriever", option).ignores
    assert isinstance(component("retriever", option), CuttingRetriever) == ("k" in ignores)
    if ignores:
        hits = [search(option, plain(60), QUERIES[0], k) for k in (1, 10)]
        assert hits[0].order == hits[1].order
        assert hits[0].k == hits[1].k


@every_retriever
def test_what_was_shown_is_not_shown_again_and_nothing_else_is_lost(option: str) -> None:
    hits = search(option, plain(60), QUERIES[0], 10)
    shown = {node.id for node in hits.nodes} | {hits.memory.nodes[hits.order[-1]].id}
    rest = hits.without(shown)
    assert {rest.memory.nodes[place].id for place in rest.order} == {node.id for node in plain(60).nodes} - shown
    assert len(set(rest.order)) == len(rest.order) == len(rest.scores)
    assert all(first >= second for first, second in zip(rest.scores, rest.scores[1:], strict=False))
    assert not {node.id for node in rest.nodes} & shown
    both = hits.without(shown).without({node.id for node in rest.nodes})
    at_once = hits.without(shown | {node.id for node in rest.nodes})
    assert (both.order, both.k) == (at_once.order, at_once.k)


@pytest.mark.parametrize("compressor", marked("compressor", usable("compressor")))
@every_retriever
def test_it_works_after_every_compressor(option: str, compressor: str) -> None:
    for ratio in (0.5, 0.99):
        smaller = compressed(compressor, "plain", 60, ratio).memory
        require_ranking(search(option, smaller, QUERIES[0], 5), smaller, 5, option=option)


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
