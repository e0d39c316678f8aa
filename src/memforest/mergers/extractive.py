"""Keep what is not said twice, up to a number of words: a lossy merger without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.graph import tags
from memforest.core.outcomes import MergedSegments, MergeResult
from memforest.core.protocols import Encode
from memforest.core.types import Pair, Segment
from memforest.core.vectors import on_grid, similarity


class Extractive:
    """While more than `max_words` words are held, drop the shorter one of the two most similar segments.

    A segment that alone names a face, voice or other entity by a tag stays, although there are more words then: of a
    pair with one such segment the other goes, of two such segments none.
    """

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
                spare = _named_elsewhere([segments[i].text for i in kept])
                if not spare.any():
                    break
                inside = np.where(spare[:, None] | spare, cosines[np.ix_(kept, kept)], -np.inf)
                first, second = divmod(int(np.argmax(inside)), len(kept))
                # Of two equally long segments the older one goes: the newer states what holds now.
                shorter, other = (first, second) if words[kept[first]] <= words[kept[second]] else (second, first)
                dropped.append(kept.pop(shorter if spare[shorter] else other))
        return MergedSegments(segments=tuple(segments[i] for i in kept), dropped=tuple(segments[i] for i in dropped))


def _named_elsewhere(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each tag of a text stands in another one too, shape [texts]."""
    named = [tags(text) for text in texts]
    count = Counter(tag for found in named for tag in found)
    return np.array([all(count[tag] > 1 for tag in found) for found in named])
