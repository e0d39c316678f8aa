"""Any file of a video's graph -> the graph: our own, an export, or a released pickle."""

from __future__ import annotations

import json
import re
from pathlib import Path

from memforest.core.errors import DataError
from memforest.core.json_keys import unique_keys
from memforest.graphs.exported import exported_graph
from memforest.graphs.format import own_graph
from memforest.graphs.pickles import read_pickle
from memforest.graphs.raw import RawGraph
from memforest.graphs.repair import Found, repaired

_SETTINGS = re.compile(r"_\d+_\d+_\d+_\d+_\d+_[\d.]+_[\d.]+_[\d.]+$")
"""What upstream's early files have behind the video's name: lengths, limits and thresholds."""


def video_of(path: Path) -> str:
    """The name of a video, as that of its file begins: up to the first dot, without the settings behind it."""
    stem = _SETTINGS.sub("", path.name.removesuffix(".pkl"))
    return stem.split(".")[0]


def read_graph(path: Path, *, video: str, with_vectors: bool = True) -> Found:
    """The graph of `video` in a file. Raises DataError for one that cannot be read."""
    if not path.is_file():
        raise DataError(f"{path} does not exist; name the file of a graph")
    return repaired(_raw(path, with_vectors=with_vectors), video=video)


def _raw(path: Path, *, with_vectors: bool) -> RawGraph:
    if path.suffix != ".json":
        return read_pickle(path)
    try:
        raw = json.loads(path.read_bytes(), object_pairs_hook=unique_keys)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise DataError(f"{path} holds no graph of a video")
    return (
        own_graph(raw, path, with_vectors=with_vectors)
        if "schema" in raw
        else exported_graph(raw, path, with_vectors=with_vectors)
    )
