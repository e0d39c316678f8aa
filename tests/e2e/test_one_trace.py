"""A run at one ratio serves those at others: the same bytes, and fewer merges."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from memforest.pipeline.replay import replay
from memforest.report.inspect import why_lines
from memforest.store.memory_format import dump_memories, load_memories
from memforest.store.merge_format import load_logs
from memforest.store.runs import StoredRun
from tests.e2e.desk import SMALL, Desk, Said, memories, results, stages

RATIOS = ("0.3", "0.5", "0.7")
METHOD = (*SMALL, "compressor=memforest", "compressor.alpha=0.2")


def finished(typed: Callable[..., Said], desk: Desk, *overrides: str) -> Path:
    said = typed(*METHOD, *overrides)
    assert said.code == 0, said.err
    return desk.folder / said.folder


def everything(desk: Desk, run: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    return results(run), memories(desk.outputs)


@pytest.mark.parametrize(
    "choice",
    [
        "merger=concat",
        *(pytest.param(other, marks=pytest.mark.slow) for other in ("merger=extractive", "reembedding=mean")),
    ],
)
def test_ratios_in_any_order_give_the_bytes_of_separate_runs(
    typed: Callable[..., Said], desk: Desk, choice: str
) -> None:
    alone: dict[str, bytes] = {}
    for ratio in RATIOS:
        finished(typed, desk, choice, f"ratio={ratio}")
        alone |= memories(desk.outputs)
        shutil.rmtree(desk.outputs)
    for order in list(permutations(RATIOS))[::2]:
        for ratio in order:
            finished(typed, desk, choice, f"ratio={ratio}")
        assert memories(desk.outputs) == alone, order
        shutil.rmtree(desk.outputs)


def test_the_run_that_keeps_least_serves_the_others(typed: Callable[..., Said], desk: Desk) -> None:
    counts = [stages(finished(typed, desk, f"ratio={ratio}"))["compress"]["merges"] for ratio in ("0.7", "0.5", "0.3")]
    assert counts[0]["replayed"] == 0
    for count in counts[1:]:
        assert count["replayed"] > 4 * count["computed"]


@pytest.mark.parametrize("change", ["compressor.eta=0.9", "seed=1", "merger=extractive", "reembedding=mean"])
def test_only_runs_that_differ_in_nothing_but_the_ratio_serve(
    typed: Callable[..., Said], desk: Desk, change: str
) -> None:
    finished(typed, desk, "ratio=0.7")
    assert stages(finished(typed, desk, "ratio=0.5", change))["compress"]["merges"]["replayed"] == 0


def test_why_says_what_was_replayed(typed: Callable[..., Said], desk: Desk) -> None:
    finished(typed, desk, "ratio=0.7")
    run = finished(typed, desk, "ratio=0.5")
    merges = stages(run)["compress"]["merges"]
    said = f"    merges: {merges['computed']:,} computed, {merges['replayed']:,} replayed from earlier runs"
    assert said in why_lines(StoredRun(run))


def test_every_stored_log_replays_to_the_stored_memory(typed: Callable[..., Said], desk: Desk) -> None:
    finished(typed, desk, "ratio=0.7", "merger=extractive")
    root = desk.outputs / "artifacts"
    built = {
        memory.id: memory
        for path in (root / "build").iterdir()
        for memory in load_memories(_files(path))
        if len(memory)
    }
    logged = [path for path in (root / "compress").iterdir() if (path / "merges.jsonl").is_file()]
    assert len(logged) == 2
    for path in logged:
        files = _files(path)
        again = dump_memories([replay(built[log.memory], log) for log in load_logs(files)])
        assert again == {name: files[name] for name in again}


def test_a_method_that_does_not_merge_has_no_log(typed: Callable[..., Said], desk: Desk) -> None:
    said = typed(*SMALL, "compressor=kmeans")
    assert "merges" not in stages(desk.folder / said.folder)["compress"]
    assert not list(desk.outputs.rglob("merges.*"))


def test_a_damaged_log_is_named(typed: Callable[..., Said], desk: Desk) -> None:
    finished(typed, desk, "ratio=0.7")
    path = next((desk.outputs / "artifacts" / "compress").glob("*/merges.jsonl"))
    path.write_bytes(path.read_bytes() + b"{}\n")
    said = typed(*METHOD, "ratio=0.5")
    assert said.code == 1
    assert path.parent.name in said.err and "delete the folder" in said.err


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
