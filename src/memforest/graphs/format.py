"""Our own files of a video's graph: `<video>.graph.json`, which anybody can read, and `<video>.vectors.npz`.

The JSON holds `schema`, `video`, `nodes` (id, type by its name, contents, clip), `edges` (each once: two ids and the
weight), `parameters`, `characters` (null where the origin has none), and `vectors`, the sha256 of the other file. That
holds, for each type of node, `<type>_ids` and `<type>_vectors`, a row for each vector.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np

from memforest.core.digests import file_digest
from memforest.core.errors import DataError
from memforest.core.files import json_line, write_atomically
from memforest.core.video import GraphVectors, NodeType, VideoGraph
from memforest.graphs.arrays import arrays_bytes, read_arrays, rows_of
from memforest.graphs.raw import RawGraph, RawNode, Row, items, listed_edge, mapping, number, shown, text, texts, whole

SCHEMA = 1
GRAPH, VECTORS = ".graph.json", ".vectors.npz"
_NAME = re.compile(r"[\w-][\w.-]*")
_LISTS = ("nodes", "edges")


def require_name(video: str) -> str:
    """The name of a video, if files can be called by it. Raises DataError."""
    if not _NAME.fullmatch(video):
        raise DataError(f"the video's name {video!r:.80} must be letters, digits, _, - and dots; give one with --video")
    return video


def write_graph(folder: Path, graph: VideoGraph, vectors: GraphVectors) -> Path:
    """Write both files, equal bytes for equal graphs; returns the path of the JSON, which is written last.

    Raises DataError for a name that no file can have, StoreError where nothing can be written.
    """
    path = folder / (require_name(graph.id) + GRAPH)
    arrays = arrays_bytes(_arrays(graph, vectors))
    write_atomically(folder / (graph.id + VECTORS), arrays)
    write_atomically(path, _json(graph, vectors=hashlib.sha256(arrays).hexdigest()))
    return path


def own_graph(raw: Mapping[str, object], path: Path, *, with_vectors: bool = True) -> RawGraph:
    """The graph of the JSON value `raw`, read from `path`. Raises DataError for another schema, or vectors that are not
    those that were written with it."""
    where = path.name
    if raw.get("schema") != SCHEMA:
        raise DataError(f"{where} has the schema {shown(raw.get('schema'))}, this reads {SCHEMA}")
    missing = [name for name in ("video", *_LISTS, "parameters", "characters", "vectors") if name not in raw]
    if missing:
        raise DataError(f"{where}: `{missing[0]}` is missing")
    vectors = _vectors(path, text(raw["vectors"], where=f"{where}: vectors")) if with_vectors else {}
    video = text(raw["video"], where=f"{where}: video")
    parameters = mapping(raw["parameters"], where=f"{where}: parameters").items()
    return RawGraph(
        nodes=tuple(_node(node, vectors, where=where) for node in items(raw["nodes"], where=f"{where}: nodes")),
        edges=[listed_edge(edge, where=where) for edge in items(raw["edges"], where=f"{where}: edges")],
        both_ways=False,
        parameters={text(name, where=where): number(value, where=f"{where}: {name}") for name, value in parameters},
        characters=_characters(raw["characters"], where=f"{where}: characters"),
        notes=() if video + GRAPH == where else (f"the file is not named after the video that it is of: {video}",),
    )


def _json(graph: VideoGraph, *, vectors: str) -> bytes:
    """A line for each node and edge, so that two files can be compared."""
    head = {
        "schema": SCHEMA,
        "video": graph.id,
        "vectors": vectors,
        "parameters": dict(sorted(graph.parameters.items())),
        "characters": None if graph.characters is None else {n: list(t) for n, t in graph.characters.items()},
    }
    listed: dict[str, list[Any]] = {
        "nodes": [
            {"id": node.id, "type": node.type, "contents": list(node.contents), "clip": node.clip}
            for node in graph.nodes
        ],
        "edges": [list(edge) for edge in graph.edges],
    }
    fields = [f"{json_line(name)}: {json_line(value)}" for name, value in head.items()]
    for name in _LISTS:
        lines = ",\n".join(f"  {json_line(item)}" for item in listed[name])
        fields.append(f"{json_line(name)}: [\n{lines}\n]" if lines else f"{json_line(name)}: []")
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode()


def _arrays(graph: VideoGraph, vectors: GraphVectors) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for kind in get_args(NodeType):
        nodes = [node.id for node in graph.nodes if node.type == kind and node.id in vectors]
        if nodes:
            arrays[f"{kind}_ids"] = np.repeat(np.array(nodes, dtype=np.int64), [len(vectors[id]) for id in nodes])
            arrays[f"{kind}_vectors"] = np.concatenate([vectors[id] for id in nodes]).astype(np.float32)
    return arrays


def _vectors(path: Path, sha256: str) -> Mapping[int, tuple[Row, ...]]:
    beside = path.with_name(path.name.removesuffix(GRAPH) + VECTORS)
    if not beside.is_file():
        raise DataError(f"{path}: its vectors, {beside.name}, are not beside it")
    if file_digest(beside) != sha256:
        raise DataError(f"{beside} is damaged, or belongs to another {path.name}; convert the graph again")
    arrays = read_arrays(beside)
    found: dict[int, tuple[Row, ...]] = {}
    for kind in get_args(NodeType):
        ids, rows = f"{kind}_ids", f"{kind}_vectors"
        if ids in arrays or rows in arrays:
            # An id is that of one node, and so of one type; of a file that says otherwise the last counts.
            found |= rows_of(arrays, ids=ids, rows=rows, path=beside)
    return found


def _node(raw: object, vectors: Mapping[int, tuple[Row, ...]], *, where: str) -> RawNode:
    fields = mapping(raw, where=f"{where}: a node")
    id = whole(fields.get("id"), where=f"{where}: the id of a node")
    where = f"{where}, node {id}"
    clip = fields.get("clip")
    return RawNode(
        id=id,
        type=text(fields.get("type"), where=f"{where}: type"),
        contents=texts(fields.get("contents"), where=f"{where}: contents"),
        clip=None if clip is None else whole(clip, where=f"{where}: clip"),
        vectors=vectors.get(id, ()),
    )


def _characters(raw: object, *, where: str) -> Mapping[str, tuple[str, ...]] | None:
    if raw is None:
        return None
    return {text(name, where=where): texts(tags, where=where) for name, tags in mapping(raw, where=where).items()}
