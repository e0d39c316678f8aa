"""A real model's replies on the bundled sample: runs are repeated from them and give the numbers of the docs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memforest.core.errors import UNFINISHED
from tests.e2e.desk import ROOT, Desk, Said

RECORDING = ROOT / "tests" / "fixtures" / "sample_qwen2.5_coder_1.5b.jsonl.gz"
COMMAND = (
    "embedder=minilm",
    "ratio=0.5",
    "merger=llm",
    "merger.max_words=40",
    "answerer=mem0",
    "judge=memtree_public",
    "answer_incomplete=true",
    "llm=replay",
    "llm.model=qwen2.5-coder-1.5b-instruct-q4",
    f"llm.recording={RECORDING}",
)
PUBLISHED = {
    "none": (88.0, 71.2, 73.9, 46.7),
    "tome": (87.6, 57.3, 60.5, 30.0),
    "memforest": (88.8, 60.9, 71.4, 36.0),
}
"""Evidence recall, answer words, accuracy and set_f1 as docs/results_models.md has them."""

LOOPING = ("memforest",)
"""Where some merges never came to an end."""


def numbers(metrics: dict[str, Any]) -> tuple[float, ...]:
    (judge,) = metrics["answers"]["judges"].values()
    found = metrics["evidence_recall"], metrics["answer_token_recall"], judge["mean"]
    return tuple(round(value, 1) for value in (*found, metrics["answers"]["set_f1"]["mean"]))


@pytest.mark.parametrize(
    "compressor", [pytest.param(name, marks=() if name == "memforest" else pytest.mark.slow) for name in PUBLISHED]
)
def test_a_recorded_run_gives_its_numbers_again(compressor: str, typed: Callable[..., Said], desk: Desk) -> None:
    said = typed(f"compressor={compressor}", *COMMAND)
    assert said.code == (UNFINISHED if compressor in LOOPING else 0), said.err
    assert said.seconds < 60
    metrics = json.loads((desk.folder / said.folder / "metrics.json").read_text())
    assert numbers(metrics) == PUBLISHED[compressor]
    assert metrics["answers"]["answered"] == 119
    assert (metrics["nodes_after"], metrics["shortfall"]) == (364 if compressor == "none" else 182, 0)
