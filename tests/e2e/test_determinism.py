"""Same settings, same bytes, for any number of workers and threads and any hash seed (DESIGN rule 6)."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.e2e.desk import SMALL, Desk, Said, memories, results


@pytest.mark.slow
def test_workers_and_hash_seed_change_no_byte(tmp_path_factory: pytest.TempPathFactory) -> None:
    seen = []
    for workers, seed in ((1, "0"), (3, "1")):
        desk = Desk(tmp_path_factory.mktemp(f"workers{workers}"))
        command = (*SMALL, "dataset.units=3", "compressor=memforest", f"workers={workers}")
        run = desk.finish(*command, env={"PYTHONHASHSEED": seed})
        seen.append((run.name, results(run), memories(desk.outputs)))
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_threads_of_the_embedder_change_no_byte(tmp_path_factory: pytest.TempPathFactory) -> None:
    seen = []
    for threads, workers in ((1, 2), (2, 1)):
        desk = Desk(tmp_path_factory.mktemp(f"threads{threads}"))
        command = ("embedder=minilm", f"embedder.threads={threads}", f"workers={workers}", "compressor=memforest")
        run = desk.finish(*command, "merger=extractive", "retriever=agpr")
        seen.append((run.name, results(run), memories(desk.outputs)))
    assert seen[0] == seen[1]


def test_a_warm_cache_of_vectors_changes_no_byte(typed: Callable[..., Said], desk: Desk) -> None:
    command = (*SMALL, "compressor=tome")
    cold = results(desk.folder / typed(*command).folder)
    for stage in ("artifacts/build", "artifacts/compress", "runs"):
        shutil.rmtree(desk.outputs / stage)
    assert results(desk.folder / typed(*command).folder) == cold
