"""Files of vectors are anybody's: what cannot be read is one message that names the file."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memforest.core.errors import DataError
from memforest.core.video import VideoGraph
from memforest.graphs.arrays import arrays_bytes, read_arrays, rows_of
from memforest.graphs.format import GRAPH, VECTORS
from memforest.graphs.read import read_graph
from tests.unit.graphs.videos import written

IDS, ROWS = np.arange(2), np.ones((2, 3), dtype=np.float32)


def saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def huge() -> bytes:
    """An npz whose header names 36 TiB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("rows.npy", "w") as member:
        named: dict[str, Any] = {"descr": "<f4", "fortran_order": False, "shape": (10**13, 1)}
        np.lib.format.write_array_header_1_0(member, named)
    return buffer.getvalue()


FILES = {
    "nothing": b"",
    "text": b"no arrays",
    "a zip cut short": arrays_bytes({"ids": IDS, "rows": ROWS})[:-40],
    "a single array": saved(ROWS),
    "36 TiB": huge(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"broken\.npz is no file of arrays"):
        read_arrays(written(tmp_path / "broken.npz", FILES[name]))


ARRAYS: dict[str, dict[str, Any]] = {
    "no ids": {"rows": ROWS},
    "no rows": {"ids": IDS},
    "more ids": {"ids": np.arange(3), "rows": ROWS},
    "one id": {"ids": np.array(1), "rows": ROWS},
    "ids in a table": {"ids": IDS[:, None], "rows": ROWS},
    "one row": {"ids": IDS, "rows": ROWS[0]},
    "a number": {"ids": IDS, "rows": np.array(1.0)},
    "a cube": {"ids": IDS, "rows": ROWS[..., None]},
    "fractions": {"ids": np.array([0.0, 1.5]), "rows": ROWS},
    "ids in words": {"ids": np.array(["0", "1"]), "rows": ROWS},
    "rows of words": {"ids": IDS, "rows": ROWS.astype(str)},
    "complex rows": {"ids": IDS, "rows": ROWS.astype(complex)},
}


@pytest.mark.parametrize("name", ARRAYS)
def test_other_arrays_are_an_error_in_every_schema(tmp_path: Path, name: str) -> None:
    found = ARRAYS[name]
    with pytest.raises(DataError, match=r"v\.npz.*`ids`.*`rows`"):
        rows_of(found, ids="ids", rows="rows", path=tmp_path / "v.npz")
    own = arrays_bytes({f"semantic_{'vectors' if key == 'rows' else key}": value for key, value in found.items()})
    written(tmp_path / ("a" + VECTORS), own)
    head = {"schema": 1, "video": "a", "vectors": hashlib.sha256(own).hexdigest(), "parameters": {}, "characters": None}
    written(tmp_path / ("a" + GRAPH), json.dumps({**head, "nodes": [], "edges": []}).encode())
    names = {"ids": "node_id", "rows": "embedding"}
    written(tmp_path / "b.text_embeddings.npz", arrays_bytes({names[key]: value for key, value in found.items()}))
    written(tmp_path / ("b" + GRAPH), b'{"nodes": [], "edges": []}')
    for video, file in (("a", r"a\.vectors\.npz"), ("b", r"b\.text_embeddings\.npz")):
        with pytest.raises(DataError, match=file):
            read_graph(tmp_path / (video + GRAPH), video=video)
        bare = read_graph(tmp_path / (video + GRAPH), video=video, with_vectors=False)
        assert (bare.graph, bare.repairs) == (VideoGraph(video, (), ()), ())


def test_rows_are_kept_by_their_ids_and_what_is_too_large_is_infinite() -> None:
    arrays = {"ids": np.array([4, 2, 4]), "rows": np.array([[1.0], [2.0], [1e300]])}
    found = rows_of(arrays, ids="ids", rows="rows", path=Path("v.npz"))
    assert {id: [row.tolist() for row in rows] for id, rows in found.items()} == {4: [[1.0], [np.inf]], 2: [[2.0]]}
