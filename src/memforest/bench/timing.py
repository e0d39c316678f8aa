"""How long a query takes when its vector is given. Results never depend on this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from statistics import median
from time import perf_counter_ns
from typing import Any

from memforest.core.protocols import Index
from memforest.core.types import Query


def median_microseconds(
    indexes: Sequence[Index], queries: Sequence[Query], *, k: int, rounds: int
) -> tuple[float, ...]:
    """Median time of one search in microseconds, one number for each index; as `microseconds` measures it."""
    return tuple(median(times) for times in microseconds(indexes, queries, k=k, rounds=rounds, clock=perf_counter_ns))


def microseconds(
    indexes: Sequence[Index], queries: Sequence[Query], *, k: int, rounds: int, clock: Callable[[], int]
) -> tuple[list[float], ...]:
    """What single searches take in microseconds by a clock of nanoseconds, one list for each index.

    Every query is searched `rounds` times in every index, after a first time that does not count. The indexes take
    turns, so what else the machine does falls on all of them alike. For comparable numbers BLAS should have one thread.
    """
    taken: list[list[float]] = [[] for _ in indexes]
    for turn in range(rounds + 1):
        for query in queries:
            for index, times in zip(indexes, taken, strict=True):
                start = clock()
                index.search(query=query, k=k)
                if turn:
                    times.append((clock() - start) / 1000)
    return tuple(taken)


def blas_threads(limit: int) -> AbstractContextManager[Any]:
    """At most so many threads of BLAS and OpenMP within the block."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=limit)
    return limits
