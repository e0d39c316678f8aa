"""Mergers that wait: calls in flight, memories that go on alone, exceptions, interrupts, and how many begin at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from memforest.core.errors import MethodError
from memforest.core.outcomes import MergedSegments
from memforest.core.protocols import Merger, Reduction, WaitingMerger, Waves
from memforest.core.types import Memory, MemoryNode, Pair
from memforest.embedding.hashing import Hashing
from memforest.mergers.concat import Concat
from memforest.pipeline.compression import CompressedMemory, Executor, Task, compress_memories
from memforest.pipeline.known_merges import KnownMerges
from memforest.reembedding.text import TextReembedding
from tests.builders import memory
from tests.unit.pipeline.scripted import Script, Scripted, merging
from tests.unit.pipeline.waiting import Waiting, sleeping

CHAIN = merging((0, 1), (1, 2), (2, 3))


def parts(merger: Merger, script: Script = CHAIN) -> dict[str, Any]:
    """What the executor is made of."""
    return {
        "compressor": Scripted(script),
        "merger": merger,
        "reembedding": TextReembedding(),
        "embedder": Hashing(buckets=8),
        "ratio": 0.5,
        "seed": 0,
    }


def run(memories: list[Memory], merger: Merger, script: Script = CHAIN, **more: Any) -> list[CompressedMemory]:
    """Compressed by three merges, each of which takes the result of the one before."""
    return compress_memories(memories, **parts(merger, script), **more)


def memories(count: int) -> list[Memory]:
    """Memories of six nodes that merge down to three."""
    return [memory(6, id=f"m{number}", seed=number) for number in range(count)]


def test_only_a_merger_that_says_so_waits() -> None:
    assert isinstance(Waiting(), WaitingMerger)
    assert not isinstance(Concat(), WaitingMerger)


def test_as_many_calls_are_in_flight_as_the_merger_wants_and_no_more_threads_are_there() -> None:
    merger = Waiting(wait=sleeping(0.01), concurrency=3)
    run(memories(8), merger)
    assert (merger.calls, merger.most_in_flight, len(merger.threads)) == (24, 3, 3)
    assert not [thread for thread in threading.enumerate() if thread.name == "merger"]


def test_no_thread_is_made_that_has_nothing_to_do() -> None:
    merger = Waiting(concurrency=16)
    run(memories(2), merger)
    assert len(merger.threads) <= 2


def test_a_memory_goes_on_while_another_waits() -> None:
    last = threading.Event()

    def wait(pair: Pair) -> None:
        if pair.older.text == slow.nodes[0].text:
            assert last.wait(timeout=30)

    slow, quick = memories(2)

    def done(result: CompressedMemory) -> None:
        if result.memory.id == quick.id:
            last.set()

    tasks = [Task(of, KnownMerges(()), done=done) for of in (slow, quick)]
    Executor(**parts(Waiting(wait=wait, concurrency=2)), progress=lambda merged: None).run(tasks)
    assert last.is_set()


def test_those_with_most_to_merge_go_first() -> None:
    asked: list[str] = []
    all_sent = threading.Event()
    small, large = memory(6, id="small"), memory(40, id="large", seed=1)
    owner = {id(node): of.id for of in (small, large) for node in of.nodes}

    def wait(pair: Pair) -> None:
        asked.append(owner[id(pair.older)])
        assert all_sent.wait(timeout=30)

    def halves(of: Memory) -> Waves:
        merged = yield tuple(Pair(*of.nodes[place : place + 2]) for place in range(0, len(of), 2))
        return Reduction(nodes=tuple(node for node in merged if isinstance(node, MemoryNode)))

    def tasks() -> Iterator[Task]:
        yield Task(small, KnownMerges(()), done=lambda result: None)
        while merger.in_flight < 2:
            time.sleep(0.001)
        yield Task(large, KnownMerges(()), done=lambda result: None)
        all_sent.set()

    merger = Waiting(wait=wait, concurrency=2)
    Executor(**parts(merger, halves), progress=lambda merged: None).run(tasks())
    assert (asked[:20].count("small"), asked.count("small")) == (2, 3)


class BugError(Exception):
    """What a merger does not expect."""


def test_an_exception_in_one_call_is_raised_as_it_is_once_the_others_are_back() -> None:
    others = threading.Event()

    def wait(pair: Pair) -> None:
        if pair.older.text == of[0].nodes[0].text:
            assert others.wait(timeout=30)
            raise BugError("in one call")
        others.set()
        time.sleep(0.1)

    of = memories(4)
    merger = Waiting(wait=wait, concurrency=4)
    with pytest.raises(BugError, match="in one call") as error:
        run(of, merger)
    assert "wait" in [entry.name for entry in error.traceback]
    assert merger.returned == merger.calls - 1
    assert merger.in_flight == 0


def test_no_call_begins_after_an_exception() -> None:
    def wait(pair: Pair) -> None:
        raise BugError

    merger = Waiting(wait=wait, concurrency=1)
    with pytest.raises(BugError):
        run(memories(8), merger)
    assert merger.calls <= 2


def test_an_interrupt_waits_for_nothing() -> None:
    release = threading.Event()

    def wait(pair: Pair) -> None:
        if pair.older.text != of[0].nodes[0].text:
            release.wait(timeout=60)

    def interrupted(merged: int) -> None:
        raise KeyboardInterrupt

    of = memories(3)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(of, Waiting(wait=wait), progress=interrupted)
    assert time.monotonic() - start < 30
    release.set()


class Wordy:
    """Returns a text where a result is asked for."""

    def merge(self, *, pairs: Any, encode: Any) -> Any:
        """Texts."""
        return ["merged" for _ in pairs]


@pytest.mark.parametrize("merger", [Wordy(), Waiting(Wordy())])
def test_a_merger_that_returns_no_result_is_stopped(merger: Merger) -> None:
    with pytest.raises(MethodError, match="returned a str for a pair"):
        run(memories(1), merger)


def test_a_merger_that_wants_no_call_at_all_is_refused() -> None:
    with pytest.raises(MethodError, match="wants 0 calls at once"):
        run(memories(1), Waiting(concurrency=0))


@pytest.mark.parametrize(
    ("merger", "at_once"), [(Concat(), 64), (Waiting(concurrency=16), 64), (Waiting(concurrency=70), 70)]
)
def test_few_memories_are_under_compression_at_once_and_results_come_as_they_are_done(
    merger: Merger, at_once: int
) -> None:
    begun: list[str] = []
    done: list[str] = []
    most = 0

    def tasks() -> Iterator[Task]:
        nonlocal most
        for of in memories(100):
            begun.append(of.id)
            most = max(most, len(begun) - len(done))
            yield Task(of, KnownMerges(()), done=lambda result: done.append(result.memory.id))

    Executor(**parts(merger), progress=lambda merged: None).run(tasks())
    assert sorted(begun) == sorted(done)
    assert most == at_once


def test_what_is_known_is_not_asked_for() -> None:
    (first,) = run(memories(1), Waiting())
    merger = Waiting()
    (again,) = run(memories(1), merger, known=[KnownMerges([first.log])])
    assert merger.calls == 0
    assert again.report == first.report


def test_every_pair_counts_as_progress_once() -> None:
    (first,) = run(memories(1), Waiting())
    for known in ([], [KnownMerges([first.log])]):
        steps: list[int] = []
        run(memories(1), Waiting(), progress=steps.append, known=known)
        assert sum(steps) == 3


def test_a_waiting_merger_is_never_asked_in_bulk() -> None:
    class Pairwise(Waiting):
        def merge(self, *, pairs: Any, encode: Any) -> Any:
            raise AssertionError

    (done,) = run(memories(1), Pairwise())
    assert isinstance(done.log.merges[0].result(Pair(*memories(1)[0].nodes[:2])), MergedSegments)
