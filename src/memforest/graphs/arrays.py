"""Files of arrays (npz) that can hold nothing but numbers, with equal bytes for equal arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memforest.core.errors import DataError

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
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise DataError(f"{path} is no file of arrays that can be read: {error}") from error
