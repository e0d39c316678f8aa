"""A video of clips with texts, and searches over it that go by a fixed ranking."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.core.protocols import Search
from memforest.core.types import CLIP_SECONDS, Hits, Memory, Question
from tests.builders import memory, node

QUESTION = Question(id="v/q", unit_id="v", text="What did Ada sell?")


def video(*clips: int | None, id: str = "v") -> Memory:
    """A node n0, n1, ... for each clip, with the text `thing <number>`."""
    return memory(
        [
            node(f"n{place}", f"thing {place}", time=None if clip is None else clip * CLIP_SECONDS)
            for place, clip in enumerate(clips)
        ],
        id=id,
        clock="video",
    )


def ranked(of: Memory, order: Sequence[int], *, k: int) -> Hits:
    """The nodes in this order."""
    return Hits(of, tuple(order), tuple(1.0 - rank / 100 for rank in range(len(order))), k)


def searching(of: Memory, *, k: int, asked: list[str] | None = None, **orders: Sequence[int]) -> Search:
    """A search by the order of its first word; in order of insertion for others. `asked` collects the texts."""

    def search(text: str) -> Sequence[Hits]:
        if asked is not None:
            asked.append(text)
        return [ranked(of, orders.get(text.split(maxsplit=1)[0], range(len(of))), k=k)]

    return search


def texts(rankings: Sequence[Hits]) -> list[str]:
    """Ids of the hits."""
    return [node.id for hits in rankings for node in hits.nodes]
