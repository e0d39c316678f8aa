"""Keep everything: the lossless merger."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.core.outcomes import MergedSegments, MergeResult
from memforest.core.protocols import Encode
from memforest.core.types import Pair


class Concat:
    """Segments of both nodes in time order."""

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """Never fails and drops nothing."""
        return [MergedSegments(segments=pair.segments) for pair in pairs]
