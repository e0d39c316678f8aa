"""ToMe: bipartite soft matching, round by round."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator, Mapping, Sequence

import numpy as np

from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeOutcome
from memforest.core.protocols import Reduction, Wave, Waves
from memforest.core.types import Memory, target_count
from memforest.core.vectors import on_grid, similarity


class ToMe:
    """Appendix A.1 of the EventTree paper, after Bolya et al. 2023.

    A round splits the nodes in insertion order alternately into A and B, joins each node of A to its most similar
    node of B, and merges along the r most similar edges, r = min(half of the nodes, what is left to remove). Several
    edges to one node of B are merged one after the other, most similar first. Ties go to the lower place. When a
    merge fails, the round goes on with the next best edge; when all of a round fail, with the best pair of any side.
    """

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Rounds until M nodes are left, the last one partial."""
        target = target_count(count=len(memory), ratio=ratio)
        pool = Pool(memory.nodes)
        rounds = 0
        while len(pool) > target:
            before = len(pool)
            yield from _round(pool, removals=min(before - target, before // 2))
            rounds += 1
            if len(pool) == before and not (yield from _best_pair_left(pool)):
                break
        return Reduction(nodes=pool.nodes, details={"rounds": rounds})


def _best_pair_left(pool: Pool) -> Generator[Wave, Sequence[MergeOutcome], bool]:
    """After a round in which every merge failed: the most similar pair that can be merged, on any side of the split.

    Returns whether there was one.
    """
    places = pool.places
    cosines = similarity(_grid(pool, places), _grid(pool, places))
    row = {place: number for number, place in enumerate(places)}
    for first, second in sorted(pool.allowed_pairs(), key=lambda pair: -cosines[row[pair[0]], row[pair[1]]]):
        (outcome,) = yield (pool.pair(first, second),)
        if pool.settle(first, second, outcome) is not None:
            return True
    return False


def _round(pool: Pool, *, removals: int) -> Waves:
    places = pool.places
    left, right = places[::2], places[1::2]
    if not right:
        return Reduction(nodes=pool.nodes)
    cosines = similarity(_grid(pool, left), _grid(pool, right))
    ranking = np.argsort(-cosines, axis=1, kind="stable")
    current = list(right)
    options = {row: _partners(pool, place, ranking[row], current) for row, place in enumerate(left)}
    edges: list[tuple[float, int, int]] = []
    for row in options:
        _push_next(edges, row, options, cosines)
    removed = 0
    while removed < removals and edges:
        chosen = [heapq.heappop(edges) for _ in range(min(removals - removed, len(edges)))]
        while chosen:
            wave, chosen = _independent(chosen)
            outcomes = yield tuple(pool.pair(left[row], current[column]) for _, row, column in wave)
            for (_, row, column), outcome in zip(wave, outcomes, strict=True):
                place = pool.settle(left[row], current[column], outcome)
                if place is None:
                    _push_next(edges, row, options, cosines)
                else:
                    current[column] = place
                    removed += 1
    return Reduction(nodes=pool.nodes)


def _partners(pool: Pool, place: int, columns: Sequence[int], current: Sequence[int]) -> Iterator[int]:
    """Columns of B in the given order with which the node of A has not been refused."""
    for column in columns:
        if not pool.refused(place, current[column]):
            yield int(column)


def _grid(pool: Pool, places: Sequence[int]) -> np.ndarray:
    return on_grid(np.stack([pool[place].vector for place in places]))


def _push_next(
    edges: list[tuple[float, int, int]], row: int, options: Mapping[int, Iterator[int]], cosines: np.ndarray
) -> None:
    """Put the row's next most similar partner on the heap, if it has one left."""
    column = next(options[row], None)
    if column is not None:
        heapq.heappush(edges, (-float(cosines[row, column]), row, column))


def _independent(
    edges: Sequence[tuple[float, int, int]],
) -> tuple[list[tuple[float, int, int]], list[tuple[float, int, int]]]:
    """The first edge of each node of B, and the rest."""
    wave: dict[int, tuple[float, int, int]] = {}
    rest = []
    for edge in edges:
        if edge[2] in wave:
            rest.append(edge)
        else:
            wave[edge[2]] = edge
    return list(wave.values()), rest
