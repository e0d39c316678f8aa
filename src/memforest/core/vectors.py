"""Exact similarities of unit vectors.

A dot product in floating point depends on the order of its sum, and so on the BLAS kernel, the number of threads,
and the place of a row in its matrix: equal vectors can get unequal similarities, and ties are then broken by noise.
Here vectors are rounded to multiples of 2**-GRID_BITS and multiplied in double precision. Every product is a
multiple of 2**-50 and every partial sum of a dot product of two unit vectors is at most about 1 in magnitude
(Cauchy-Schwarz), so each intermediate value fits in the 53 bits of a double: the sum is exact in any order, on any
machine. The rounding moves a cosine by less than 1e-7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""A unit vector, shape [dimension]."""

Matrix = NDArray[np.float32]
"""Unit vectors in rows, shape [count, dimension]."""

Grid = NDArray[np.float64]
"""Vectors rounded to the grid, shape [count, dimension] or [dimension]."""

GRID_BITS = 25


def normalised(matrix: NDArray[np.floating]) -> Matrix:
    """Rows scaled to length 1 as float32; a row of zeros stays zero (its similarity to anything is 0)."""
    wide = np.asarray(matrix, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
    return np.asarray(np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0), dtype=np.float32)


def on_grid(matrix: NDArray[np.floating]) -> Grid:
    """Unit vectors rounded to multiples of 2**-GRID_BITS, as float64; the operand of `similarity`."""
    scale = float(2**GRID_BITS)
    return np.asarray(np.rint(np.asarray(matrix, dtype=np.float64) * scale) / scale)


def mean_vector(grid: Grid) -> Grid:
    """The mean of grid vectors, on the grid, shape [dimension]. The sum is exact; there must be at least one."""
    return on_grid(grid.sum(axis=0) / len(grid))


def similarity(left: Grid, right: Grid) -> NDArray[np.float64]:
    """Cosines of grid vectors, exact: [n, d] x [m, d] -> [n, m], [n, d] x [d] -> [n]."""
    return np.asarray(left @ right.T)
