"""How many nodes each group of a memory keeps: EventTrees, clusters, clips, kinds."""

from __future__ import annotations

import heapq
import math


def largest_remainder(sizes: list[int], target: int, *, least: int = 1) -> list[int]:
    """Shares of `target` by largest remainder, at least `least` (0 or 1) and at most the group's size.

    Sums to max(target, least times the number of groups). Ties go to the lower group. Remainders are whole numbers, so
    that equal ones are equal.
    """
    total = sum(sizes)
    kept = [max(least, size * target // total) for size in sizes]
    change = max(target, least * len(sizes)) - sum(kept)

    def lacking(group: int) -> int:
        """How much the group's share exceeds what it keeps, times `total`."""
        return sizes[group] * target - kept[group] * total

    if change > 0:
        most = [(-lacking(group), group) for group in range(len(sizes)) if kept[group] < sizes[group]]
        heapq.heapify(most)
        for _ in range(change):
            _, group = heapq.heappop(most)
            kept[group] += 1
            if kept[group] < sizes[group]:
                heapq.heappush(most, (-lacking(group), group))
    else:
        # Of equals the higher group is named first: it is the one to give.
        least_lacking = [(lacking(group), -group) for group in range(len(sizes)) if kept[group] > 1]
        heapq.heapify(least_lacking)
        for _ in range(-change):
            group = -heapq.heappop(least_lacking)[1]
            kept[group] -= 1
            if kept[group] > 1:
                heapq.heappush(least_lacking, (lacking(group), -group))
    return kept


def spread(sizes: list[int], target: int) -> list[int]:
    """`largest_remainder` that sums to `target`: at least 1 each where that is enough for all groups."""
    return largest_remainder(sizes, target, least=int(target >= len(sizes))) if sizes else []


def rounded_up(size: int, ratio: float) -> int:
    """What is left of a group by the released codes' rule, at least 1: ceil((1 - ratio) size).

    The tiny term keeps (1 - 0.7) * 10, a little above 3, from becoming 4.
    """
    return max(1, min(size, math.ceil((1 - ratio) * size - 1e-9)))


def ceil_per_group(sizes: list[int], ratio: float) -> list[int]:
    """Each group's own share rounded up: more than M in sum."""
    return [rounded_up(size, ratio) for size in sizes]


def trimmed(sizes: list[int], ratio: float, *, target: int) -> list[int]:
    """Shares rounded up as `ceil_per_group`, then one less in turn until they sum to `target`, none below 1.

    Those whose share has the smallest fraction give first, of equals the smaller group, then the lower. This is the
    rule of StreamMeCo's released code: what it takes from is, before all others, a share that is whole.
    """
    kept = ceil_per_group(sizes, ratio)
    order = sorted(range(len(sizes)), key=lambda group: (_fraction((1 - ratio) * sizes[group]), sizes[group]))
    excess = sum(kept) - max(target, len(sizes))
    while excess > 0:
        for group in order:
            if excess > 0 and kept[group] > 1:
                kept[group] -= 1
                excess -= 1
    return kept


def _fraction(share: float) -> float:
    """Without the noise that makes 3 of 2.9999999999999996, and with it the largest fraction of the smallest."""
    near = round(share, 9)
    return near - math.floor(near)
