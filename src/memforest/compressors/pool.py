"""The nodes that a merging compressor works on: places in insertion order, and pairs that were refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from memforest.core.order import in_time_order
from memforest.core.outcomes import MergeFailed, MergeOutcome
from memforest.core.types import MemoryNode, Pair


class Pool:
    """Live nodes by place. A merged node takes the place of its newer part, so places keep insertion order.

    A pair whose merge failed is refused: it is not asked for again, and both nodes stay.
    """

    def __init__(self, nodes: Sequence[MemoryNode]) -> None:
        self._nodes = dict(enumerate(nodes))
        self._refused: set[frozenset[str]] = set()

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, place: int) -> MemoryNode:
        return self._nodes[place]

    @property
    def places(self) -> list[int]:
        """Live places, ascending."""
        return sorted(self._nodes)

    @property
    def nodes(self) -> tuple[MemoryNode, ...]:
        """Live nodes in insertion order."""
        return tuple(self._nodes[place] for place in self.places)

    @property
    def refusals(self) -> int:
        """Pairs that could not be merged."""
        return len(self._refused)

    def refused(self, first: int, second: int) -> bool:
        """Whether merging these two nodes has failed."""
        return frozenset((self._nodes[first].id, self._nodes[second].id)) in self._refused

    def refused_among(self, places: Iterable[int]) -> list[tuple[int, int]]:
        """Pairs of these places that were refused."""
        place_of = {self._nodes[place].id: place for place in places} if self._refused else {}
        known = [pair for pair in self._refused if pair <= place_of.keys()]
        return [(place_of[first], place_of[second]) for first, second in known]

    def allowed_pairs(self, places: Sequence[int] | None = None) -> list[tuple[int, int]]:
        """All pairs of live places, or of some, that were not refused, in order. Quadratic: for what is left after
        failures."""
        among = self.places if places is None else places
        return [pair for pair in combinations(among, 2) if not self.refused(*pair)]

    def pair(self, first: int, second: int) -> Pair:
        """The nodes at two places as a pair in time order."""
        low, high = sorted((first, second))
        return in_time_order(self._nodes[low], self._nodes[high])

    def settle(self, first: int, second: int, outcome: MergeOutcome) -> int | None:
        """Take in the outcome for the nodes at two places: the place of the merged node, None if the merge failed."""
        if isinstance(outcome, MergeFailed):
            self._refused.add(frozenset((self._nodes[first].id, self._nodes[second].id)))
            return None
        newer = self.pair(first, second).newer
        place = first if self._nodes[first] is newer else second
        del self._nodes[first], self._nodes[second]
        self._nodes[place] = outcome
        return place
