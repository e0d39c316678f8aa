"""M3-Agent's search as released, written well but literally: the baseline of the benchmark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.core.types import Memory, MemoryNode, Query, clip_of


class ReleasedSearch:
    """A video's texts with their vectors as lists of numbers, which every search makes an array of."""

    def __init__(self, memory: Memory, *, clips: int, threshold: float) -> None:
        told = () if memory.graph is None else memory.graph.equivalences
        self._nodes = memory.nodes
        self._texts: Sequence[MemoryNode] = (*memory.nodes, *told)
        self._vectors = [[text.vector.tolist()] for text in self._texts]
        self._clips = clips
        self._threshold = threshold

    def search(self, query: Query) -> list[MemoryNode]:
        """All nodes of the best clips, a clip being as good as its best text, in order of time."""
        scores: dict[int, list[float]] = {}
        for text, score in self._scored([query.vector.tolist()]):
            scores.setdefault(clip_of(text) or 0, []).append(score)
        best = sorted(((max(of_clip), clip) for clip, of_clip in scores.items()), key=lambda pair: -pair[0])
        chosen = [clip for score, clip in best if score >= self._threshold][: self._clips]
        return [node for clip in sorted(chosen) for node in self._nodes if clip_of(node) == clip]

    def _scored(self, queries: list[list[float]]) -> list[tuple[MemoryNode, float]]:
        """Every text with its largest cosine to the queries, over its vectors, the most similar first."""
        from sklearn.metrics.pairwise import cosine_similarity

        vectors = np.array(self._vectors)
        flat = vectors.reshape(-1, vectors.shape[-1])
        cosines = cosine_similarity(np.array(queries), flat).reshape(len(queries), *vectors.shape[:2])
        return sorted(zip(self._texts, cosines.max(axis=(0, 2)).tolist(), strict=True), key=lambda pair: -pair[1])
