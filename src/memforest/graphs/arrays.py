"""Files of arrays (npz) that can hold nothing but numbers, with equal bytes for equal arrays."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memforest.core.errors import DataError
from memforest.graphs.raw import Row

Arrays = Mapping[str, NDArray[Any]]


def arrays_bytes(arrays: Arrays) -> bytes:
    """The bytes of an npz file: NumPy gives its members no time of the day."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    return buffer.getvalue()


def read_arrays(path: Path) -> Arrays:
    """All arrays of an npz file. Raises DataError for a damaged file, or one that holds objects."""
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except Exception as error:
        # Anybody's zip of headers: it can be no zip, name a terabyte, be encrypted, or end in its middle.
        raise DataError(f"{path} is no file of arrays that can be read: {error!s:.200}") from error


def rows_of(arrays: Arrays, *, ids: str, rows: str, path: Path) -> Mapping[int, tuple[Row, ...]]:
    """Vectors by the ids of the nodes that they are of, from the array `ids`, shape [vectors], and `rows`, shape
    [vectors, dimension], of the file `path`. Raises DataError for anything but whole numbers beside rows of numbers."""
    of, vectors = arrays.get(ids), arrays.get(rows)
    if of is None or vectors is None or of.ndim != 1 or vectors.ndim != 2 or len(of) != len(vectors):
        raise DataError(f"{path} must hold `{ids}`, one per row, and the rows `{rows}`")
    if of.dtype.kind not in "iu" or vectors.dtype.kind not in "iuf":
        raise DataError(
            f"{path}: `{ids}` must be whole numbers and `{rows}` numbers, they are {of.dtype} and {vectors.dtype}"
        )
    found: dict[int, tuple[Row, ...]] = defaultdict(tuple)
    # What is too large becomes infinite, and is then no direction.
    with np.errstate(over="ignore"):
        numbers = vectors.astype(np.float32)
    for id, vector in zip(of.tolist(), numbers, strict=True):
        found[id] += (vector,)
    return found
