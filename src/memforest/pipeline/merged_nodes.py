"""How a merged node is made of its two parts; nothing here takes longer for being asked the hundred-thousandth time."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence

from memforest.core.outcomes import MergedSegments
from memforest.core.protocols import MergedVector
from memforest.core.types import Json, MemoryNode, Pair

_DIGEST_BYTES = 8


def merged_node(
    pair: Pair, merged: MergedSegments, vector: MergedVector, *, members: tuple[str, ...], member_sum: int
) -> MemoryNode:
    """The later time, all members, and the metadata on which both nodes agree."""
    return MemoryNode(
        id=_id(member_sum),
        segments=merged.segments,
        vector=vector.vector,
        time=_time(pair),
        members=members,
        kind=pair.newer.kind,
        truncated=vector.truncated,
        metadata=_agreed(pair.older.metadata, pair.newer.metadata),
    )


def merged_id(members: Iterable[str]) -> str:
    """Id of a merged node: a function of the set of original nodes, so equal whatever the order of merging."""
    return _id(member_sum(members))


def member_sum(members: Iterable[str]) -> int:
    """Sum of the members' digests: that of a merged node is the sum of its parts', however many members they have."""
    return sum(int.from_bytes(hashlib.sha256(member.encode()).digest()[:_DIGEST_BYTES], "big") for member in members)


def in_insertion_order(first: Sequence[str], second: Sequence[str], *, place: Mapping[str, int]) -> tuple[str, ...]:
    """Members of two nodes, each in insertion order, as one sequence in insertion order.

    The shorter is inserted into the longer, so that a node that swallows thousands one by one is not sorted each time.
    """
    shorter, longer = sorted((first, second), key=len)
    merged: list[str] = []
    start = 0
    for member in shorter:
        end = bisect(longer, place[member], start, key=place.__getitem__)
        merged += longer[start:end]
        merged.append(member)
        start = end
    return (*merged, *longer[start:])


def _id(total: int) -> str:
    return f"merged-{total % (1 << 8 * _DIGEST_BYTES):0{2 * _DIGEST_BYTES}x}"


def _time(pair: Pair) -> float | None:
    """The later time; in a video none where a part has none, since such a part cannot be shown to be that early."""
    times = [node.time for node in (pair.older, pair.newer)]
    known = [time for time in times if time is not None]
    return None if pair.clock == "video" and None in times else max(known, default=None)


def _agreed(older: Mapping[str, Json], newer: Mapping[str, Json]) -> dict[str, Json]:
    """Metadata in which both nodes agree; the rest is found at the members."""
    return {key: value for key, value in older.items() if key in newer and newer[key] == value}
