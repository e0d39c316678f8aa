"""A run over a video whose questions are asked before its end, from files to metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memforest.config.compose import Components, components, compose_spec
from memforest.core.protocols import Embedder, LoadedDataset, NotRunnable
from memforest.core.types import Gold, Memory, Question, Unit
from memforest.pipeline.plan import backbone_inputs, make_plan
from memforest.pipeline.run import execute
from memforest.store.runs import METRICS, StoredRun
from tests.graphs import graph_memory

CLIPS = (-1, 0, 2, None, 9)


class Videos:
    """One video, a question at each of CLIPS; what it stands on is the first node."""

    def load(self) -> LoadedDataset:
        ids = [f"q{number}" for number in range(len(CLIPS))]
        questions = [Question(id, "video", "does thing", before_clip=clip) for id, clip in zip(ids, CLIPS, strict=True)]
        golds = [Gold(id, "temporal", True, "thing", None, ("10",)) for id in ids]
        unit = Unit("video", 0, (), (), clock="video")
        return LoadedDataset((unit,), tuple(questions), tuple(golds), ("temporal",), digest="d")


class Remembered:
    """The memory of the video, as it is."""

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        return "the memory"

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        return [graph_memory(30)]


def run(outputs: Path, *overrides: str) -> StoredRun:
    spec = compose_spec(["embedder=hashing", "embedder.buckets=8", f"paths.outputs={outputs}", *overrides])
    parts: Components = replace(components(spec), dataset=Videos(), backbone=Remembered())
    data = parts.dataset.load()
    return execute(make_plan(spec, data, backbone_inputs(parts, data)), parts, data)


def early(stored: StoredRun) -> dict[str, Any]:
    found: dict[str, Any] = stored.read(METRICS)["early"]
    return found


def test_without_compression_nothing_is_lost_and_later_nodes_are_not_found(tmp_path: Path) -> None:
    stored = run(tmp_path, "k=30")
    nothing = {"hidden": 0.0, "dropped": 0.0, "questions_affected": 0.0}
    assert early(stored) == {"questions": 4, "knowing": 3, **nothing}
    assert [len(record["hits"]) for record in stored.records()] == [0, 3, 9, 30, 30]
    assert [record.get("early", {}).get("known") for record in stored.records()] == [0, 3, 9, None, 30]


@pytest.mark.parametrize("compressor", ["tome", "random_pruning"])
def test_a_method_that_merges_hides_and_one_that_prunes_drops(tmp_path: Path, compressor: str) -> None:
    found = early(run(tmp_path, f"compressor={compressor}", "ratio=0.8", "reembedding=mean"))
    assert (found["hidden"] > 0, found["dropped"] > 0) == (compressor == "tome", compressor == "random_pruning")
    assert (found["questions_affected"] > 0) == (compressor == "tome")
