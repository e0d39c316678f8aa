"""Merged text is embedded like any other text."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.core.protocols import Carried, Embedder, Merge, MergedVector
from memforest.core.types import Pair


class TextReembedding:
    """e = Embed(c), the step 4 of the EventTree paper's merging; all texts of a wave in one call."""

    def carried(self, *, pair: Pair, older: Carried, newer: Carried) -> Carried:
        """Nothing."""

    def embed(self, *, merges: Sequence[Merge], embedder: Embedder) -> Sequence[MergedVector]:
        """The embedder's vectors of the merged texts."""
        made = embedder.embed(texts=[" ".join(segment.text for segment in merge.segments) for merge in merges])
        return [MergedVector(*item) for item in zip(made.vectors, map(bool, made.truncated), strict=True)]
