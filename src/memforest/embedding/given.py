"""Vectors that came with a memory, of a model that is not here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.core.errors import ConfigError
from memforest.core.protocols import Embedding
from memforest.core.types import Memory


class GivenVectors:
    """Embeds the texts of a memory's segments, and no others, by looking up the vector of the first node with each."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._by_text = {segment.text: node.vector for node in reversed(memory.nodes) for segment in node.segments}

    @property
    def identity(self) -> str:
        """Vectors of unknown origin are like no others."""
        return f"given-{self._memory.id}"

    @property
    def dimension(self) -> int:
        """Length of the given vectors."""
        return int(self._memory.matrix.shape[1])

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """The given vectors of `texts`. Raises ConfigError for a text that has none."""
        missing = [text for text in texts if text not in self._by_text]
        if missing:
            raise ConfigError(
                f"the text {missing[0]!r:.60} has no given vector; name an embedder (--embedder minilm) to embed all "
                "texts anew"
            )
        vectors = np.stack([self._by_text[text] for text in texts]) if texts else self._memory.matrix[:0]
        return Embedding(vectors=vectors, truncated=np.zeros(len(texts), dtype=bool))
