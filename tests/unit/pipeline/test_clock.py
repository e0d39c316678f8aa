"""What an attempt took: searches one by one, the embedding of what is searched for apart from them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Thread
from typing import Any

import pytest

from memforest.core.protocols import Embedding
from memforest.core.types import Hits, Memory, Query, Question
from memforest.embedding.hashing import Hashing
from memforest.pipeline.clock import SearchClock
from memforest.pipeline.search import UnitSearch
from tests.builders import memory


def timing(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> dict[str, Any]:
    """The times of searches that took so long."""
    now = iter([moment for number, taken in enumerate(seconds) for moment in (float(number), number + taken)])
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    times = SearchClock()
    for _ in seconds:
        with times.search():
            pass
    return times.as_json(questions=3, at_once=1)


def test_mean_median_and_95th_percentile_stand_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    found = timing(monkeypatch, 0.3, 0.1, 0.2, 0.9)
    assert (found["mean"], found["median"], found["p95"]) == (0.375, 0.25, 0.9)
    assert (found["measured"], found["questions"], found["at_once"]) == (4, 3, 1)


def test_of_twenty_searches_the_slowest_is_beyond_the_95th_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timing(monkeypatch, *[0.01 * number for number in range(1, 21)])["p95"] == 0.19


def test_where_nothing_was_searched_there_is_no_time() -> None:
    found = SearchClock().as_json(questions=0, at_once=4)
    assert found["mean"] is found["median"] is found["p95"] is None and found["measured"] == 0


def test_searches_of_several_threads_are_all_counted() -> None:
    times = SearchClock()

    def search() -> None:
        with times.search():
            time.sleep(0.002)

    threads = [Thread(target=search) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = times.as_json(questions=20, at_once=20)
    assert found["measured"] == 20 and found["mean"] >= 0.002


class Watch:
    """A clock that goes on by what things are said to take."""

    def __init__(self) -> None:
        self.now = 0.0

    def take(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class Slow:
    """A retriever and its index in one, whose search takes 20 ms."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._memory = memory(0)

    def index(self, *, memory: Memory) -> Slow:
        """Takes the memory, and a second."""
        self._memory = memory
        self._watch.take(1)
        return self

    def search(self, *, query: Query, k: int) -> Hits:
        """All nodes in their order."""
        self._watch.take(0.02)
        count = len(self._memory)
        return Hits(self._memory, tuple(range(count)), tuple(float(-place) for place in range(count)), k)


class SlowEmbedder(Hashing):
    """Takes 200 ms for whatever it is asked."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(buckets=8)
        self._watch = watch

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """As the hashing embedder."""
        self._watch.take(0.2)
        return super().embed(texts=texts)


def test_a_search_is_timed_alone_and_only_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, times = Watch(), SearchClock()
    monkeypatch.setattr(time, "perf_counter", lambda: watch.now)
    question = Question(id="q", unit_id="u", text="copper")
    search = UnitSearch(
        [memory(3), memory(4, id="n")],
        [question],
        retriever=Slow(watch),
        embedder=SlowEmbedder(watch),
        k=2,
        clock=times,
    ).asking(question)
    for text in ("copper", "violin", "copper", "violin"):
        search(text)
    found = times.as_json(questions=1, at_once=1)
    assert found["measured"] == 2, "a text that was searched for is not searched for again"
    assert found["mean"] == found["median"] == found["p95"] == 0.04, "both memories together"
    assert found["embedding"] == 0.4, "the question's text with the unit, the other when it is asked"
