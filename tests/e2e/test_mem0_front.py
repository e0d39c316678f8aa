"""A run with live Mem0 memories, typed as a person types it; the library is a stand-in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.desk import SMALL, Said
from tests.unit.backbones.mem0_parts import interpreter

LIVE = (
    *SMALL,
    "backbone=mem0",
    "backbone.mode=live",
    "backbone.llm_base_url=http://x",
    "backbone.embedder_base_url=http://x",
)


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("STANDIN_CALLS", str(tmp_path / "calls.jsonl"))
    monkeypatch.setenv("STANDIN_DIED", str(tmp_path / "died"))
    return f"backbone.python={interpreter(tmp_path / 'python')}"


def test_a_live_run_ends_with_numbers_and_is_not_done_twice(
    typed: Callable[..., Said], tmp_path: Path, python: str
) -> None:
    said = typed(*LIVE, python, "compressor=tome")
    assert said.code == 0, said.err
    assert "notice: mem0 live, unit synthetic-0: " in said.err
    metrics = json.loads((tmp_path / said.folder / "metrics.json").read_bytes())
    assert metrics["nodes_before"] > metrics["nodes_after"] > 0
    assert metrics["session_evidence_recall"] > 0
    asked = (tmp_path / "calls.jsonl").read_bytes()
    again = typed(*LIVE, python, "compressor=tome", "ratio=0.7")
    assert again.code == 0, again.err
    assert (tmp_path / "calls.jsonl").read_bytes() == asked


def test_without_the_environment_one_sentence_says_how_to_make_it(typed: Callable[..., Said], tmp_path: Path) -> None:
    said = typed(*LIVE, f"backbone.python={tmp_path / 'nowhere'}")
    assert said.code == 1
    assert "make it with: make baseline-mem0" in said.err
    assert "Traceback" not in said.err


def test_a_failed_add_ends_the_run_with_one_sentence(
    typed: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.delenv("STANDIN_CALLS")
    said = typed(*LIVE, python)
    assert said.code == 1
    assert "unit synthetic-0: add 1 of " in said.err
    assert "failed (llm: KeyError, add: KeyError); those before it are kept" in said.err
    assert "The same command goes on from there" in said.err
