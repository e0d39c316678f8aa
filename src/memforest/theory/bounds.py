"""The bounds of the EventTree paper (its Equations 13 to 15 and 27 to 33) beside what merging did, for one memory.

Each inequality is written as `left <= right`, a loss and what bounds it. For a merge and a question, i is the part that
is more similar to the question, j the other one, and l the merged node; lambda is the weight of i in Equation 11.

Equation 13 is s_l >= lambda s_i + (1 - lambda) s_j, because the right side is divided by a length of at most 1. That
makes a positive number larger, but a negative one smaller: where the weighted sum is negative the inequality turns
around, and Equation 15 need not hold either. `negative_sum` tells these pairs apart. What holds for all vectors,
interpolated or not, is Cauchy-Schwarz for i and l themselves: s_i - s_l <= sqrt(2 - 2 rho_il).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.vectors import Grid, similarity
from memforest.theory.minima import minimum_similarities
from memforest.theory.trace import Trace, interpolated, paired_distance, paired_similarity

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Inequality:
    """left <= right for many cases; both of one length, and `negative_sum` too."""

    left: Floats
    right: Floats
    negative_sum: Booleans

    @classmethod
    def of(cls, left: Floats, right: Floats, *, negative_sum: Booleans | None = None) -> Inequality:
        """Arrays of shapes that fit each other; cases without a bound (NaN) are left out."""
        signs = np.zeros(left.shape, dtype=bool) if negative_sum is None else negative_sum
        flat = [array.ravel() for array in np.broadcast_arrays(left, right, signs)]
        known = ~np.isnan(flat[1])
        return cls(*(array[known] for array in flat))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every merge with every question, [T, questions].

    better, worse, made: s_i, s_j and s_l; older_better: whether i is the older part; weight: lambda.
    """

    better: Floats
    worse: Floats
    made: Floats
    older_better: Booleans
    weight: Floats

    @property
    def loss(self) -> Floats:
        """s_i - s_l, negative where the merged node is more similar than both parts."""
        return self.better - self.made

    @property
    def sums(self) -> Floats:
        """lambda s_i + (1 - lambda) s_j."""
        return self.weight * self.better + (1 - self.weight) * self.worse


@dataclass(frozen=True, eq=False)
class MemoryBounds:
    """What was measured on one memory.

    inequalities: by name. sums: by name, one number per question: similarities before and after, losses, and the s_j
    that go with each merge. minima: rho_min after each merge, [T + 1]. rho: similarity of the pairs that merged, [T].
    lineage: rho of a merge and of the merge that made a part of it, [parts, 2]. fit: cosine of each e_l and
    Equation 11, [T]. standing: similarity of an original node and of the one that stands for it at the end, by name of
    the group of (question, node), [cases, 2].
    """

    nodes: int
    questions: int
    inequalities: Mapping[str, Inequality]
    sums: Mapping[str, Floats]
    minima: Floats
    rho: Floats
    lineage: Floats
    fit: Floats
    standing: Mapping[str, Floats]


def memory_bounds(trace: Trace, *, questions: Grid, evidence: Booleans, older_weight: Floats) -> MemoryBounds:
    """Measure one memory with its questions.

    questions: their vectors, [questions, dimension]; evidence: whether an original node holds what a question is
    answered from, [N, questions]; older_weight: that of the older part in Equation 11, [T].
    """
    similarities = similarity(trace.grid, questions)
    pairs = _pairs(trace, similarities, older_weight)
    rho = paired_similarity(trace.grid[trace.older], trace.grid[trace.newer])
    minima = minimum_similarities(trace)
    sums = _sums(trace, similarities, pairs)
    return MemoryBounds(
        nodes=trace.nodes,
        questions=len(questions),
        inequalities={
            **_merge_inequalities(trace, pairs, minima),
            **_sum_inequalities(trace, pairs, sums, minima),
            "evidence": _evidence_inequality(trace, similarities, evidence, older_weight),
        },
        sums=sums,
        minima=minima,
        rho=rho,
        lineage=_lineage(trace, rho),
        fit=paired_similarity(trace.grid[trace.merged], interpolated(trace, older_weight)),
        standing=_standing(trace, similarities, evidence),
    )


def _pairs(trace: Trace, similarities: Floats, older_weight: Floats) -> Pairs:
    older, newer = similarities[trace.older], similarities[trace.newer]
    return Pairs(
        better=np.maximum(older, newer),
        worse=np.minimum(older, newer),
        made=similarities[trace.merged],
        older_better=older >= newer,
        weight=np.where(older >= newer, older_weight[:, None], 1 - older_weight[:, None]),
    )


