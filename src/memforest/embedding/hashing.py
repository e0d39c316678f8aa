"""Hashed bags of words: deterministic, instant, and with no notion of meaning. For tests and for scaling studies."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memforest.core.checks import require
from memforest.core.protocols import Embedding
from memforest.core.vectors import normalised
from memforest.core.words import words_of


class Hashing:
    """Each word adds 1 or -1 to one of `buckets` places, chosen by its sha256; reads all of a text."""

    def __init__(self, *, buckets: int) -> None:
        require(buckets >= 1, f"embedder.buckets must be at least 1, got {buckets}")
        self._buckets = buckets

    @property
    def identity(self) -> str:
        """Name and size."""
        return f"hashing-{self._buckets}"

    @property
    def dimension(self) -> int:
        """Number of buckets."""
        return self._buckets

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors [texts, buckets]; a text without words gets zeros."""
        counts = np.zeros((len(texts), self._buckets), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in words_of(text):
                place, sign = _place(word)
                counts[row, place % self._buckets] += sign
        return Embedding(vectors=normalised(counts), truncated=np.zeros(len(texts), dtype=bool))


@lru_cache(maxsize=1 << 16)
def _place(word: str) -> tuple[int, int]:
    value = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return value >> 1, 1 if value & 1 else -1
