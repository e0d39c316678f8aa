"""M3-Agent's search, by clips or by nodes, with and without propagation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require, require_count
from memforest.core.types import Hits, Memory, Query
from memforest.retrieval.m3_agent.recut import RecutHits
from memforest.retrieval.m3_agent.texts import TextSettings, VideoTexts
from memforest.retrieval.propagation import half_up, propagate
from memforest.retrieval.ranking import falling

GRANULARITIES = ("clip", "node")
MEMORY_WISE = "character id"
"""What a query holds that asks which character somebody is; the released code then looks for nodes, not for clips."""


class M3Agent:
    """All nodes of the best clips, or the best nodes; how many hits there are it decides itself.

    A text's score is v = gamma s + (1 - gamma) p as in `agpr`, with its distance counted in clips, `nodes` for k and
    an anchor near to itself; texts beyond the L k candidates have gamma s. granularity: clip, the score of a clip is
    the largest of its searched texts, and all nodes of the first `clips` of those clips are hits in which a text is
    similar by at least `threshold`; node, the `nodes` best texts are hits, however similar. memory_wise: whether a
    query with "character id" is answered by the `nodes` most similar nodes instead. search_equivalences, entity_pools,
    query_variants: as in TextSettings; equivalences among the best take the places of hits.

    Nodes outside the pool stand behind all others, clips below the threshold behind those above. Equal scores are
    ordered by similarity, then by insertion, equivalences last. Where a score would rise again in the ranking, it is
    that of the node before.
    """

    cuts: Literal[True] = True

    def __init__(
        self,
        *,
        granularity: str,
        clips: int,
        threshold: float,
        nodes: int,
        gamma: float,
        candidate_factor: float,
        anchor_share: float,
        memory_wise: bool,
        search_equivalences: bool,
        entity_pools: bool,
        query_variants: int,
    ) -> None:
        require(
            granularity in GRANULARITIES,
            f"retriever.granularity must be one of {', '.join(GRANULARITIES)}; got {granularity!r}",
        )
        require_count("retriever.clips", clips)
        require_count("retriever.nodes", nodes)
        require(-1 <= threshold <= 1, f"retriever.threshold is a cosine and must be in [-1, 1], got {threshold}")
        require(0 <= gamma <= 1, f"retriever.gamma must be in [0, 1], got {gamma}")
        require(1 <= candidate_factor <= 1e6, f"retriever.candidate_factor must be in [1, 1e6], got {candidate_factor}")
        require(0 < anchor_share <= 1e6, f"retriever.anchor_share must be above 0 and at most 1e6, got {anchor_share}")
        require(isinstance(memory_wise, bool), f"retriever.memory_wise must be true or false, got {memory_wise}")
        self._settings = TextSettings(
            search_equivalences=search_equivalences, entity_pools=entity_pools, query_variants=query_variants
        )
        self.granularity = granularity
        self.clips = clips
        self.threshold = threshold
        self.nodes = nodes
        self.gamma = gamma
        self._memory_wise = memory_wise
        self.candidates = half_up(candidate_factor * nodes)
        self.anchors = max(1, half_up(anchor_share * nodes))

    def index(self, *, memory: Memory) -> M3AgentIndex:
        """Clips, characters and the vectors of equivalences are prepared here."""
        return M3AgentIndex(VideoTexts(memory, settings=self._settings), retriever=self)

    def seeks_nodes(self, text: str) -> bool:
        """Whether a query is answered by the most similar nodes, whatever the granularity."""
        return self._memory_wise and MEMORY_WISE in text


@dataclass(frozen=True, eq=False, slots=True)
class _Ranking:
    """All texts in order, each array of shape [texts]: their places, their scores, the groups that are taken whole
    and stand together, and whether they may be hits; of the groups the first `limit` are taken."""

    places: NDArray[np.intp]
    scores: NDArray[np.float64]
    groups: NDArray[np.intp]
    admitted: NDArray[np.bool_]
    limit: int


class M3AgentIndex:
    """A memory with its texts made ready."""

    def __init__(self, texts: VideoTexts, *, retriever: M3Agent) -> None:
        self._texts = texts
        self._retriever = retriever

    def texts(self, *, text: str) -> tuple[str, ...]:
        """The texts as which a query is embedded."""
        return self._texts.embedded(text)

    def search(self, *, query: Query, k: int) -> Hits:
        """The ranking is complete; k does not count."""
        similarities, pool = self._texts.similarities(query), self._texts.pool(query.text)
        if self._retriever.seeks_nodes(query.text):
            nodes = np.arange(len(self._texts)) < len(self._texts.memory)
            return self._cut(self._by_node(similarities, pool, gamma=1.0), left=nodes)
        if self._retriever.granularity == "clip":
            return self._cut(self._by_clip(similarities, pool), left=self._texts.left(frozenset()))
        ranking = self._by_node(similarities, pool, gamma=self._retriever.gamma)
        return self._cut(ranking, left=self._texts.left(frozenset()))

    def _by_node(self, similarities: NDArray[np.float64], pool: NDArray[np.bool_], *, gamma: float) -> _Ranking:
        """Candidates by fused score, then what is searched by similarity, then what is not."""
        order = np.lexsort((-similarities, ~pool))
        count = min(self._retriever.candidates, int(pool.sum()))
        head, tail = order[:count], order[count:]
        anchors = min(self._retriever.anchors, count)
        fused = propagate(similarities[head], self._texts.clips[head], anchors=anchors, gamma=gamma, include_self=True)
        # `head` is in order of similarity, so a stable sort breaks ties by similarity, then by insertion.
        best = falling(fused)
        places = np.concatenate([head[best], tail])
        return _Ranking(
            places=places,
            scores=np.concatenate([fused[best], gamma * similarities[tail]]),
            groups=places,
            admitted=pool[places],
            limit=self._retriever.nodes,
        )

    def _by_clip(self, similarities: NDArray[np.float64], pool: NDArray[np.bool_]) -> _Ranking:
        """The texts of `_by_node` clip by clip: a clip stands where the first of its texts stood."""
        ranking = self._by_node(similarities, pool, gamma=self._retriever.gamma)
        clips = self._texts.groups[ranking.places]
        ranks = np.arange(len(clips))
        first = np.full(len(clips), len(clips))
        np.minimum.at(first, clips, ranks)
        best = np.full(len(clips), -np.inf)
        np.maximum.at(best, self._texts.groups[pool], similarities[pool])
        admitted = (best >= self._retriever.threshold)[clips]
        order = np.lexsort((ranks, first[clips], ~admitted))
        return _Ranking(
            places=ranking.places[order],
            scores=ranking.scores[first[clips]][order],
            groups=clips[order],
            admitted=admitted[order],
            limit=self._retriever.clips,
        )

    def _cut(self, ranking: _Ranking, *, left: NDArray[np.bool_]) -> RecutHits:
        """The nodes that are left in order; those of the first groups are the hits."""
        kept = left[ranking.places]
        places, groups = ranking.places[kept], ranking.groups[kept]
        nodes = places < len(self._texts.memory)
        hits = nodes & ranking.admitted[kept] & (_turns(groups) < ranking.limit)
        scores = np.minimum.accumulate(ranking.scores[kept])
        return RecutHits(
            memory=self._texts.memory,
            order=tuple(places[nodes].tolist()),
            scores=tuple(scores[nodes].tolist()),
            k=int(hits.sum()),
            cut=partial(self._cut_again, ranking, left),
        )

    def _cut_again(self, ranking: _Ranking, left: NDArray[np.bool_], shown: frozenset[str]) -> Hits:
        return self._cut(ranking, left=left & self._texts.left(shown))


def _turns(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each place the number of groups before its own, which stand together."""
    changes = groups[1:] != groups[:-1]
    return np.concatenate([np.zeros(min(1, len(groups)), dtype=np.intp), np.cumsum(changes)])
