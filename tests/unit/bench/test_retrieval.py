"""T-Time in Mem0's layout: what is searched, what is compared, and which published cells stand beside it."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.bench import retrieval
from memforest.bench.retrieval import ALONE, PUBLISHED, RATIOS, STORES, UNCOMPRESSED, figures
from memforest.core.errors import ConfigError
from memforest.core.vectors import Vector
from tests.builders import memory, unit_vectors


def test_every_store_is_timed_at_every_ratio_and_all_find_the_same() -> None:
    said: list[str] = []
    found = {figure.name: figure for figure in figures(small=True, say=said.append, settings=[])}
    names = [f"{name}_{ratio:g}" if ratio else f"{name}_uncompressed" for name in (*STORES, ALONE) for ratio in RATIOS]
    assert list(found) == [*names, "same_hits"]
    assert all(found[name].value > 0 and found[name].unit == "ms" for name in names)
    assert found["same_hits"].value == 1
    assert "64 nodes" in found["qdrant_local_uncompressed"].meaning
    assert "32 nodes" in found["qdrant_local_0.5"].meaning
    assert said[-1].startswith("timing 4 questions, 1 searches each")


def test_a_search_sees_one_owners_nodes_only() -> None:
    units = {"u": [memory(40, id="u/Ada"), memory(40, seed=1, id="u/Ben")], "v": [memory(40, seed=2, id="v/Cy")]}
    layouts = retrieval._layouts(units)
    vector: Vector = unit_vectors(1, seed=7)[0]
    for name, layout in layouts.items():
        rows = layout.search(vector, "u/Ben")
        own = range(40) if name == ALONE else range(40, 80)
        assert len(rows) == 30
        assert set(rows.tolist()) <= set(own)
        alone = layouts[ALONE].similarities(vector, "u/Ben", layouts[ALONE].search(vector, "u/Ben"))
        assert np.array_equal(layout.similarities(vector, "u/Ben", rows), alone)


def test_finds_are_alike_when_they_are_equally_similar_as_far_as_float32_can_tell() -> None:
    first = np.array([0.9, 0.5])
    assert retrieval._alike([first, first + 1e-7], 384)
    assert not retrieval._alike([first, first + 1e-3], 384)
    assert not retrieval._alike([first, first[:1]], 384)


def test_the_published_times_give_the_published_speed_ups() -> None:
    speed_ups = [cells[UNCOMPRESSED] / cells[0.5] for cells in PUBLISHED.values()]
    assert speed_ups == pytest.approx([2.00, 1.92, 1.76], abs=0.005)
    assert retrieval._published("longmemeval_s") == PUBLISHED["longmemeval"]
    assert retrieval._published("synthetic") == {}


def test_published_times_stand_beside_mem0s_store_only() -> None:
    meaning = retrieval._meaning(0.5, 0.4, 10, PUBLISHED["locomo"], "qdrant_local")
    assert meaning == "T-Time with 10 nodes, 0.40 of uncompressed; published 0.24 s, 0.50"
    assert "published" not in retrieval._meaning(0.5, 0.4, 10, PUBLISHED["locomo"], "faiss")


def test_a_setting_that_is_given_wins_over_the_benchmarks_own() -> None:
    assert "embedder=minilm" in retrieval._overrides(["embedder=minilm"], small=True)
    assert not any("buckets" in item for item in retrieval._overrides(["embedder=minilm"], small=True))
    with pytest.raises(ConfigError, match="does not exist"):
        figures(small=True, say=lambda title: None, settings=["dataset=nothing"])