def _merge_inequalities(trace: Trace, pairs: Pairs, minima: Floats) -> dict[str, Inequality]:
    """Equations 13, 14, 15 and 27, and Cauchy-Schwarz for i and l."""
    older, newer, made = (trace.grid[rows] for rows in (trace.older, trace.newer, trace.merged))
    apart = paired_distance(older, newer)[:, None]
    moved = np.where(pairs.older_better, paired_distance(older, made)[:, None], paired_distance(newer, made)[:, None])
    share, difference, negative = 1 - pairs.weight, pairs.better - pairs.worse, pairs.sums < 0
    return {
        "equation_13": Inequality.of(pairs.loss, share * difference, negative_sum=negative),
        "equation_14": Inequality.of(difference, apart, negative_sum=negative),
        "equation_15": Inequality.of(pairs.loss, share * apart, negative_sum=negative),
        "equation_27": Inequality.of(pairs.loss, share * _widest(minima[1:, None]), negative_sum=negative),
        "cauchy_schwarz": Inequality.of(pairs.loss, moved, negative_sum=negative),
    }


def _sum_inequalities(trace: Trace, pairs: Pairs, sums: Mapping[str, Floats], minima: Floats) -> dict[str, Inequality]:
    """Equations 30, 32 and 33, question by question; rho_min^(f) over all nodes that are left (`live`), as the paper
    has it, or over the pairs that merged (`merged`). For 1 - lambda stands the largest of the memory. Where the sum
    before merging is within the bound (`vacuous`), Equation 33 says no more than that the sum after is above a negative
    number."""
    if not trace.merges:
        return {}
    share = 1 - pairs.weight
    largest = trace.merges * share.max(initial=0.0)
    live = largest * _widest(minima[-1:])
    merged = largest * paired_distance(trace.grid[trace.older], trace.grid[trace.newer]).max()
    drop = sums["before"] - sums["after"]
    return {
        "equation_30": Inequality.of(sums["losses"], (share * _widest(minima[1:, None])).sum(axis=0)),
        "equation_32_live": Inequality.of(sums["losses"], live),
        "equation_32_merged": Inequality.of(sums["losses"], merged),
        "equation_33_live": Inequality.of(drop, live),
        "equation_33_merged": Inequality.of(drop, merged),
        "vacuous": Inequality.of(sums["before"], live),
    }


def _widest(rho: Floats) -> Floats:
    """sqrt(2 - 2 rho); NaN stays NaN."""
    return np.asarray(np.sqrt(np.maximum(2 - 2 * rho, 0.0)))


def _sums(trace: Trace, similarities: Floats, pairs: Pairs) -> dict[str, Floats]:
    """Both sides of Equation 33 without its bound, and what lies between them: before - after is losses + vanished
    where nothing is pruned, since a merge replaces s_i + s_j by s_l."""
    return {
        "before": similarities[: trace.nodes].sum(axis=0),
        "after": similarities[trace.left].sum(axis=0),
        "losses": pairs.loss.sum(axis=0),
        "vanished": pairs.worse.sum(axis=0),
    }


def _evidence_inequality(trace: Trace, similarities: Floats, evidence: Booleans, older_weight: Floats) -> Inequality:
    """Equation 15 with the part that holds evidence for i, more similar or not; of two such parts, the more similar."""
    holds = np.zeros(similarities.shape, dtype=bool)
    holds[: trace.nodes] = evidence
    for older, newer, made in zip(trace.older, trace.newer, trace.merged, strict=True):
        holds[made] = holds[older] | holds[newer]
    older, newer = similarities[trace.older], similarities[trace.newer]
    in_older = holds[trace.older] & (~holds[trace.newer] | (older >= newer))
    loss = np.where(in_older, older, newer) - similarities[trace.merged]
    share = np.where(in_older, 1 - older_weight[:, None], older_weight[:, None])
    apart = paired_distance(trace.grid[trace.older], trace.grid[trace.newer])[:, None]
    negative = older_weight[:, None] * older + (1 - older_weight[:, None]) * newer < 0
    counted = holds[trace.merged]
    return Inequality.of(loss[counted], (share * apart)[counted], negative_sum=negative[counted])


def _lineage(trace: Trace, rho: Floats) -> Floats:
    """rho of the merge that made a part, and of the merge that took it."""
    taken = [
        (rho[part - trace.nodes], rho[number])
        for number, parts in enumerate(zip(trace.older, trace.newer, strict=True))
        for part in parts
        if part >= trace.nodes
    ]
    return np.array(taken, dtype=np.float64).reshape(-1, 2)


def _standing(trace: Trace, similarities: Floats, evidence: Booleans) -> dict[str, Floats]:
    """Similarities of original nodes and of what stands for them at the end."""
    before = similarities[: trace.nodes]
    after = similarities[trace.standing()[: trace.nodes]]
    return {
        name: np.stack([before[group], after[group]], axis=1)
        for name, group in {"evidence": evidence, "other": ~evidence}.items()
    }
