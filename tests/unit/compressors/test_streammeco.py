"""StreamMeCo against a literal version, and each of its rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.clustering import STANDARD, kmeans
from memforest.compressors.quotas import ceil_per_group, spread, trimmed
from memforest.compressors.streammeco import StreamMeCo
from memforest.config.folder import settings as of_file
from memforest.core.errors import ConfigError, DataError
from memforest.core.graph import MemoryGraph
from memforest.core.types import Memory, clip_of, target_count
from memforest.core.vectors import normalised, on_grid, similarity
from tests.builders import unit_vectors
from tests.graphs import FACE, OTHER, VOICE, carrying, text_node
from tests.unit.compressors.grids import GRID, drive

RATIOS = (0.0, 0.3, 0.5, 0.7, 0.9, 0.99)
ENTITIES = (FACE, VOICE, OTHER)


def streammeco(**changes: Any) -> StreamMeCo:
    """The settings of the YAML file but for `changes`."""
    raw = of_file("compressor", "streammeco")
    return StreamMeCo(
        **{key: value for key, value in raw.items() if key not in ("_target_", "name", "traits")} | changes
    )


def kept(of: Memory, *, ratio: float, seed: int = 0, **changes: Any) -> list[str]:
    reduction, asked = drive(streammeco(**changes), of, ratio=ratio, seed=seed)
    assert not asked
    return [node.id for node in reduction.nodes]


def graph_of(of: Memory) -> MemoryGraph:
    assert of.graph is not None
    return of.graph


@st.composite
def video_memories(draw: st.DrawFn) -> Memory:
    """Nodes with grid vectors, zero ones among them, a clip or none, and edges to up to three entities."""
    rows = draw(st.lists(st.integers(0, len(GRID) - 1), min_size=1, max_size=14))
    clips = draw(st.lists(st.none() | st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    weights = draw(
        st.lists(st.dictionaries(st.integers(0, 2), st.integers(1, 3)), min_size=len(rows), max_size=len(rows))
    )
    nodes = [
        replace(text_node(10 + place, "text", clip=clip), vector=GRID[row].copy())
        for place, (row, clip) in enumerate(zip(rows, clips, strict=True))
    ]
    edges = [
        (ENTITIES[entity].id, node.id, float(weight))
        for node, drawn in zip(nodes, weights, strict=True)
        for entity, weight in drawn.items()
    ]
    return carrying(nodes, entities=ENTITIES, edges=edges)


def slow(of: Memory, *, ratio: float, released: bool, cluster_ratio: float, alpha: float = 0.1) -> list[str]:
    """The two branches, node by node."""
    linked = [sum(graph_of(of).of(node).values()) for node in of.nodes]
    connected = [place for place, weight in enumerate(linked) if weight]
    isolated = [place for place, weight in enumerate(linked) if not weight]
    bare = [place for place in isolated if not of.nodes[place].vector.any()]
    clips: dict[int | None, list[int]] = {}
    for place in isolated:
        if place not in bare:
            clips.setdefault(clip_of(of.nodes[place]), []).append(place)
    target = target_count(count=len(of), ratio=ratio)
    stay = set(bare if released else bare[:target])
    groups = [group for group in (connected, *clips.values()) if group]
    sizes = [len(group) for group in groups]
    quotas = ceil_per_group(sizes, ratio) if released else spread(sizes, target - len(stay))
    for group, quota in zip(groups, quotas, strict=True):
        if group is connected:
            stay |= set(slow_connected(of, group, [linked[place] for place in group], alpha)[:quota])
        else:
            stay |= slow_isolated(of, group, quota, ratio if released else None, cluster_ratio)
    return [of.nodes[place].id for place in sorted(stay)]


def slow_connected(of: Memory, group: Sequence[int], weights: Sequence[float], alpha: float) -> list[int]:
    """Places in order of their scores; cosines of the grid's few vectors add up without rounding worth speaking of."""
    sums = [round(float(similarity(of.grid[list(group)], of.grid[place]).sum()), 6) for place in group]
    scores = [
        round(alpha * importance + (1 - alpha) * (1 - redundancy), 6)
        for importance, redundancy in zip(scaled(weights), scaled(sums), strict=True)
    ]
    return [place for _, place in sorted(zip([-score for score in scores], group, strict=True))]


def scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [1.0 if low == high else (value - low) / (high - low) for value in values]


def slow_isolated(of: Memory, group: list[int], quota: int, ratio: float | None, cluster_ratio: float) -> set[int]:
    if quota >= len(group):
        return set(group)
    rule = replace(STANDARD, starts=10)
    labels = kmeans(of.grid[group], clusters=math.ceil(cluster_ratio * len(group)), seed=0, rule=rule).labels
    clusters = [
        [place for place, label in zip(group, labels, strict=True) if label == cluster]
        for cluster in range(max(labels) + 1)
    ]
    sizes = [len(cluster) for cluster in clusters]
    counts = spread(sizes, quota) if ratio is None else trimmed(sizes, ratio, target=quota)
    stay: list[int] = []
    for cluster, count in zip(clusters, counts, strict=True):
        centre = on_grid(normalised(on_grid(of.grid[cluster].mean(axis=0))))
        left = list(cluster)
        chosen: list[int] = []
        while len(chosen) < count:
            if chosen:
                likeness = [max(similarity(of.grid[chosen], of.grid[place])) for place in left]
            else:
                likeness = [-float(similarity(of.grid[[place]], centre)[0]) for place in left]
            chosen.append(left.pop(likeness.index(min(likeness))))
        stay += chosen
    return set(sorted(stay)[:quota])


