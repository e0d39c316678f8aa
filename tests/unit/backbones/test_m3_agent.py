"""The memory of a video's graph: its texts as nodes, all else around them, and what is told of what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memforest.backbones.m3_agent import M3Agent
from memforest.core.errors import ConfigError
from memforest.core.protocols import NoticingBackbone, NotRunnable
from memforest.core.types import Memory, Unit
from memforest.core.vectors import normalised
from memforest.core.video import GraphNode, VideoGraph
from memforest.embedding.hashing import Hashing
from memforest.graphs.format import GRAPH, VECTORS, write_graph
from memforest.graphs.raw import Row
from memforest.store.memory_format import dump_memories, load_memories

EMBEDDER = Hashing(buckets=16)
NODES = (
    GraphNode(0, "img", ("aGk=",)),
    GraphNode(1, "voice", ("Hello.",)),
    GraphNode(2, "episodic", ("<face_0> waters the fern.",), 0),
    GraphNode(3, "semantic", ("Equivalence: <face_0>, <voice_1>",), 0),
    GraphNode(4, "semantic", ("<voice_1> likes tea.", "<voice_1> drinks it black."), 1),
    GraphNode(5, "episodic", (" ",), 1),
    GraphNode(6, "episodic", ("It rains.",)),
)
EDGES = ((0, 2, 1.0), (0, 3, 2.0), (1, 3, 1.0), (1, 4, 3.0), (1, 5, 1.0), (2, 4, 1.0))
KITCHEN = VideoGraph("kitchen", NODES, EDGES)
UNIT = Unit(id="kitchen", index=0, speakers=(), sessions=(), clock="video", graph=KITCHEN)
IN_FILE = replace(UNIT, graph=None)


def backbone(folder: Path | None = None, *, vectors: str = "embedder", model: str = "hashing") -> M3Agent:
    return M3Agent(graph_dir=None if folder is None else str(folder), vectors=vectors, stored_model=model)


def built(made: M3Agent, unit: Unit = UNIT) -> Memory:
    assert isinstance(made.inputs(unit=unit), str)
    (memory,) = made.build(unit=unit, embedder=EMBEDDER)
    return memory


def rows(*ids: int, seed: int = 0, count: int = 1, dimension: int = 16) -> dict[int, Row]:
    random = np.random.default_rng(seed)
    return {id: random.normal(size=(count, dimension)).astype(np.float32) for id in ids}


def test_texts_are_nodes_in_the_graphs_order_and_equivalences_are_none() -> None:
    memory = built(backbone())
    assert [(node.id, node.kind, node.time, node.text) for node in memory.nodes] == [
        ("2", "episodic", 0.0, "<face_0> waters the fern."),
        ("4", "semantic", 30.0, "<voice_1> likes tea.\n<voice_1> drinks it black."),
        ("6", "episodic", None, "It rains."),
    ]
    assert all(node.sources == node.members == (node.id,) for node in memory.nodes)
    assert (memory.id, memory.clock, memory.source_level) == ("kitchen", "video", "node")
    texts = [node.text for node in memory.nodes]
    assert memory.matrix.tobytes() == EMBEDDER.embed(texts=texts).vectors.tobytes()


def test_the_graph_keeps_entities_equivalences_and_the_edges_of_what_is_there() -> None:
    graph = built(backbone()).graph
    assert graph is not None
    assert [entity.tag for entity in graph.entities] == ["face_0", "voice_1"]
    assert [(node.id, node.text, node.time) for node in graph.equivalences] == [
        ("3", "Equivalence: <face_0>, <voice_1>", 0.0)
    ]
    assert graph.edges == (("0", "2", 1.0), ("0", "3", 2.0), ("1", "3", 1.0), ("1", "4", 3.0), ("2", "4", 1.0))


def test_a_file_gives_what_the_unit_gives(tmp_path: Path) -> None:
    write_graph(tmp_path, KITCHEN, {})
    from_file, from_unit = built(backbone(tmp_path), IN_FILE), built(backbone())
    assert dump_memories([from_file]) == dump_memories([from_unit])
    assert dump_memories(load_memories(dump_memories([from_file]))) == dump_memories([from_unit])


def test_stored_vectors_are_taken_of_several_the_mean_and_zeros_where_there_are_none(tmp_path: Path) -> None:
    found = rows(2) | rows(3, seed=1) | rows(4, seed=2, count=3)
    write_graph(tmp_path, KITCHEN, found)
    memory = built(backbone(tmp_path, vectors="stored"), IN_FILE)
    expected = normalised(np.stack([found[2][0], found[4].mean(axis=0), np.zeros(16)]))
    np.testing.assert_allclose(memory.matrix, expected, atol=1e-6)
    assert memory.graph is not None
    np.testing.assert_allclose(memory.graph.equivalences[0].vector, normalised(found[3])[0], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "dimension"), [("text-embedding-3-large", 16), ("hashing", 8)], ids=["another model", "another length"]
)
def test_stored_vectors_belong_beside_queries_of_their_model(tmp_path: Path, model: str, dimension: int) -> None:
    write_graph(tmp_path, KITCHEN, rows(2, 3, 4, dimension=dimension))
    with pytest.raises(ConfigError, match=rf"of {model} and have {dimension} dimensions, the embedder is hashing-16"):
        backbone(tmp_path, vectors="stored", model=model).build(unit=IN_FILE, embedder=EMBEDDER)


def test_where_no_text_has_a_vector_none_can_be_taken() -> None:
    with pytest.raises(ConfigError, match="no text of kitchen has a vector"):
        backbone(vectors="stored").build(unit=UNIT, embedder=EMBEDDER)


def reason(made: M3Agent, unit: Unit = IN_FILE) -> str:
    found = made.inputs(unit=unit)
    assert isinstance(found, NotRunnable)
    assert found.unit_id == unit.id
    return found.reason


def test_a_unit_without_a_graph_is_not_runnable(tmp_path: Path) -> None:
    assert "names no folder" in reason(backbone())
    assert reason(backbone(tmp_path)) == "no graph of the video in backbone.graph_dir"
    other = replace(IN_FILE, id="../kitchen")
    write_graph(tmp_path, KITCHEN, {})
    (tmp_path / "inner").mkdir()
    assert reason(backbone(tmp_path / "inner"), other) == "no graph of the video in backbone.graph_dir"


def test_a_graph_that_cannot_be_read_or_has_no_text_is_not_runnable(tmp_path: Path) -> None:
    path = write_graph(tmp_path, VideoGraph("kitchen", NODES[:2] + NODES[3:4], ()), {})
    assert reason(backbone(tmp_path)) == "its graph has no text but equivalences"
    path.write_text("{", "utf-8")
    assert "not JSON" in reason(backbone(tmp_path))


def test_a_folder_beside_graphs_that_the_dataset_brings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"graph_dir would not be read"):
        backbone(tmp_path).inputs(unit=UNIT)


def test_vectors_are_looked_at_only_where_they_are_wanted(tmp_path: Path) -> None:
    write_graph(tmp_path, KITCHEN, rows(2))
    (tmp_path / ("kitchen" + VECTORS)).unlink()
    assert isinstance(backbone(tmp_path).inputs(unit=IN_FILE), str)
    assert "not beside it" in reason(backbone(tmp_path, vectors="stored"))


def test_inputs_change_with_the_graph_and_its_vectors(tmp_path: Path) -> None:
    found = []
    for graph, vectors in ((KITCHEN, rows(2)), (KITCHEN, rows(2, seed=1)), (replace(KITCHEN, edges=()), rows(2))):
        write_graph(tmp_path, graph, vectors)
        found.append(backbone(tmp_path).inputs(unit=IN_FILE))
    assert len(set(map(str, found))) == 3
    assert backbone().inputs(unit=UNIT) == ""


def test_what_is_wrong_with_a_graph_is_told(tmp_path: Path) -> None:
    path = write_graph(tmp_path, KITCHEN, rows(2, 3))
    path.write_text(path.read_text("utf-8").replace("[0,2,1.0]", "[0,99,1.0]"), "utf-8")
    told = [
        "edges to a node that is not there, left out: 1 (0-99)",
        "texts without words: 1 (5)",
        "texts without a clip, which have no time: 1 (6)",
        "texts with a tag and no edge to what it names: 1 (2)",
    ]
    made = backbone(tmp_path)
    assert isinstance(made, NoticingBackbone)
    assert made.notices(unit=IN_FILE) == told
    stored = backbone(tmp_path, vectors="stored")
    assert stored.notices(unit=IN_FILE) == [*told, "texts without a vector: 3 (4, 5, 6)"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"vectors": "guessed"}, "backbone.vectors"),
        ({"stored_model": ""}, "backbone.stored_model"),
        ({"graph_dir": "/nowhere/at/all"}, "is not a folder"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], words: str) -> None:
    usual: dict[str, Any] = {"graph_dir": None, "vectors": "embedder", "stored_model": "hashing"}
    with pytest.raises(ConfigError, match=words):
        M3Agent(**usual | settings)


def test_a_file_of_a_graph_is_found_by_its_whole_name(tmp_path: Path) -> None:
    write_graph(tmp_path, KITCHEN, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kitchen" + GRAPH, "kitchen" + VECTORS]
    assert "no graph" in reason(backbone(tmp_path), replace(IN_FILE, id="kit"))


def test_inputs_change_with_the_vectors_beside_an_export_where_they_are_taken(tmp_path: Path) -> None:
    listed = [{"id": 2, "type": "episodic", "contents": ["It rains."]}]
    (tmp_path / ("kitchen" + GRAPH)).write_text(json.dumps({"nodes": listed, "edges": []}), "utf-8")
    stored, embedded = [], []
    for seed in (None, 0, 1):
        if seed is not None:
            np.savez(tmp_path / "kitchen.text_embeddings.npz", node_id=[2], embedding=rows(2, seed=seed)[2])
        stored.append(backbone(tmp_path, vectors="stored").inputs(unit=IN_FILE))
        embedded.append(backbone(tmp_path).inputs(unit=IN_FILE))
    assert len(set(map(str, stored))) == 3
    assert len(set(map(str, embedded))) == 1
    (tmp_path / "kitchen.text_embeddings.npz").write_bytes(b"no arrays")
    assert "kitchen.text_embeddings.npz is no file of arrays" in reason(backbone(tmp_path, vectors="stored"))
    assert backbone(tmp_path).inputs(unit=IN_FILE) == embedded[0]
