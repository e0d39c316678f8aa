"""Searching and scoring one unit's questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from threading import Lock
from typing import Any

import numpy as np

from memforest.core.errors import MethodError
from memforest.core.protocols import CuttingRetriever, Embedder, ExpandingIndex, Index, Retriever, Search
from memforest.core.types import Gold, Hits, Memory, Query, Question
from memforest.core.vectors import Matrix, Vector
from memforest.metrics.early import EarlyKnowledge
from memforest.metrics.scoring import UnitScorer
from memforest.pipeline.clock import SearchClock


class UnitSearch:
    """One unit's memories, made ready for the search; may be asked from several threads.

    The texts of `questions` are embedded together; whatever else is asked for is embedded when it is asked. `clock`
    times every search that is made.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        questions: Sequence[Question],
        *,
        retriever: Retriever,
        embedder: Embedder,
        k: int,
        clock: SearchClock | None = None,
    ) -> None:
        self._memories = memories
        self._retriever = retriever
        self._embedder = embedder
        self._k = k
        self._clock = clock or SearchClock()
        texts = list(dict.fromkeys(question.text for question in questions))
        with self._clock.embedding():
            self._vectors: dict[str, Vector] = dict(zip(texts, embedder.embed(texts=texts).vectors, strict=True))
        self._whole = self._index(memories)
        self._early = lru_cache(maxsize=1)(self._index_until)
        self._preparing = Lock()

    def asking(self, question: Question) -> Search:
        """The search at the time of a question; a text that was searched for is not searched for again."""
        return cache(partial(self._rankings, indexes=self._indexes(question.before_clip), question=question))

    def _index(self, memories: Sequence[Memory]) -> tuple[Index, ...]:
        for memory in memories:
            # Computed once and kept: no search pays for it.
            _ = memory.grid
        return tuple(self._retriever.index(memory=memory) for memory in memories)

    def _index_until(self, clip: int) -> tuple[Index, ...]:
        early = [memory.until(clip) for memory in self._memories]
        if all(one is memory for one, memory in zip(early, self._memories, strict=True)):
            return self._whole
        return self._index(early)

    def _indexes(self, before_clip: int | None) -> tuple[Index, ...]:
        """Indexes of what a question may look into. Those of one clip are kept, since questions come in its order."""
        if before_clip is None:
            return self._whole
        with self._preparing:
            return self._early(before_clip)

    def _rankings(self, text: str, *, indexes: Sequence[Index], question: Question) -> tuple[Hits, ...]:
        """One ranking per memory. Raises MethodError when the retriever breaks its protocol."""
        vector = self._vectors.get(text)
        if vector is None:
            with self._clock.embedding():
                (vector,) = self._embedder.embed(texts=[text]).vectors
        query = Query(text=text, vector=vector, time=question.time, before_clip=question.before_clip)
        queries = [replace(query, variants=self._variants(text, index)) for index in indexes]
        with self._clock.search():
            rankings = tuple(
                index.search(query=query, k=self._k) for index, query in zip(indexes, queries, strict=True)
            )
        for hits in rankings:
            _require_ranking(hits, k=self._k, retriever=self._retriever)
        return rankings

    def _variants(self, text: str, index: Index) -> Matrix | None:
        """Vectors of the texts that an index wants in place of `text`; None where it wants no others."""
        texts = list(index.texts(text=text)) if isinstance(index, ExpandingIndex) else [text]
        if texts == [text]:
            return None
        with self._clock.embedding():
            return self._embedder.embed(texts=texts).vectors


def search_records(
    memories: Sequence[Memory],
    questions: Sequence[Question],
    golds: Sequence[Gold],
    *,
    search: UnitSearch,
    word_budgets: Sequence[int],
    cluster: str | None = None,
    early: EarlyKnowledge | None = None,
) -> Iterator[tuple[dict[str, Any], Search]]:
    """Records of the questions in order, each with the search that found what it scores.

    `early` is asked about questions that are limited to the beginning of a video.
    """
    scorer = UnitScorer(memories, word_budgets=word_budgets, cluster=cluster)
    for question, gold in zip(questions, golds, strict=True):
        searched = search.asking(question)
        record = scorer.score(question, gold, searched(question.text))
        if early is not None and question.before_clip is not None:
            record["early"] = early.at(question.before_clip)
        yield record, searched


def _require_ranking(hits: Hits, *, k: int, retriever: Retriever) -> None:
    """k is honoured, no node comes twice, and the ranking is complete, so that word budgets are fair."""
    name = type(retriever).__name__
    if hits.k != k and not isinstance(retriever, CuttingRetriever):
        raise MethodError(f"retriever {name} returned {hits.k} hits where k={k} was asked for")
    if len(hits.order) != len(hits.scores) or sorted(hits.order) != list(range(len(hits.memory))):
        raise MethodError(
            f"retriever {name} did not rank each of the {len(hits.memory)} nodes of {hits.memory.id} once"
        )
    if not np.isfinite(hits.scores).all() or (np.diff(hits.scores) > 0).any():
        raise MethodError(f"retriever {name} returned scores for {hits.memory.id} that are no numbers or that rise")
