"""Random generators that depend on the run's seed and on what they are for, never on the order of work."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(*, seed: int, purpose: str) -> np.random.Generator:
    """A generator for one purpose, such as a memory's id; equal arguments give equal numbers."""
    word = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.default_rng([seed, word])
