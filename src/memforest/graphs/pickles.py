"""Released pickles of M3-Agent's VideoGraph, read without running anything that they ask for."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from memforest.core.errors import DataError
from memforest.graphs.bounded import bounded_memory
from memforest.graphs.opcodes import require_plain
from memforest.graphs.raw import RawGraph, RawNode, counted, items, mapping, number, row, shown, text, texts, whole

_MODULES = ("videograph", "mmagent.videograph")
_READ = (
    *("nodes", "edges", "text_nodes", "text_nodes_by_clip", "event_sequence_by_clip", "event_sequence"),
    *("character_mappings", "reverse_character_mappings"),
)
"""Attributes of a graph that are read, or follow from what is; all others that are numbers are its parameters."""

_NODE = ("id", "type", "embeddings", "metadata", "timestamp")
_METADATA = ("contents", "timestamp")

_BYTES_OF_A_BYTE, _SPARE_BYTES = 80, 1 << 28
"""What a byte of a pickle can honestly become (an empty list takes one), and what reading takes besides."""

_CUT_SHORT = ("truncated", "exhausted", "not enough data", " remain", "no newline found")
"""Words by which errors of the standard library tell that a pickle has no end."""


class _Stored:
    """What an object was pickled as: its state, whatever that holds. It takes no arguments and has no other methods."""

    __slots__ = ("state",)

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Graph(_Stored):
    """Stands in for VideoGraph."""

    __slots__ = ()


class _Node(_Stored):
    """Stands in for VideoGraph.Node."""

    __slots__ = ()


_CLASSES: Mapping[str, type[_Stored]] = {"VideoGraph": _Graph, "VideoGraph.Node": _Node, "Node": _Node}


def _class(module_name: str, global_name: str) -> type[_Stored]:
    if module_name in _MODULES and global_name in _CLASSES:
        return _CLASSES[global_name]
    asked = f"{module_name}.{global_name}"
    raise pickle.UnpicklingError(f"it asks for {asked!r:.80}, and a graph needs no such thing")


class _Reader(pickle.Unpickler):
    """Knows the two classes of a graph and no others; nothing else in a pickle can be looked up, so nothing is run."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """A stand-in for one of the two classes. Raises UnpicklingError for anything else."""
        return _class(module_name, global_name)


def read_pickle(path: Path) -> RawGraph:
    """The graph in a pickle, of either generation. Raises DataError for anything but a VideoGraph of plain values."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream, bounded_memory(_SPARE_BYTES + _BYTES_OF_A_BYTE * size):
            return _read(stream, path)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # A pickle is a program of its own, and this one is anybody's: it can fail in any way.
        raise DataError(f"{path} is refused, nothing in it was run: {_reason(error)}") from error


def _read(stream: IO[bytes], path: Path) -> RawGraph:
    require_plain(stream, look_up=_class)
    stream.seek(0)
    found = _Reader(stream).load()
    if not isinstance(found, _Graph):
        raise DataError(f"{path} holds no VideoGraph")
    return _graph(_state(found, where=path.name), where=path.name)


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it asks for far more memory than its size explains"
    if isinstance(error, EOFError) or any(word in str(error) for word in _CUT_SHORT):
        return "the file ends too early, as after a broken download"
    return f"{error!s:.200}" or type(error).__name__


def _state(stored: _Stored, *, where: str) -> Mapping[str, object]:
    state = getattr(stored, "state", None)
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise DataError(f"{where}: an object without attributes by name")
    return state


def _graph(attributes: Mapping[str, object], *, where: str) -> RawGraph:
    missing = [name for name in ("nodes", "edges") if name not in attributes]
    if missing:
        raise DataError(f"{where}: the VideoGraph has no `{missing[0]}`")
    by_clip = _by_clip(attributes, "text_nodes_by_clip", where=where)
    clips = {id: clip for clip, ids in (by_clip or {}).items() for id in ids}
    nodes = [_node(key, value, clips, where=where) for key, value in mapping(attributes["nodes"], where=where).items()]
    others = {name: value for name, value in attributes.items() if name not in _READ}
    parameters = {name: value for name, value in others.items() if type(value) is int or type(value) is float}
    unread = dict.fromkeys(name for _, more in nodes for name in more)
    return RawGraph(
        nodes=tuple(node for node, _ in nodes),
        edges=[_edge(ends, weight, where=where) for ends, weight in mapping(attributes["edges"], where=where).items()],
        both_ways=True,
        parameters=parameters,
        characters=_characters(attributes.get("character_mappings"), where=where),
        order=_ids(attributes.get("text_nodes"), where=f"{where}: text_nodes"),
        by_clip=by_clip,
        events_by_clip=_by_clip(attributes, "event_sequence_by_clip", where=where),
        notes=(
            *counted("attributes of the graph that are not read", [name for name in others if name not in parameters]),
            *counted("attributes of nodes that are not read", unread),
        ),
    )


def _node(key: object, stored: object, clips: Mapping[int, int], *, where: str) -> tuple[RawNode, list[str]]:
    """A node, and the names of what it holds that is not read."""
    where = f"{where}, node {shown(key)}"
    if not isinstance(stored, _Node):
        raise DataError(f"{where} is no node")
    fields = _state(stored, where=where)
    metadata = mapping(fields.get("metadata", {}), where=f"{where}: metadata")
    identity = whole(key, where=f"{where}: its key")
    if whole(fields.get("id", key), where=f"{where}: id") != identity:
        raise DataError(f"{where} has the id {fields['id']}; key and id must be equal")
    clip = metadata.get("timestamp", fields.get("timestamp"))
    node = RawNode(
        id=identity,
        type=text(fields.get("type"), where=f"{where}: type"),
        contents=_contents(metadata.get("contents", ()), where=f"{where}: contents"),
        clip=clips.get(identity) if clip is None else whole(clip, where=f"{where}: timestamp"),
        vectors=tuple(
            row(vector, where=where) for vector in items(fields.get("embeddings", ()), where=f"{where}: embeddings")
        ),
    )
    more = [name if isinstance(name, str) else shown(name) for name in metadata if name not in _METADATA]
    unread = [name for name in fields if name not in _NODE] + more
    return node, unread


def _contents(values: object, *, where: str) -> tuple[str, ...]:
    """A list of texts, of pictures as base64 texts or bytes, or one text alone."""
    listed = [values] if isinstance(values, str | bytes) else items(values, where=where)
    return texts([item.decode("ascii", "replace") if isinstance(item, bytes) else item for item in listed], where=where)


def _edge(ends: object, weight: object, *, where: str) -> tuple[int, int, float]:
    where = f"{where}, edge {shown(ends)}"
    if not isinstance(ends, tuple) or len(ends) != 2:
        raise DataError(f"{where}: an edge must be a pair of ids")
    return whole(ends[0], where=where), whole(ends[1], where=where), number(weight, where=f"{where}: its weight")


def _ids(values: object, *, where: str) -> tuple[int, ...] | None:
    return None if values is None else tuple(whole(value, where=where) for value in items(values, where=where))


def _by_clip(attributes: Mapping[str, object], name: str, *, where: str) -> Mapping[int, tuple[int, ...]] | None:
    where = f"{where}: {name}"
    if attributes.get(name) is None:
        return None
    listed = mapping(attributes[name], where=where).items()
    return {whole(clip, where=where): _ids(ids, where=where) or () for clip, ids in listed}


def _characters(values: object, *, where: str) -> Mapping[str, tuple[str, ...]] | None:
    where = f"{where}: character_mappings"
    if values is None:
        return None
    return {text(name, where=where): texts(tags, where=where) for name, tags in mapping(values, where=where).items()}
