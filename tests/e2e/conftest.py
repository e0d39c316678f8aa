"""Desks, and the benchmark's folder where there is one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memforest.config.front import main
from tests.e2e.desk import Desk, Said


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty working directory."""
    return Desk(tmp_path)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """`python run.py overrides` at `desk`, in this process: the same door, without starting Python anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMFOREST_DATA", raising=False)

    def run(*overrides: str) -> Said:
        embedder = () if any(word.startswith("embedder=") for word in overrides) else ("embedder=hashing",)
        outputs = () if any(word.startswith("paths.outputs=") for word in overrides) else ("paths.outputs=outputs",)
        monkeypatch.setattr(sys, "argv", ["run.py", *overrides, *outputs, *embedder])
        start, code = time.monotonic(), 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        said = capsys.readouterr()
        return Said(code, said.out, said.err, time.monotonic() - start)

    return run


@pytest.fixture
def data_folder() -> Path:
    """Real benchmark files; the test is skipped without them."""
    folder = os.environ.get("MEMFOREST_DATA")
    if not folder:
        pytest.skip("MEMFOREST_DATA is not set")
    return Path(folder)
