"""One question's searches: each brings what was not shown before, and all that was shown is remembered."""

from __future__ import annotations

from collections.abc import Sequence

from memforest.answering.m3_agent.unseen import Unseen
from memforest.answering.shown import Shown, shown
from memforest.core.outcomes import ShownNode
from memforest.core.protocols import Search
from memforest.core.types import Hits, Question


class Reader:
    """`order` and `max_words` are those of `answering.shown.shown`, for each search by itself; `latest` too."""

    def __init__(
        self, question: Question, search: Search, *, unseen: Unseen, order: str, max_words: int | None, latest: bool
    ) -> None:
        self._question = question
        self._search = search
        self._unseen = unseen
        self._order = order
        self._max_words = max_words
        self._latest = latest
        self._nodes: list[ShownNode] = []
        self.left_out = 0

    @property
    def nodes(self) -> tuple[ShownNode, ...]:
        """What was shown so far."""
        return tuple(self._nodes)

    def look(self, text: str) -> Shown:
        """What a search for `text` shows."""
        rankings = self._unseen.of(self._search(text), text=text)
        found = shown(
            rankings, question=self._question, order=self._order, max_words=self._max_words, latest=self._latest
        )
        self._note(rankings, found, text)
        return found

    def _note(self, rankings: Sequence[Hits], found: Shown, text: str) -> None:
        self.left_out += found.left_out
        self._nodes += found.nodes
        for number, hits in enumerate(rankings):
            nodes = [entry.node for entry in found.entries if entry.memory == number]
            self._unseen.note(hits.memory, nodes, text=text)
