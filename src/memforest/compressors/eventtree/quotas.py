"""How many nodes each EventTree keeps."""

from __future__ import annotations

import heapq
import math


def largest_remainder(sizes: list[int], target: int) -> list[int]:
    """Shares of `target` by largest remainder, at least 1 and at most the tree's size.

    Sums to max(target, number of trees). Ties go to the lower tree. Remainders are whole numbers, so that equal ones
    are equal.
    """
    total = sum(sizes)
    kept = [max(1, size * target // total) for size in sizes]
    change = max(target, len(sizes)) - sum(kept)

    def lacking(tree: int) -> int:
        """How much the tree's share exceeds what it keeps, times `total`."""
        return sizes[tree] * target - kept[tree] * total

    if change > 0:
        most = [(-lacking(tree), tree) for tree in range(len(sizes)) if kept[tree] < sizes[tree]]
        heapq.heapify(most)
        for _ in range(change):
            _, tree = heapq.heappop(most)
            kept[tree] += 1
            if kept[tree] < sizes[tree]:
                heapq.heappush(most, (-lacking(tree), tree))
    else:
        # Of equals the higher tree is named first: it is the one to give.
        least = [(lacking(tree), -tree) for tree in range(len(sizes)) if kept[tree] > 1]
        heapq.heapify(least)
        for _ in range(-change):
            tree = -heapq.heappop(least)[1]
            kept[tree] -= 1
            if kept[tree] > 1:
                heapq.heappush(least, (lacking(tree), -tree))
    return kept


def ceil_per_tree(sizes: list[int], ratio: float) -> list[int]:
    """Each tree's own share rounded up, as the released code does: more than M in sum.

    The tiny term keeps (1 - 0.7) * 10, a little above 3, from becoming 4.
    """
    return [max(1, min(size, math.ceil((1 - ratio) * size - 1e-9))) for size in sizes]
