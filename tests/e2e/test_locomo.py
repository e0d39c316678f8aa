"""The numbers of the issue on the official file; skipped where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memforest.datasets.locomo import Locomo
from tests.e2e.desk import Desk

TOLERANCE = 0.4


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One folder for all tests here, so that texts are embedded once, by whichever test process comes first."""
    folder = tmp_path_factory.getbasetemp().parent / "locomo-desk"
    folder.mkdir(exist_ok=True)
    return Desk(folder)


def measured(desk: Desk, data_folder: Path, *overrides: str) -> dict[str, Any]:
    """Metrics of a run on LoCoMo."""
    run = desk.finish("dataset=locomo", f"paths.data={data_folder}", *overrides)
    loaded: dict[str, Any] = json.loads((run / "metrics.json").read_bytes())
    return loaded


def near(value: float) -> object:
    """Within the issue's tolerance."""
    return pytest.approx(value, abs=TOLERANCE)


def test_the_official_file_has_the_counts_of_its_evaluator(data_folder: Path) -> None:
    loaded = Locomo(path=None, data_folder=str(data_folder)).load()
    categories = [gold.category for gold in loaded.golds]
    counts = [categories.count(name) for name in ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")]
    assert counts == [282, 321, 96, 841, 446]
    assert len(loaded.units) == 10


@pytest.mark.slow
def test_the_uncompressed_memory_has_the_known_recalls(shared_desk: Desk, data_folder: Path) -> None:
    metrics = measured(shared_desk, data_folder, "embedder=minilm", "compressor=none")
    assert metrics["nodes_before"] == metrics["nodes_after"] == 2541
    assert metrics["memories"] == 10
    assert metrics["evidence_recall"] == near(60.5)
    categories = metrics["evidence_recall_by_category"]
    assert categories["multi-hop"] == near(45.1)
    assert categories["temporal"] == near(73.3)
    assert categories["open-domain"] == near(32.3)
    assert categories["single-hop"] == near(63.9)
    assert categories["adversarial"] is None
    assert list(metrics["evidence_recall_at_words"].values()) == [near(60.8), near(67.4), near(72.3)]
    assert metrics["questions"] == 1986


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tome", "memforest"])
def test_lossless_merging_at_half_stays_above_61(shared_desk: Desk, data_folder: Path, method: str) -> None:
    metrics = measured(shared_desk, data_folder, "embedder=minilm", f"compressor={method}", "ratio=0.5")
    assert metrics["nodes_after"] == 1271
    assert metrics["evidence_recall"] > 61
    assert metrics["dropped_nodes"] == metrics["dropped_segments"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "expected"), [("random_pruning", 34), ("kmeans", 39), ("dart", 42), ("random_merging", 49)]
)
def test_the_other_methods_at_half_are_near_the_known_recalls(
    shared_desk: Desk, data_folder: Path, method: str, expected: float
) -> None:
    metrics = measured(shared_desk, data_folder, "embedder=minilm", f"compressor={method}", "ratio=0.5")
    assert metrics["nodes_after"] == 1271
    assert metrics["evidence_recall"] == pytest.approx(expected, abs=4)


@pytest.mark.slow
def test_mem0_exports_give_sixteen_speakers_and_list_the_units_without(shared_desk: Desk, data_folder: Path) -> None:
    folder = data_folder / "mem0_export" / "locomo"
    metrics = measured(
        shared_desk, data_folder, "backbone=mem0", f"backbone.export_dir={folder}", "compressor=tome", "ratio=0.5"
    )
    loaded = Locomo(path=None, data_folder=str(data_folder)).load()
    absent = {loaded.units[index].id for index in (3, 8)}
    assert metrics["memories"] == 16
    assert set(metrics["not_runnable"]["units"]) == absent
    assert metrics["not_runnable"]["questions"] == sum(question.unit_id in absent for question in loaded.questions)
    assert metrics["questions"] == 1986
    assert metrics["evidence_recall"] is None
    assert metrics["session_evidence_recall"] > 50
