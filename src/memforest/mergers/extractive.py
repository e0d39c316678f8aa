"""Keep what is not said twice, up to a number of words: a lossy merger without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memforest.core.checks import require
from memforest.core.outcomes import MergedSegments, MergeResult
from memforest.core.protocols import Encode
from memforest.core.types import Pair, Segment
from memforest.core.vectors import on_grid, similarity


class Extractive:
    """While more than `max_words` words are held, drop the shorter one of the two most similar segments."""

    def __init__(self, *, max_words: int) -> None:
        require(max_words >= 1, f"merger.max_words must be at least 1, got {max_words}")
        self._max_words = max_words

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Never fails; a single segment longer than `max_words` is kept whole."""
        return [self._merged(pair.segments, encode) for pair in pairs]

    def _merged(self, segments: tuple[Segment, ...], encode: Encode) -> MergedSegments:
        words = [len(segment.text.split()) for segment in segments]
        kept = list(range(len(segments)))
        dropped: list[int] = []
        if sum(words) > self._max_words:
            grid = on_grid(encode([segment.text for segment in segments]))
            cosines = similarity(grid, grid)
            np.fill_diagonal(cosines, -np.inf)
            while len(kept) > 1 and sum(words[i] for i in kept) > self._max_words:
                inside = cosines[np.ix_(kept, kept)]
                first, second = divmod(int(np.argmax(inside)), len(kept))
                # Of two equally long segments the older one goes: the newer states what holds now.
                place = first if words[kept[first]] <= words[kept[second]] else second
                dropped.append(kept.pop(place))
        return MergedSegments(segments=tuple(segments[i] for i in kept), dropped=tuple(segments[i] for i in dropped))