def test_rounding_alone_makes_no_node_redundant() -> None:
    vectors = [(1.0, 0.0), (math.sqrt(0.5), math.sqrt(0.5))]
    nodes = [
        replace(text_node(10 + place, "text", clip=0), vector=np.array(vector, dtype=np.float32))
        for place, vector in enumerate(vectors)
    ]
    memory = carrying(nodes, entities=ENTITIES, edges=[("0", "10", 1.0), ("0", "11", 1.0)])
    assert kept(memory, ratio=0.5) == ["10"], "both are as similar to each other, so the first one stays"


@settings(max_examples=100, deadline=None)
@given(video_memories(), st.sampled_from(RATIOS), st.sampled_from([0.05, 0.4]), st.booleans())
def test_it_is_the_literal_one(of: Memory, ratio: float, cluster_ratio: float, released: bool) -> None:
    targets = "released" if released else "exact"
    found = kept(of, ratio=ratio, cluster_ratio=cluster_ratio, targets=targets)
    assert found == slow(of, ratio=ratio, cluster_ratio=cluster_ratio, released=released)


@settings(max_examples=50, deadline=None)
@given(video_memories(), st.sampled_from(RATIOS))
def test_exact_leaves_m_and_released_what_it_says(of: Memory, ratio: float) -> None:
    exact = target_count(count=len(of), ratio=ratio)
    assert len(kept(of, ratio=ratio)) == exact
    reduction, _ = drive(streammeco(targets="released"), of, ratio=ratio)
    assert exact <= len(reduction.nodes) == reduction.target


def connected_nodes(weights: Sequence[float], vectors: np.ndarray) -> Memory:
    nodes = [
        replace(text_node(10 + place, "text", clip=0), vector=vector.copy()) for place, vector in enumerate(vectors)
    ]
    edges = [("0", node.id, weight) for node, weight in zip(nodes, weights, strict=True)]
    return carrying(nodes, entities=[FACE], edges=edges)


def test_with_alpha_1_the_heaviest_edges_stay_and_of_equals_the_earlier_node() -> None:
    of = connected_nodes([1, 3, 2, 3, 3], unit_vectors(5))
    assert kept(of, ratio=0.6, alpha=1.0) == ["11", "13"]


def test_with_alpha_0_what_is_said_again_and_again_goes() -> None:
    of = connected_nodes([9, 9, 9, 1, 1], GRID[[0, 0, 0, 1, 5]])
    assert kept(of, ratio=0.6, alpha=0.0) == ["13", "14"]


def isolated_nodes(vectors: np.ndarray, *, clips: Sequence[int | None]) -> Memory:
    return carrying(
        [
            replace(text_node(10 + place, "text", clip=clip), vector=vector.copy())
            for place, (vector, clip) in enumerate(zip(vectors, clips, strict=True))
        ]
    )


def test_isolated_nodes_are_thinned_clip_by_clip() -> None:
    of = isolated_nodes(unit_vectors(12), clips=[0] * 4 + [1] * 6 + [None] * 2)
    clips = [clip_of(of.nodes[int(id) - 10]) for id in kept(of, ratio=0.5)]
    assert clips == [0, 0, 1, 1, 1, None]


def test_the_nearest_to_the_centre_stays_and_then_the_farthest_from_it() -> None:
    of = isolated_nodes(GRID[[0, 4, 2, 1]], clips=[0] * 4)
    assert kept(of, ratio=0.75, cluster_ratio=0.1) == ["12"]
    assert kept(of, ratio=0.5, cluster_ratio=0.1) == ["10", "12"]


def test_nodes_without_a_vector_stay_before_all_others() -> None:
    of = isolated_nodes(GRID[[0, 6, 1, 6, 6, 2]], clips=[0, 0, 0, 1, 1, 1])
    assert kept(of, ratio=0.5) == ["11", "13", "14"]
    assert kept(of, ratio=0.7) == ["11", "13"]
    assert kept(of, ratio=0.9, targets="released") == ["10", "11", "13", "14", "15"]


def test_the_released_counts_have_a_share_for_each_branch() -> None:
    of = carrying(
        [text_node(10 + place, "text", clip=0) for place in range(20)],
        entities=[FACE],
        edges=[("0", str(10 + place), 1.0) for place in range(10)],
    )
    shares: dict[str, Any] = {"targets": "released", "isolated_keep": 0.25, "connected_keep": 0.7}
    places = [int(id) - 10 for id in kept(of, ratio=0.5, **shares)]
    assert (sum(place < 10 for place in places), sum(place >= 10 for place in places)) == (7, 3)


def test_an_empty_memory_stays_empty() -> None:
    assert kept(carrying([]), ratio=0.5) == []


def test_a_memory_without_a_graph_is_refused() -> None:
    of = replace(isolated_nodes(unit_vectors(3), clips=[0] * 3), graph=None)
    with pytest.raises(DataError, match="memory video has no graph, and streammeco goes by edges"):
        kept(of, ratio=0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"targets": "ceil"}, "compressor.targets must be one of exact, released; got 'ceil'"),
        ({"isolated_keep": 0.7}, "isolated_keep needs compressor.targets=released"),
        ({"connected_keep": 0.7}, "connected_keep needs compressor.targets=released"),
        ({"targets": "released", "isolated_keep": 0}, "isolated_keep, the share of nodes that stay, must be in"),
        ({"targets": "released", "connected_keep": True}, "connected_keep, the share of nodes that stay, must be in"),
        ({"cluster_ratio": 0}, "compressor.cluster_ratio, clusters per node, must be in"),
        ({"kmeans_starts": 0}, "compressor.kmeans_starts must be at least 1"),
        ({"alpha": 1.1}, "compressor.alpha must be in"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        streammeco(**changes)
