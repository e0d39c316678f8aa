"""The benchmark runs on little data; only its comparisons of results count here, never its times."""

from __future__ import annotations

import json

import pytest

from memforest.bench.merging import CONCURRENCY, METHODS, SECONDS
from memforest.bench.video_compression import SAME
from memforest.bench.video_search import RETRIEVERS
from memforest.cli import main
from memforest.config.folder import options

NAMES = [
    "tree_seconds", "published_tree_seconds", "tree_speedup",
    "smaller_memory_seconds", "large_memory_seconds", "growth", "giant_tree_seconds", "peak_memory",
    "compress_seconds", "embed_seconds", "overhead",
    "topk_microseconds", "agpr_extra_microseconds", "threads_agree",
]  # fmt: skip


MERGING = ("calls", "chain", "bound", "seconds", "ratio")


def test_merging_takes_little_longer_than_its_calls(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "merging", "--small", "--json"])
    figures = {figure["name"]: figure for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert list(figures) == [f"{method}_{name}" for method in METHODS for name in MERGING]
    for method in METHODS:
        calls, chain, bound, seconds, ratio = (figures[f"{method}_{name}"]["value"] for name in MERGING)
        assert bound == pytest.approx(SECONDS / 10 * max(chain, calls / CONCURRENCY))
        # No more calls at once than were asked for; how much longer it takes says how busy the machine is.
        assert 1 <= ratio == pytest.approx(seconds / bound)


@pytest.mark.slow
def test_every_figure_is_printed_and_both_sides_agree(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "eventtree", "--small", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["small"] is True
    assert [figure["name"] for figure in printed["figures"]] == NAMES
    assert all(figure["value"] > 0 or figure["name"] == "agpr_extra_microseconds" for figure in printed["figures"])


def test_retrieval_takes_settings_and_prints_a_line_for_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "retrieval", "--small", "dataset=sample"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 17
    assert lines[0].split()[0] == "qdrant_local_uncompressed"
    assert "364 nodes" in lines[0]


def test_a_search_of_a_video_is_timed_beside_the_released_one(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "video_search", "--small", "--json"])
    figures = {figure["name"]: figure for figure in json.loads(capsys.readouterr().out)["figures"]}
    own = [f"{name}{part}_ms" for name in RETRIEVERS for part in ("", "_p95")]
    assert list(figures) == [*own, "released_ms", "speedup"]
    assert all(figure["value"] > 0 for figure in figures.values())
    assert figures["speedup"]["value"] == pytest.approx(
        figures["released_ms"]["value"] / figures["m3_agent_ms"]["value"]
    )


@pytest.mark.slow
def test_every_compressor_is_measured_on_a_video(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "video_compression", "--small", "--json"])
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [figure["name"] for figure in figures] == [name for name in options("compressor") if name not in SAME]
    assert all(figure["meaning"].startswith("58 texts of a video to ") for figure in figures)


def test_the_other_benchmark_takes_no_settings() -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["bench", "eventtree", "dataset=sample"])
    assert stopped.value.code == 1
