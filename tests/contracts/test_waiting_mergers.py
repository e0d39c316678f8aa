"""Whatever comes back first: a merger that waits gives each compressor the bytes of one that computes."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.core.outcomes import MergeFailed, MergeResult
from memforest.core.protocols import Encode, Merger
from memforest.core.types import Pair, target_count
from memforest.pipeline.compression import CompressedMemory
from memforest.store.merge_format import dump_logs
from tests.contracts.support import component, compress, content, marked, plain, shaped, using
from tests.contracts.test_merge_logs import Rewriting
from tests.unit.pipeline.waiting import Waiting, no_vectors

every_merging_compressor = pytest.mark.parametrize("option", marked("compressor", using("merger")))
LIMIT = 5


def everything(done: CompressedMemory) -> tuple[object, ...]:
    """All that is stored of a result."""
    return content(done.memory), done.report, dump_logs([done.log])


def unsteady(seed: int) -> Callable[[Pair], None]:
    """Some calls take ten times as long as others."""
    drawn, lock = random.Random(seed), threading.Lock()

    def wait(pair: Pair) -> None:
        with lock:
            seconds = drawn.choice([0.0, 0.0, 0.0005, 0.005])
        time.sleep(seconds)

    return wait


@every_merging_compressor
@pytest.mark.parametrize("reembedding", ["text", "mean"])
def test_results_depend_on_neither_calls_nor_neighbours_nor_their_order(option: str, reembedding: str) -> None:
    memories = [plain(count, id=name) for name, count in {"a": 17, "b": 40, "c": 0, "d": 17, "e": 1}.items()]
    alone = {
        of.id: everything(compress(option, [of], ratio=0.6, merger=Rewriting(), reembedding=reembedding)[0])
        for of in memories
    }
    for concurrency, order in ((1, memories), (3, memories[::-1]), (16, memories)):
        merger = Waiting(Rewriting(), wait=unsteady(concurrency), concurrency=concurrency)
        for of, done in zip(
            order, compress(option, order, ratio=0.6, merger=merger, reembedding=reembedding), strict=True
        ):
            assert everything(done) == alone[of.id], (concurrency, of.id)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from(["memforest", "tome", "memforest_balanced"]))
def test_any_delays_give_the_same_bytes(seed: int, concurrency: int, option: str) -> None:
    (expected,) = compress(option, [shaped("plain", 17)], ratio=0.7, merger=Rewriting())
    merger = Waiting(Rewriting(), wait=unsteady(seed), concurrency=concurrency)
    (done,) = compress(option, [shaped("plain", 17)], ratio=0.7, merger=merger)
    assert everything(done) == everything(expected)


class Refusing:
    """Fails for every pair, or for those in turn that `fails` names."""

    def __init__(self, fails: Sequence[bool] = (True,), *, retry: bool = False) -> None:
        self._fails = fails
        self._retry = retry
        self._asked = 0

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """A failure, or all segments."""
        return [self._merged(pair) for pair in pairs]

    def _merged(self, pair: Pair) -> MergeResult:
        self._asked += 1
        if self._fails[self._asked % len(self._fails)]:
            return MergeFailed("no answer", retry=self._retry)
        concat: Merger = component("merger", "concat")
        return concat.merge(pairs=[pair], encode=no_vectors)[0]


@every_merging_compressor
def test_a_merger_that_always_fails_is_asked_a_few_times_and_the_memory_stays(option: str) -> None:
    of = plain(60)
    merger = Waiting(Refusing(), failures_in_a_row=LIMIT)
    (done,) = compress(option, [of], ratio=0.5, merger=merger)
    widest = len(of) // 2
    assert LIMIT <= merger.calls <= LIMIT + widest
    assert content(done.memory) == content(of)
    assert done.report["stopped"] == f"{merger.calls} failed merges in a row"
    assert done.report["shortfall"] == len(of) - target_count(count=len(of), ratio=0.5)
    assert done.report["failed_merges"] == {"no answer": merger.calls}


@every_merging_compressor
def test_failures_that_are_not_in_a_row_stop_nothing(option: str) -> None:
    merger = Waiting(Refusing([True, True, False]), concurrency=1, failures_in_a_row=LIMIT)
    (done,) = compress(option, [plain(17)], ratio=0.5, merger=merger)
    assert done.report["stopped"] is None
    assert done.log.failures


@every_merging_compressor
def test_a_memory_that_stopped_leaves_its_neighbours_alone(option: str) -> None:
    sick, healthy = plain(17, id="sick"), plain(17, id="healthy")
    ours = {id(node) for node in sick.nodes}

    class Partial(Refusing):
        def _merged(self, pair: Pair) -> MergeResult:
            return (
                MergeFailed("no answer") if id(pair.older) in ours else concat.merge(pairs=[pair], encode=no_vectors)[0]
            )

    concat: Merger = component("merger", "concat")
    merger = Waiting(Partial(), failures_in_a_row=LIMIT)
    stopped, beside = compress(option, [sick, healthy], ratio=0.5, merger=merger)
    (alone,) = compress(option, [healthy], ratio=0.5)
    assert stopped.report["stopped"]
    assert everything(beside) == everything(alone)


@pytest.mark.parametrize("retry", [False, True])
def test_calls_to_make_again_are_counted_beside_the_reasons(retry: bool) -> None:
    (done,) = compress("tome", [plain(3)], ratio=0.5, merger=Waiting(Refusing(retry=retry)))
    failures = len(done.log.failures)
    assert done.report["failed_merges"] == {"no answer": failures}
    assert done.report["retryable_failures"] == done.retryable == (failures if retry else 0)
    assert [failure.retry for failure in done.log.failures] == [retry] * failures


def test_a_merger_that_computes_is_asked_until_no_pair_is_left() -> None:
    (done,) = compress("memforest", [plain(17)], ratio=0.5, merger=Refusing())
    assert (done.report["stopped"], done.report["failed_merges"]) == (None, {"no answer": 17 * 16 // 2})
