"""Our own files: what is written is read again, equal graphs give equal bytes, damage is met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.core.video import GraphNode, GraphVectors, VideoGraph
from memforest.graphs.format import GRAPH, VECTORS, write_graph
from memforest.graphs.read import read_graph
from memforest.graphs.repair import repaired
from tests.unit.graphs.videos import raw_graph, raw_node, same

LINES = "line one\nline two\u2028 \u00fc"
TYPES = ("img", "voice", "episodic", "semantic")


def small() -> tuple[VideoGraph, GraphVectors]:
    found = repaired(
        raw_graph(
            [
                raw_node(0, "img"),
                raw_node(2, text=LINES),
                raw_node(5, "semantic", clip=None),
            ],
            [(0, 2, 1.5)],
            parameters={"limit": 10, "threshold": 0.25},
            characters={"character_0": ("face_0",)},
        ),
        video="kitchen",
    )
    return found.graph, found.vectors


@st.composite
def graphs(draw: st.DrawFn) -> tuple[VideoGraph, GraphVectors]:
    """Graphs of any texts and weights; nodes have 0 to 2 vectors."""
    texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=2).map(tuple)
    nodes = [
        GraphNode(id, kind, draw(texts), draw(st.none() | st.integers(0, 9)) if kind in TYPES[2:] else None)  # type: ignore[arg-type]
        for id, kind in enumerate(draw(st.lists(st.sampled_from(TYPES), max_size=6)))
    ]
    pairs = [(a.id, b.id) for a in nodes for b in nodes if a.id < b.id and (a.type != b.type or not a.is_text)]
    chosen = sorted(draw(st.sets(st.sampled_from(pairs)))) if pairs else []
    edges = tuple((*pair, draw(st.floats(0.125, 1e9))) for pair in chosen)
    random = np.random.default_rng(len(nodes))
    vectors = {node.id: random.normal(size=(count, 3)).astype(np.float32) for node in nodes if (count := node.id % 3)}
    return VideoGraph("v-1", tuple(nodes), edges), vectors


@given(graphs())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, made: Any) -> None:
    path = write_graph(tmp_path_factory.mktemp("graphs"), *made)
    found = read_graph(path, video="v-1")
    assert found.repairs == ()
    assert same((found.graph, found.vectors), made)


def test_equal_graphs_give_equal_bytes(tmp_path: Path) -> None:
    first, second = write_graph(tmp_path / "a", *small()), write_graph(tmp_path / "b", *small())
    for name in ("kitchen" + GRAPH, "kitchen" + VECTORS):
        assert (first.parent / name).read_bytes() == (second.parent / name).read_bytes()
    assert sorted(path.name for path in first.parent.iterdir()) == ["kitchen.graph.json", "kitchen.vectors.npz"]


def test_the_file_is_plain_json_in_which_types_are_spelled_by_name(tmp_path: Path) -> None:
    raw = json.loads(write_graph(tmp_path, *small()).read_text("utf-8"))
    assert raw["nodes"][1] == {"id": 2, "type": "episodic", "contents": [LINES], "clip": 0}
    assert raw["edges"] == [[0, 2, 1.5]]
    assert (raw["schema"], raw["video"], raw["parameters"]) == (1, "kitchen", {"limit": 10, "threshold": 0.25})
    assert raw["characters"] == {"character_0": ["face_0"]}


def test_the_vectors_hold_no_objects(tmp_path: Path) -> None:
    write_graph(tmp_path, *small())
    with np.load(tmp_path / ("kitchen" + VECTORS), allow_pickle=False) as arrays:
        assert {name: arrays[name].dtype.str for name in arrays.files} == {
            f"{kind}_{what}": dtype
            for kind in ("img", "episodic", "semantic")
            for what, dtype in (("ids", "<i8"), ("vectors", "<f4"))
        }


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b", "x\n"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    graph, vectors = small()
    with pytest.raises(DataError, match="name"):
        write_graph(tmp_path, VideoGraph(name, graph.nodes, graph.edges), vectors)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 2}, "schema 2"),
        ({"nodes": ...}, "`nodes` is missing"),
        ({"vectors": "0" * 64}, "damaged"),
        ({"nodes": [{"id": "a"}]}, "whole number"),
        ({"nodes": [{"id": 1, "type": "img", "contents": "text", "clip": None}]}, "must be a list"),
        ({"nodes": [{"id": 1, "type": "img", "contents": [], "clip": 0.5}]}, "whole number"),
        ({"edges": [[1, 2]]}, "two ids and a weight"),
        ({"edges": [[1, 2, True]]}, "must be a number"),
        ({"characters": {"a": "b"}}, "must be a list"),
        ({"parameters": {"a": "b"}}, "must be a number"),
    ],
)
def test_another_file_is_an_error(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = write_graph(tmp_path, *small())
    raw = json.loads(path.read_text("utf-8")) | change
    path.write_text(json.dumps({key: value for key, value in raw.items() if value is not ...}), "utf-8")
    with pytest.raises(DataError, match=words) as raised:
        read_graph(path, video="kitchen")
    assert "kitchen" in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 100_000, b"[]", b"\xff", b'{"nodes": []}', b'{"nodes": [], "edges": [], "nodes": []}']
)
def test_what_is_no_graph_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kitchen.graph.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="kitchen"):
        read_graph(path, video="kitchen")


def test_missing_or_changed_vectors_are_an_error_only_where_they_are_wanted(tmp_path: Path) -> None:
    path = write_graph(tmp_path, *small())
    beside = tmp_path / ("kitchen" + VECTORS)
    beside.write_bytes(beside.read_bytes()[:-10])
    with pytest.raises(DataError, match="damaged"):
        read_graph(path, video="kitchen")
    beside.unlink()
    with pytest.raises(DataError, match="not beside it"):
        read_graph(path, video="kitchen")
    assert read_graph(path, video="kitchen", with_vectors=False).graph == small()[0]


def test_an_edited_file_is_repaired_like_any_other(tmp_path: Path) -> None:
    path = write_graph(tmp_path, *small())
    path.write_text(path.read_text("utf-8").replace("[0,2,1.5]", "[0,7,1.5]"), "utf-8")
    assert read_graph(path, video="kitchen").repairs == ("edges to a node that is not there, left out: 1 (0-7)",)


def test_a_graph_under_the_name_of_another_video_is_told(tmp_path: Path) -> None:
    path = write_graph(tmp_path, *small()).rename(tmp_path / ("study" + GRAPH))
    found = read_graph(path, video="study", with_vectors=False)
    assert found.repairs == ("the file is not named after the video that it is of: kitchen",)
