"""What a question about the beginning of a video loses since its memory was compressed with all of the video known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from memforest.core.types import Memory, MemoryNode, clip_of


class EarlyKnowledge:
    """Follows a unit's original nodes into its compressed memories.

    A node is known from the end of its clip, and can be found from the end of the clip of the node that stands for it,
    which is that of the latest member. In between it is hidden, and for good where a member has no clip; without such a
    node it is dropped.
    """

    def __init__(self, originals: Sequence[Memory], compressed: Sequence[Memory]) -> None:
        known, found = [], []
        for original, smaller in zip(originals, compressed, strict=True):
            owner = {member: node for node in smaller.nodes for member in node.members}
            for node in original.nodes:
                clip, successor = clip_of(node), owner.get(node.members[0])
                if clip is not None:
                    known.append(clip)
                    found.append(math.nan if successor is None else _first_clip(successor))
        self._known = np.array(known, dtype=np.float64)
        self._found = np.array(found, dtype=np.float64)

    def at(self, clip: int) -> dict[str, int]:
        """How many original nodes were `known` when `clip` had ended, and of these are `hidden` or `dropped`."""
        found = self._found[self._known <= clip]
        return {
            "known": len(found),
            "hidden": int(np.count_nonzero(found > clip)),
            "dropped": int(np.count_nonzero(np.isnan(found))),
        }


def _first_clip(node: MemoryNode) -> float:
    """The clip at whose end a node can be found; infinite for one that never can."""
    clip = clip_of(node)
    return math.inf if clip is None else clip
