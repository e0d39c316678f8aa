"""Graphs that somebody exported from pickles as JSON and npz, without pictures, voices and their vectors.

`<name>.graph.json` holds `nodes` (id, type, and `contents` where they were kept), `edges`, each once, and `params`;
`<name>.text_embeddings.npz` beside it `node_id` and `embedding`, a row per text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memforest.core.errors import DataError
from memforest.graphs.arrays import read_arrays, rows_of
from memforest.graphs.raw import (
    RawGraph,
    RawNode,
    Row,
    counted,
    items,
    listed_edge,
    mapping,
    number,
    text,
    texts,
    whole,
)

SUFFIX = ".graph.json"
_VECTORS = ".text_embeddings.npz"


def vectors_beside(path: Path) -> Path:
    """Where the vectors of an exported graph are looked for."""
    return path.with_name(path.name.removesuffix(SUFFIX).removesuffix(".json") + _VECTORS)


def exported_graph(raw: Mapping[str, object], path: Path, *, with_vectors: bool = True) -> RawGraph:
    """The graph of the JSON value `raw`, read from `path`. Raises DataError for another schema, or other arrays."""
    where = path.name
    missing = [name for name in ("nodes", "edges") if name not in raw]
    if missing:
        raise DataError(f"{where}: `{missing[0]}` is missing; this is no graph of a video")
    beside = vectors_beside(path)
    has_vectors = with_vectors and beside.is_file()
    vectors = rows_of(read_arrays(beside), ids="node_id", rows="embedding", path=beside) if has_vectors else {}
    listed = [mapping(node, where=f"{where}: a node") for node in items(raw["nodes"], where=f"{where}: nodes")]
    parameters = mapping(raw.get("params", {}), where=f"{where}: params").items()
    order = items(raw.get("text_nodes", ()), where=f"{where}: text_nodes")
    return RawGraph(
        nodes=tuple(_node(node, vectors, where=where) for node in listed),
        edges=[listed_edge(edge, where=where) for edge in items(raw["edges"], where=f"{where}: edges")],
        both_ways=False,
        parameters={text(name, where=where): number(value, where=f"{where}: {name}") for name, value in parameters},
        order=tuple(whole(id, where=f"{where}: text_nodes") for id in order) or None,
        vectors_file=beside if has_vectors else None,
        notes=(
            *(
                [f"there is no {beside.name} beside it, so no text has a vector"]
                if with_vectors and not has_vectors
                else []
            ),
            *counted(
                "nodes whose contents or vectors the export left out",
                [node["id"] for node in listed if node.get("type") not in ("episodic", "semantic")],
            ),
        ),
    )


def _node(node: Mapping[object, object], vectors: Mapping[int, tuple[Row, ...]], *, where: str) -> RawNode:
    id = whole(node.get("id"), where=f"{where}: the id of a node")
    where = f"{where}, node {id}"
    clip = node.get("timestamp")
    return RawNode(
        id=id,
        type=text(node.get("type"), where=f"{where}: type"),
        contents=texts(node.get("contents", ()), where=f"{where}: contents"),
        clip=None if clip is None else whole(clip, where=f"{where}: timestamp"),
        vectors=vectors.get(id, ()),
    )
