"""From what a file says to a graph that holds together: what cannot stand is left out and told, nothing is invented."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from memforest.core.video import TEXT_TYPES, GraphNode, GraphVectors, NodeType, VideoGraph
from memforest.graphs.raw import RawGraph, RawNode, Row, counted

_TYPES = get_args(NodeType)
_Edges = dict[tuple[int, int], float]


@dataclass(frozen=True, eq=False)
class Found:
    """A graph with its vectors, what was left out of the file, a sentence each, and a file of vectors that was read too
    and whose digest that of the graph does not hold."""

    graph: VideoGraph
    vectors: GraphVectors
    repairs: tuple[str, ...]
    vectors_file: Path | None = None


def repaired(raw: RawGraph, *, video: str) -> Found:
    """The graph of a video from what its file says. Nodes keep their ids and their order."""
    told = list(raw.notes)
    nodes = _nodes(raw.nodes, told)
    vectors = _vectors(nodes, told)
    edges = _edges(raw, {node.id: node for node in nodes}, told)
    kept = tuple(
        GraphNode(id=node.id, type=node.type, contents=node.contents, clip=_clip(node))  # type: ignore[arg-type]
        for node in nodes
    )
    told += _lists(raw, kept)
    parameters = {name: value for name, value in raw.parameters.items() if abs(value) <= sys.float_info.max}
    told += counted(
        "parameters that are no finite number, left out", [name for name in raw.parameters if name not in parameters]
    )
    graph = VideoGraph(
        id=video,
        nodes=kept,
        edges=tuple((low, high, weight) for (low, high), weight in sorted(edges.items())),
        parameters=parameters,
        characters=raw.characters,
    )
    return Found(graph=graph, vectors=vectors, repairs=tuple(told), vectors_file=raw.vectors_file)


def _nodes(raw: Sequence[RawNode], told: list[str]) -> list[RawNode]:
    """Nodes of known types, the first of each id."""
    told += counted(
        f"nodes of a type that is none of {', '.join(_TYPES)}, left out",
        [f"{node.id} {node.type!r:.20}" for node in raw if node.type not in _TYPES],
    )
    first: dict[int, RawNode] = {}
    for node in raw:
        if node.type in _TYPES:
            first.setdefault(node.id, node)
    told += counted(
        "ids that occur more than once, of which the first node is kept",
        [id for id, count in Counter(node.id for node in raw).items() if count > 1],
    )
    told += counted(
        "texts with a clip below 0, which then have none",
        [node.id for node in first.values() if node.clip is not None and node.clip < 0 and node.type in TEXT_TYPES],
    )
    return list(first.values())


def _clip(node: RawNode) -> int | None:
    return node.clip if node.type in TEXT_TYPES and node.clip is not None and node.clip >= 0 else None


def _vectors(nodes: Sequence[RawNode], told: list[str]) -> GraphVectors:
    """Vectors by node, those left out whose length is not that of most of their kind, or that are no direction."""
    kept: dict[int, list[Row]] = {}
    unlike: list[str] = []
    void: list[int] = []
    for types in (TEXT_TYPES, ("img",), ("voice",)):
        kind = [node for node in nodes if node.type in types]
        lengths = Counter(len(vector) for node in kind for vector in node.vectors)
        usual = max(lengths, key=lambda length: (lengths[length], length), default=0)
        for node in kind:
            fitting = [vector for vector in node.vectors if len(vector) == usual]
            unlike += [f"{node.id} of {len(vector)}" for vector in node.vectors if len(vector) != usual]
            good = [vector for vector in fitting if np.isfinite(vector).all() and vector.any()]
            void += [node.id] * (len(fitting) - len(good))
            if good:
                kept[node.id] = good
    told += counted("vectors of another length than most of their kind, left out", unlike)
    told += counted("vectors of zeros, or with NaN or infinity, left out", void)
    return {id: np.stack(rows) for id, rows in kept.items()}


def _edges(raw: RawGraph, nodes: Mapping[int, RawNode], told: list[str]) -> _Edges:
    """Each edge once, the lower id first; of two unequal weights that of the direction from it."""
    directed = {(first, second): weight for first, second, weight in raw.edges}
    faults: dict[str, list[str]] = {
        "edges to a node that is not there, left out": [],
        "edges of a node to itself, left out": [],
        "edges whose weight is no number above 0, left out": [],
        "edges between texts of one type, which M3-Agent does not make, left out": [],
    }
    nowhere, looped, weightless, alike = faults.values()
    edges: _Edges = {}
    for first, second in directed:
        low, high = min(first, second), max(first, second)
        weight = directed.get((low, high), directed.get((high, low), 0.0))
        if low not in nodes or high not in nodes:
            nowhere.append(f"{low}-{high}")
        elif low == high:
            looped.append(f"{low}-{high}")
        elif not (np.isfinite(weight) and weight > 0):
            weightless.append(f"{low}-{high}")
        elif nodes[low].type == nodes[high].type and nodes[low].type in TEXT_TYPES:
            alike.append(f"{low}-{high}")
        else:
            edges[low, high] = weight
    for what, found in faults.items():
        told += counted(what, dict.fromkeys(found))
    if raw.both_ways:
        told += _directions(directed, edges)
    return edges


def _directions(directed: _Edges, edges: _Edges) -> Iterator[str]:
    once = {edge: None for edge in edges if (edge in directed) != (edge[::-1] in directed)}
    unequal = [edge for edge in edges if edge not in once and directed[edge] != directed[edge[::-1]]]
    yield from counted("edges that are stored in one direction only, kept", [f"{low}-{high}" for low, high in once])
    yield from counted(
        "edges with unequal weights in both directions, of which that from the lower id is kept",
        [f"{low}-{high}" for low, high in unequal],
    )


def _lists(raw: RawGraph, nodes: Sequence[GraphNode]) -> Iterator[str]:
    """What the file's own lists of texts say otherwise than the nodes; those are what counts."""
    texts = [node for node in nodes if node.is_text]
    if raw.order is not None and list(raw.order) != [node.id for node in texts]:
        listed, there = set(raw.order), {node.id for node in texts}
        yield from counted("ids in text_nodes that are no text", sorted(listed - there))
        yield from counted("texts that text_nodes does not list", sorted(there - listed))
        if listed == there:
            yield "text_nodes has another order than the nodes, which is kept"
    for name, index, those in (
        ("text_nodes_by_clip", raw.by_clip, texts),
        ("event_sequence_by_clip", raw.events_by_clip, [node for node in texts if node.type == "episodic"]),
    ):
        if index is not None:
            yield from _index(name, index, those)


def _index(name: str, index: Mapping[int, Sequence[int]], nodes: Sequence[GraphNode]) -> Iterator[str]:
    clip = {node.id: node.clip for node in nodes}
    listed = [(id, at) for at, ids in index.items() for id in ids]
    yield from counted(f"ids in {name} that are none of its nodes", [id for id, _ in listed if id not in clip])
    yield from counted(
        f"nodes that {name} has in another clip than they say, which is kept",
        [f"{id} in {at}, not {clip[id]}" for id, at in listed if id in clip and clip[id] != at],
    )
    there = {id for id, _ in listed}
    yield from counted(f"nodes that {name} does not list", [id for id in clip if id not in there])
