"""StreamMeCo's search: places for hits are shared out over clips, the later ones getting more."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require, require_count
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.m3_agent.recut import RecutHits
from memforest.retrieval.m3_agent.texts import TextSettings, VideoTexts


class StreamMeCo:
    """`nodes` hits, shared out over clips by their importance; within a clip the most similar texts are taken.

    A clip's importance is the mean similarity of its searched texts times exp(-decay max(0, t - clip)), t the last
    clip that had ended when the question was asked; without it nothing decays, and below 0 it counts as 0. Its share
    is its importance over that of all clips: whole places first, then one each by largest remainder, importance, and
    similarity of the best text, never more than there are texts; where no clip has any, the most similar texts are
    hits. The hits stand by similarity, then come the other texts of the pool, then those outside; where a score would
    rise again in the ranking, it is that of the node before. search_equivalences, entity_pools, query_variants: as in
    TextSettings.
    """

    cuts: Literal[True] = True

    def __init__(
        self, *, nodes: int, decay: float, search_equivalences: bool, entity_pools: bool, query_variants: int
    ) -> None:
        require_count("retriever.nodes", nodes)
        require(0 <= decay <= 1e6, f"retriever.decay, per clip, must be in [0, 1e6], got {decay}")
        self._settings = TextSettings(
            search_equivalences=search_equivalences, entity_pools=entity_pools, query_variants=query_variants
        )
        self.nodes = nodes
        self.decay = decay

    def index(self, *, memory: Memory) -> StreamMeCoIndex:
        """Clips, characters and the vectors of equivalences are prepared here."""
        return StreamMeCoIndex(VideoTexts(memory, settings=self._settings), retriever=self)


class StreamMeCoIndex:
    """A memory with its texts made ready."""

    def __init__(self, texts: VideoTexts, *, retriever: StreamMeCo) -> None:
        self._texts = texts
        self._retriever = retriever

    def texts(self, *, text: str) -> tuple[str, ...]:
        """The texts as which a query is embedded."""
        return self._texts.embedded(text)

    def search(self, *, query: Query, k: int) -> Hits:
        """The ranking is complete; k does not count."""
        similarities, pool = self._texts.similarities(query), self._texts.pool(query.text)
        order = np.lexsort((-similarities, ~pool))
        return self._cut(order, similarities, pool, before_clip=query.before_clip, left=self._texts.left(frozenset()))

    def _cut(
        self,
        order: NDArray[np.intp],
        similarities: NDArray[np.float64],
        pool: NDArray[np.bool_],
        *,
        before_clip: int | None,
        left: NDArray[np.bool_],
    ) -> RecutHits:
        """The nodes that are left; places are shared out over what is left of the pool."""
        order = order[left[order]]
        searched = order[pool[order]]
        taken = np.zeros(len(pool), dtype=np.bool_)
        taken[self._taken(searched, similarities, before_clip)] = True
        order = order[np.argsort(~taken[order], kind="stable")]
        nodes = order < len(self._texts.memory)
        return RecutHits(
            memory=self._texts.memory,
            order=tuple(order[nodes].tolist()),
            scores=tuple(np.minimum.accumulate(similarities[order])[nodes].tolist()),
            k=int((taken[order] & nodes).sum()),
            cut=lambda shown: self._cut(
                order, similarities, pool, before_clip=before_clip, left=left & self._texts.left(shown)
            ),
        )

    def _taken(
        self, searched: NDArray[np.intp], similarities: NDArray[np.float64], before_clip: int | None
    ) -> NDArray[np.intp]:
        """Places of the texts that get a place, of those that are searched, given by falling similarity."""
        clips = _by_appearance(self._texts.groups[searched])
        available = np.bincount(clips)
        importance = self._importance(searched, similarities, clips, before_clip)
        if not importance.any():
            return searched[: self._retriever.nodes]
        places = shared_out(importance, available, places=self._retriever.nodes)
        return searched[_turns_within(clips) < places[clips]]

    def _importance(
        self,
        searched: NDArray[np.intp],
        similarities: NDArray[np.float64],
        clips: NDArray[np.intp],
        before_clip: int | None,
    ) -> NDArray[np.float64]:
        """Importance of every clip over that of the most important one, shape [clips]; zeros where none has any."""
        means = np.bincount(clips, similarities[searched]) / np.bincount(clips)
        numbers = np.zeros(len(means))
        numbers[clips] = self._texts.clips[searched]
        passed = np.zeros(len(means)) if before_clip is None else np.maximum(0, before_clip - numbers)
        # From the nearest clip of any importance on: shares stay what they are, and no distance makes all of them 0.
        nearest = passed[means > 0].min(initial=np.inf)
        importance = np.maximum(0, means * np.exp(-self._retriever.decay * np.maximum(0, passed - nearest)))
        return np.asarray(importance / importance.max()) if importance.any() else importance


def shared_out(weights: NDArray[np.float64], available: NDArray[np.intp], *, places: int) -> NDArray[np.intp]:
    """How many of `places` each gets by its weight, shape [weights]; together as many as there are or are available.

    First the whole part of its share, then one each in turns by largest remainder, then weight, then order; nobody
    gets more than is available, and what he cannot take counts as remainder.
    """
    places = min(places, int(available.sum()))
    share = weights / weights.sum() * places
    given: NDArray[np.intp] = np.minimum(np.floor(share).astype(np.intp), available)
    turns = np.lexsort((-weights, given - share))
    while left := places - int(given.sum()):
        waiting = turns[given[turns] < available[turns]][:left]
        given[waiting] += 1
    return given


def _by_appearance(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Groups numbered from 0 in the order in which they appear."""
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[numbers]


def _turns_within(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each place how many of its group stand before it."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], groups[order])
    turns = np.empty(len(groups), dtype=np.intp)
    turns[order] = np.arange(len(groups)) - starts
    return turns
