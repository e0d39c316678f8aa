"""Times of queries."""

from __future__ import annotations

from time import sleep

from memforest.bench.timing import median_microseconds
from memforest.core.types import Hits, Memory, Query
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
        return TopK(index="exact").index(memory=self._of).search(query=query, k=k)


def test_each_index_has_its_own_median_and_the_first_search_does_not_count() -> None:
    of = memory(20, dimension=384)
    slow = Slow(of)
    fast_time, slow_time = median_microseconds([TopK(index="exact").index(memory=of), slow], QUERIES[:1], k=5, rounds=3)
    assert slow.searches == 4
    assert fast_time < slow_time
    assert slow_time >= 2000
