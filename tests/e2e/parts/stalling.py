"""Components that stop at one chosen call until a file appears, so that a test can kill or overtake the process.

STALL_AT names the call (`embed:2`, `wave:5`, `search:8`), STALL_HERE the file that says it was reached, STALL_GO the
file that lets it go on. Without STALL_AT they are the ordinary components.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memforest.compressors.tome import ToMe
from memforest.core.protocols import Embedding, Index, Waves
from memforest.core.types import Hits, Memory, Query
from memforest.embedding.hashing import Hashing
from memforest.retrieval.topk import TopK

_calls: Counter[str] = Counter()
_lock = threading.Lock()


def stall(what: str) -> None:
    """Wait here if this is the chosen call."""
    with _lock:
        _calls[what] += 1
        call = f"{what}:{_calls[what]}"
    if os.environ.get("STALL_AT") != call:
        return
    Path(os.environ["STALL_HERE"]).touch()
    while not Path(os.environ["STALL_GO"]).exists():
        time.sleep(0.01)


class StallingHashing(Hashing):
    """Hashed words."""

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """As its parent."""
        stall("embed")
        return super().embed(texts=texts)


class StallingToMe(ToMe):
    """ToMe."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """As its parent."""
        waves = super().compress(memory=memory, ratio=ratio, seed=seed)
        try:
            wave = next(waves)
            while True:
                stall("wave")
                wave = waves.send((yield wave))
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


class StallingTopK(TopK):
    """Exact cosine."""

    def index(self, *, memory: Memory) -> Index:  # type: ignore[override]
        """As its parent."""
        return _StallingIndex(super().index(memory=memory))


class _StallingIndex:
    def __init__(self, index: Index) -> None:
        self._index = index

    def search(self, *, query: Query, k: int) -> Hits:
        """As the index inside."""
        stall("search")
        return self._index.search(query=query, k=k)
