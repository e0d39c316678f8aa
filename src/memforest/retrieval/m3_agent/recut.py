"""Hits that are cut by a rule of their own, again and again as nodes were shown."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from memforest.core.types import Hits


@dataclass(frozen=True, eq=False)
class RecutHits(Hits):
    """Hits whose retriever decides anew how many there are when some nodes were shown before.

    cut: ids of shown nodes -> the hits of what is left; what was left out before stays out.
    """

    cut: Callable[[frozenset[str]], Hits]

    def without(self, shown: Container[str]) -> Hits:
        """The hits that the retriever gives of what is left when the nodes with the ids `shown` were shown before."""
        ranked = (self.memory.nodes[place].id for place in self.order)
        return self.cut(frozenset(id for id in ranked if id in shown))
