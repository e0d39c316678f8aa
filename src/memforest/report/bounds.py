"""Measured bounds in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memforest.report.table import aligned

_PAIRS = {
    "equation_13": "13: s_i - s_l <= (1 - λ)(s_i - s_j)",
    "equation_14": "14: s_i - s_j <= √(2 - 2ρ)",
    "equation_15": "15: s_i - s_l <= (1 - λ)√(2 - 2ρ)",
    "equation_27": "27: the same with ρ_min after the merge",
    "cauchy_schwarz": "always: s_i - s_l <= √(2 - 2ρ_il)",
    "evidence": "15, with i the part that holds evidence",
}
_SUMS = {
    "equation_30": "30: Σ loss <= Σ (1 - λ)√(2 - 2ρ_min of the step)",
    "equation_32_live": "32: Σ loss, ρ_min of the nodes left",
    "equation_32_merged": "32: Σ loss, ρ_min of the merged pairs",
    "equation_33_live": "33: Σ before - Σ after, ρ_min of the nodes left",
    "equation_33_merged": "33: Σ before - Σ after, ρ_min of the merged pairs",
    "vacuous": "Σ before; 33 says nothing unless it exceeds the bound",
}
_STEPS = {
    "minimum": "ρ_min of all live pairs",
    "merged_pair": "ρ of the merged pair, from one merge to the next",
    "merged_pair_in_lineage": "ρ of the merged pair, from the merge that made a part",
}


def bounds_lines(found: Mapping[str, Any]) -> list[str]:
    """What `memforest bounds` prints."""
    return [
        f"run {found['run']}",
        _weights(found["reembedding"]),
        f"{found['merges']:,} merges in {found['memories_that_merged']:,} of {found['memories']:,} memories, "
        f"{found['questions']:,} questions, {found['pairs']:,} pairs of a merge and a question; in "
        f"{found['negative_sums']:,} pairs λ s_i + (1 - λ) s_j is negative, where Equations 13 and 15 need not hold",
        "",
        _inequalities("a merge and a question", _PAIRS, found),
        "",
        _inequalities("a memory and a question", _SUMS, found),
        "",
        *_sum_lines(found),
        "",
        _steps(found["steps"]),
        "",
        *_similarity_lines(found),
    ]


def _weights(reembedding: Mapping[str, Any]) -> str:
    name = reembedding["name"]
    known = {
        "interpolate": f"λ is {reembedding.get('weight')} for the older part and the rest for the newer",
        "mean": "λ is a part's share of the lengths of both parts' sums of vectors",
    }
    return f"vectors: reembedding={name}; {known.get(name, 'there is no λ, and 1/2 stands for it')}"


def _inequalities(title: str, names: Mapping[str, str], found: Mapping[str, Any]) -> str:
    header = [title, "cases", "mean left", "largest", "mean bound", "left/bound", "exceeded", "share", "negative sum"]
    rows = [[text, *_inequality(found["inequalities"][name])] for name, text in names.items()]
    return aligned(header, rows)


def _inequality(item: Mapping[str, Any]) -> list[str]:
    return [
        f"{item['cases']:,}",
        *(_number(item[name]) for name in ("mean", "largest", "mean_bound", "tightness")),
        f"{item['exceeded']:,}",
        _percent(item["exceeded_share"]),
        f"{item['exceeded_with_negative_sum']:,}",
    ]


def _sum_lines(found: Mapping[str, Any]) -> list[str]:
    sums = found["sums"]
    return [
        f"Equation 33 compares a sum over N nodes with one over M: on average Σ before is {_number(sums['before'])} "
        f"and Σ after {_number(sums['after'])};",
        f"of the difference the losses s_i - s_l are {_number(sums['losses'])}, and the s_j that vanish with each "
        f"merge, which the bound leaves out, {_number(sums['vanished'])}",
    ]


def _steps(steps: Mapping[str, Any]) -> str:
    rows = [
        [text, f"{item['steps']:,}", f"{item['rises']:,}", _percent(item["rises_share"]), f"{item['falls']:,}"]
        for name, text in _STEPS.items()
        for item in (steps[name],)
    ]
    return aligned(["does it never rise?", "steps", "rises", "share", "falls"], rows)


def _similarity_lines(found: Mapping[str, Any]) -> list[str]:
    spreads = {
        "merged_pairs": "ρ of merged pairs",
        "minimum_first": "ρ_min before the first merge",
        "minimum_last": "ρ_min after the last merge",
        "cosine_to_equation_11": "cosine of e_l and Equation 11",
    }
    groups = {"evidence": "nodes that hold a question's evidence", "other": "other nodes"}
    return [
        *(
            f"{text}: mean {_number(item['mean'])}, from {_number(item['smallest'])} to {_number(item['largest'])}"
            for name, text in spreads.items()
            for item in (found[name],)
        ),
        *(
            f"similarity of {text} to it ({item['cases']:,} cases): {_number(item['before'])} before, "
            f"{_number(item['after'])} of what stands for them after"
            for name, text in groups.items()
            for item in (found["standing"][name],)
        ),
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"
