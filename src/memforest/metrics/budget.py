"""Which hits a reader sees: the first k of each memory, or as many whole hits as fit a budget of words."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memforest.core.types import Hits, MemoryNode


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One node of a ranking over all memories of a unit."""

    memory_id: str
    node: MemoryNode
    score: float


def first_k(rankings: Sequence[Hits]) -> list[RankedHit]:
    """The k hits of each memory, memory after memory."""
    return [
        RankedHit(hits.memory.id, hits.memory.nodes[place], score)
        for hits in rankings
        for place, score in zip(hits.order[: hits.k], hits.scores[: hits.k], strict=True)
    ]


def merged_ranking(rankings: Sequence[Hits]) -> Iterator[RankedHit]:
    """All nodes of all memories by score; ties by memory, then by rank."""
    heads = [(-hits.scores[0], number, 0) for number, hits in enumerate(rankings) if hits.order]
    heapq.heapify(heads)
    while heads:
        score, number, rank = heads[0]
        hits = rankings[number]
        yield RankedHit(hits.memory.id, hits.memory.nodes[hits.order[rank]], -score)
        if rank + 1 < len(hits.order):
            heapq.heapreplace(heads, (-hits.scores[rank + 1], number, rank + 1))
        else:
            heapq.heappop(heads)


def within_words(ranking: Sequence[RankedHit], budget: int, *, smallest: int) -> list[RankedHit]:
    """Whole hits in rank order while they fit; one that would exceed the budget is skipped.

    `smallest` is the word count of the shortest node: once less is left, nothing more can fit.
    """
    taken: list[RankedHit] = []
    left = budget
    for hit in ranking:
        if left < smallest:
            break
        if hit.node.words <= left:
            taken.append(hit)
            left -= hit.node.words
    return taken
