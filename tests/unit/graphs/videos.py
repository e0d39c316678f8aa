"""A small video's graph as released pickles hold it, and as we do. No text of any benchmark stands here."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from memforest.core.video import GraphVectors, VideoGraph
from memforest.graphs.raw import RawGraph, RawNode

TEXTS = {
    2: ("episodic", "<face_0> waters the fern.", 0),
    3: ("semantic", "Equivalence: <face_0>, <voice_1>", 0),
    4: ("episodic", "<voice_1> asks for the blue cup.", 1),
    5: ("semantic", "<voice_1> likes tea.", 1),
}
EDGES = {(0, 2): 1.0, (0, 3): 2.0, (1, 3): 1.0, (1, 4): 1.0, (1, 5): 3.0}


def vector(seed: int, length: int = 4) -> list[float]:
    """A vector of a text."""
    values: list[float] = np.random.default_rng(seed).normal(size=length).tolist()
    return values


def nodes() -> dict[int, dict[str, Any]]:
    """Attributes of a face, a voice and the texts, as a pickle has them."""
    found: dict[int, dict[str, Any]] = {
        0: {"type": "img", "embeddings": [vector(0, 3), vector(9, 3)], "metadata": {"contents": ["aGk=", "aGk="]}},
        1: {"type": "voice", "embeddings": [vector(1, 2)], "metadata": {"contents": ["Hello."]}},
    }
    for id, (kind, text, clip) in TEXTS.items():
        metadata = {"contents": [text], "timestamp": clip}
        found[id] = {"type": kind, "embeddings": [vector(id)], "metadata": metadata}
    return {id: {"id": id, **fields} for id, fields in found.items()}


def attributes(**changes: Any) -> dict[str, Any]:
    """Attributes of a graph of the official generation; a change to `...` removes one."""
    found = {
        "nodes": nodes(),
        "edges": EDGES | {(high, low): weight for (low, high), weight in EDGES.items()},
        "text_nodes": list(TEXTS),
        "text_nodes_by_clip": {0: [2, 3], 1: [4, 5]},
        "event_sequence_by_clip": {0: [2], 1: [4]},
        "max_img_embeddings": 10,
        "img_matching_threshold": 0.3,
        "next_node_id": 6,
        "character_mappings": {"character_0": ["face_0", "voice_1"]},
        "reverse_character_mappings": {"face_0": "character_0", "voice_1": "character_0"},
    }
    return {name: value for name, value in (found | changes).items() if value is not ...}


@contextmanager
def classes(module: str, *, nested: bool = True) -> Iterator[tuple[type, type]]:
    """The two classes as if `module` were installed, which it is while the block runs."""
    made: Any = ModuleType(module)
    graph: Any = type("VideoGraph", (), {})
    node: Any = type("Node", (), {})
    for one, name in ((graph, "VideoGraph"), (node, "VideoGraph.Node" if nested else "Node")):
        one.__module__, one.__qualname__ = module, name
    made.VideoGraph = graph
    (graph if nested else made).Node = node
    parents = [module.rsplit(".", depth)[0] for depth in range(1, module.count(".") + 1)]
    before = {name: sys.modules.get(name) for name in (module, *parents)}
    sys.modules.update({**{name: ModuleType(name) for name in parents}, module: made})
    try:
        yield graph, node
    finally:
        for name, old in before.items():
            del sys.modules[name]
            if old is not None:
                sys.modules[name] = old


def pickled(
    fields: Mapping[str, Any] | None = None,
    *,
    module: str = "mmagent.videograph",
    nested: bool = True,
    protocol: int = 4,
) -> bytes:
    """A pickle of a graph with these attributes, whose nodes are given by theirs."""
    state = dict(attributes() if fields is None else fields)
    with classes(module, nested=nested) as (graph_class, node_class):
        made = {}
        for id, of_node in state.get("nodes", {}).items():
            made[id] = node_class()
            made[id].__dict__.update(of_node)
        graph = graph_class()
        graph.__dict__.update(state, **({"nodes": made} if "nodes" in state else {}))
        return pickle.dumps(graph, protocol=protocol)


def written(path: Path, content: bytes) -> Path:
    """A file with the content."""
    path.write_bytes(content)
    return path


def raw_node(id: int, kind: str = "episodic", text: str = "some words", **more: Any) -> RawNode:
    """A node of a file; a text has one vector and stands in clip 0 unless given."""
    vectors = (np.array(vector(id), dtype=np.float32),)
    return RawNode(**{"id": id, "type": kind, "contents": (text,), "clip": 0, "vectors": vectors, **more})


def raw_graph(found: Sequence[RawNode], edges: Sequence[tuple[int, int, float]] = (), **more: Any) -> RawGraph:
    """A graph of a file that stores each edge once."""
    return RawGraph(**{"nodes": tuple(found), "edges": edges, "both_ways": False, **more})


def same(first: tuple[VideoGraph, GraphVectors], second: tuple[VideoGraph, GraphVectors]) -> bool:
    """Whether graphs and all bytes of their vectors are equal."""
    rows = [{id: array.tobytes() for id, array in vectors.items()} for _, vectors in (first, second)]
    return first[0] == second[0] and rows[0] == rows[1]
