"""What one search of a video's memory takes, beside the released procedure: R-Time of the EventTree paper, Table 14.

Both are given the query's vector, as R-Time is the time of the search alone, and have one thread, so that seconds of
the processor, which are given, are near the wall clock of an idle machine. Ours has its matrices loaded once; the
released one turns lists of numbers into arrays in every search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time_ns

import numpy as np

from memforest.bench.figures import Figure
from memforest.bench.released_search import ReleasedSearch
from memforest.bench.timing import blas_threads, microseconds
from memforest.bench.worlds import robot_like
from memforest.config.compose import components, compose_spec
from memforest.config.folder import settings
from memforest.core.errors import MethodError
from memforest.core.protocols import Index
from memforest.core.types import Memory, Query
from memforest.core.vectors import normalised

RETRIEVERS = ("m3_agent", "m3_agent_agpr", "streammeco", "topk", "agpr")
QUERIES, ROUNDS = 10, 20
K = 20


def figures(*, small: bool, say: Callable[[str], None]) -> list[Figure]:
    """Median and 95th percentile of a search by retriever, and the released search beside the first; `small` is for
    tests: little data. Raises MethodError when both do not find the same nodes."""
    say("making a memory")
    memory = robot_like(240, dimension=64) if small else robot_like(2400, dimension=3072)
    queries = _queries(memory, count=3 if small else QUERIES)
    indexes = [components(compose_spec([f"retriever={name}"])).retriever.index(memory=memory) for name in RETRIEVERS]
    released = ReleasedSearch(
        memory, **{name: settings("retriever", "m3_agent")[name] for name in ("clips", "threshold")}
    )
    with blas_threads(1):
        say("our searches")
        ours = microseconds(indexes, queries, k=K, rounds=2 if small else ROUNDS, clock=process_time_ns)
        say("the released search")
        # The first search imports what it needs and does not count.
        theirs = [_timed(released, query, indexes[0]) for query in [queries[0], *queries]][1:]
    own = [figure for name, times in zip(RETRIEVERS, ours, strict=True) for figure in _figures(name, times, memory)]
    return [
        *own,
        Figure(
            "released_ms", median(theirs) / 1000, "ms", f"the released search, lists in every call, {_tail(theirs)}"
        ),
        Figure("speedup", median(theirs) / median(ours[0]), "x", "the released search by m3_agent", at_least=20),
    ]


def _queries(memory: Memory, *, count: int) -> list[Query]:
    """Vectors near to those of nodes that lie evenly over the memory."""
    places = np.linspace(0, len(memory) - 1, count).astype(int)
    noise = np.random.default_rng(0).normal(size=(count, memory.matrix.shape[1])) / np.sqrt(memory.matrix.shape[1])
    return [Query(text="", vector=vector) for vector in normalised(memory.matrix[places] + 0.5 * noise)]


def _timed(released: ReleasedSearch, query: Query, ours: Index) -> float:
    """Microseconds of one released search; MethodError when ours finds other nodes."""
    start = process_time_ns()
    found = released.search(query)
    taken = (process_time_ns() - start) / 1000
    hits = ours.search(query=query, k=K).nodes
    if not found or {node.id for node in found} != {node.id for node in hits}:
        raise MethodError("the released search and ours found different nodes")
    return taken


def _figures(name: str, times: Sequence[float], memory: Memory) -> list[Figure]:
    size = f"{len(memory):,} nodes of {memory.matrix.shape[1]:,} dimensions"
    return [
        Figure(f"{name}_ms", median(times) / 1000, "ms", f"a search, vector given, {size}", at_most=5),
        Figure(f"{name}_p95_ms", _p95(times) / 1000, "ms", "95th percentile"),
    ]


def _p95(times: Sequence[float]) -> float:
    return float(np.percentile(times, 95))


def _tail(times: Sequence[float]) -> str:
    return f"95th percentile {_p95(times) / 1000:.0f} ms"
