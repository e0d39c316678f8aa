"""Many memories' measurements as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memforest.theory.bounds import Inequality, MemoryBounds

ROUNDING = 1e-6
"""Vectors are stored in single precision and rounded to a grid: a loss above its bound by less than this is none."""

SUMS = ("before", "after", "losses", "vanished")


def summarise_bounds(measured: Sequence[MemoryBounds]) -> dict[str, Any]:
    """Numbers over all memories, at least one of which merged something; means over cases, each with equal weight."""
    merging = [memory for memory in measured if len(memory.rho)]
    names = merging[0].inequalities
    return {
        "memories": len(measured),
        "memories_that_merged": len(merging),
        "merges": sum(len(memory.rho) for memory in merging),
        "pairs": sum(len(memory.rho) * memory.questions for memory in merging),
        "negative_sums": sum(int(memory.inequalities["equation_15"].negative_sum.sum()) for memory in merging),
        "inequalities": {name: _inequality([memory.inequalities[name] for memory in merging]) for name in names},
        "sums": {name: _mean(np.concatenate([memory.sums[name] for memory in merging])) for name in SUMS},
        "merged_pairs": _spread(np.concatenate([memory.rho for memory in merging])),
        "cosine_to_equation_11": _spread(np.concatenate([memory.fit for memory in merging])),
        "minimum_first": _spread(np.array([memory.minima[0] for memory in merging])),
        "minimum_last": _spread(np.array([memory.minima[-1] for memory in merging])),
        "steps": {
            "minimum": _steps([_known_steps(memory.minima) for memory in merging]),
            "merged_pair": _steps([_known_steps(memory.rho) for memory in merging]),
            "merged_pair_in_lineage": _steps([memory.lineage for memory in merging]),
        },
        "standing": {
            group: _standing(np.concatenate([memory.standing[group] for memory in merging]))
            for group in merging[0].standing
        },
    }


def _inequality(parts: Sequence[Inequality]) -> dict[str, Any]:
    left, right, negative = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("left", "right", "negative_sum")
    )
    exceeded = left > right + ROUNDING
    mean, bound = _mean(left), _mean(right)
    return {
        "cases": len(left),
        "mean": mean,
        "largest": _rounded(left.max()) if len(left) else None,
        "mean_bound": bound,
        "tightness": _rounded(mean / bound) if mean is not None and bound else None,
        "exceeded": int(exceeded.sum()),
        "exceeded_share": _mean(exceeded),
        "exceeded_with_negative_sum": int((exceeded & negative).sum()),
        "largest_excess": _rounded((left - right)[exceeded].max()) if exceeded.any() else None,
    }


def _known_steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each value and the one before it, where both are known, [steps, 2]."""
    steps = np.stack([values[:-1], values[1:]], axis=1)
    return steps[~np.isnan(steps).any(axis=1)]


def _steps(parts: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """How often a value rises and falls; similarities are exact, so no rounding is allowed for."""
    before, after = np.concatenate(parts).T
    return {
        "steps": len(before),
        "rises": int((after > before).sum()),
        "falls": int((after < before).sum()),
        "rises_share": _mean(after > before),
    }


def _standing(cases: NDArray[np.float64]) -> dict[str, Any]:
    return {"cases": len(cases), "before": _mean(cases[:, 0]), "after": _mean(cases[:, 1])}


def _spread(values: NDArray[np.float64]) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    if not len(known):
        return {"mean": None, "smallest": None, "largest": None}
    return {"mean": _mean(known), "smallest": _rounded(known.min()), "largest": _rounded(known.max())}


def _mean(values: NDArray[Any]) -> float | None:
    return _rounded(values.mean()) if len(values) else None


def _rounded(value: float) -> float:
    """Six decimals, free of the last bits of a sum."""
    return round(float(value), 6)
