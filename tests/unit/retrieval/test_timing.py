"""Times of queries, and the bound on what AGPR may add."""

from __future__ import annotations

from time import sleep

from threadpoolctl import threadpool_limits

from memforest.config.compose import compose_spec, instantiate
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.timing import median_microseconds
from memforest.retrieval.topk import TopK
from tests.builders import memory, unit_vectors

QUERIES = [Query(text="lantern", vector=vector) for vector in unit_vectors(20, dimension=384, seed=9)]


class Slow:
    """An index that takes its time, the first time most of all."""

    def __init__(self, of: Memory) -> None:
        self._of = of
        self.searches = 0

    def search(self, *, query: Query, k: int) -> Hits:
        sleep(0.002 if self.searches else 0.1)
        self.searches += 1
        return TopK().index(memory=self._of).search(query=query, k=k)


def test_each_index_has_its_own_median_and_the_first_search_does_not_count() -> None:
    of = memory(20, dimension=384)
    slow = Slow(of)
    fast_time, slow_time = median_microseconds([TopK().index(memory=of), slow], QUERIES[:1], k=5, rounds=3)
    assert slow.searches == 4
    assert fast_time < slow_time
    assert 2000 <= slow_time < 50_000


def test_agpr_adds_less_than_200_microseconds_to_topk_over_300_nodes() -> None:
    of = memory(300, dimension=384)
    retrievers = [instantiate(compose_spec([f"retriever={name}"])["retriever"]) for name in ("topk", "agpr")]
    with threadpool_limits(limits=1, user_api="blas"):
        topk, agpr = median_microseconds([r.index(memory=of) for r in retrievers], QUERIES, k=10, rounds=30)
    assert agpr - topk < 200
