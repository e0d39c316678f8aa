"""What is searched in a video: its texts, the clips that they lie in, and what a query's tags say of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memforest.core.characters import characters_of, named_entities, variants
from memforest.core.checks import require, require_count
from memforest.core.graph import MemoryGraph
from memforest.core.order import timeline
from memforest.core.types import Memory, MemoryNode, Query
from memforest.core.vectors import Grid, on_grid, similarity

EMPTY = MemoryGraph(entities=(), edges=())
"""The graph of a memory that has none."""


class TextSettings:
    """Which texts are searched and with what, the same for every search of a video.

    search_equivalences: whether the texts that say who is who are searched too; they are never hits. entity_pools:
    whether a query that names faces, voices or characters is asked of the texts alone that are linked to one of them.
    query_variants: as how many texts a query is embedded at most that names characters by their faces and voices.
    """

    def __init__(self, *, search_equivalences: bool, entity_pools: bool, query_variants: int) -> None:
        for name, value in (("search_equivalences", search_equivalences), ("entity_pools", entity_pools)):
            require(isinstance(value, bool), f"retriever.{name} must be true or false, got {value}")
        require_count("retriever.query_variants", query_variants)
        self.search_equivalences = search_equivalences
        self.entity_pools = entity_pools
        self.query_variants = query_variants


class VideoTexts:
    """The nodes of a memory and after them the searched equivalences of its graph: `clips` holds their clip numbers,
    shape [texts], `groups` the same numbered from 0.

    In a memory that is no video's, or has no times, a clip is what shares a time, and one without times a node's own.
    """

    def __init__(self, memory: Memory, *, settings: TextSettings) -> None:
        self.memory = memory
        self._settings = settings
        self._graph = memory.graph or EMPTY
        self._characters = characters_of(self._graph)
        told = self._graph.equivalences if settings.search_equivalences else ()
        self._texts: Sequence[MemoryNode] = (*memory.nodes, *told)
        self._grids: list[Grid] = [memory.grid] if len(memory) else []
        if told:
            self._grids.append(on_grid(np.stack([node.vector for node in told])))
        self.clips = self._clip_numbers()
        self.groups = np.unique(self.clips, return_inverse=True)[1]

    def __len__(self) -> int:
        return len(self._texts)

    def _clip_numbers(self) -> NDArray[np.float64]:
        times = [node.time for node in self._texts]
        timed = any(time is not None for time in times)
        return timeline(times, unit="clip" if timed and self.memory.clock == "video" else "dense_rank")

    def embedded(self, text: str) -> tuple[str, ...]:
        """The texts as which a query is embedded."""
        return variants(text, graph=self._graph, characters=self._characters, limit=self._settings.query_variants)

    def similarities(self, query: Query) -> NDArray[np.float64]:
        """Exact cosines of the texts to the query, shape [texts]; the largest of those to its variants, if any."""
        asked = on_grid(query.vector if query.variants is None else query.variants)
        found = [similarity(grid, asked) for grid in self._grids]
        best = found if query.variants is None else [each.max(axis=1) for each in found]
        return np.concatenate(best) if best else np.zeros(0)

    def pool(self, text: str) -> NDArray[np.bool_]:
        """The texts that a query is asked of, shape [texts]: all, unless it names entities."""
        named = named_entities(text, self._characters) if self._settings.entity_pools else ()
        if not named:
            return np.ones(len(self), dtype=np.bool_)
        linked = {id for entity in named for id in self._graph.neighbours.get(entity, ())}
        return np.array([node.id in linked for node in self._texts], dtype=np.bool_)

    def left(self, shown: frozenset[str]) -> NDArray[np.bool_]:
        """The texts that can still take a place, shape [texts]; once something was shown, equivalences have had it."""
        if not shown:
            return np.ones(len(self), dtype=np.bool_)
        left = np.zeros(len(self), dtype=np.bool_)
        left[: len(self.memory)] = [node.id not in shown for node in self.memory.nodes]
        return left
