"""Searching and scoring one unit's questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from memforest.core.errors import MethodError
from memforest.core.protocols import Embedder, Retriever
from memforest.core.types import Gold, Hits, Memory, Query, Question
from memforest.metrics.scoring import UnitScorer


def search_records(
    memories: Sequence[Memory],
    questions: Sequence[Question],
    golds: Sequence[Gold],
    *,
    retriever: Retriever,
    embedder: Embedder,
    k: int,
    word_budgets: Sequence[int],
    cluster: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Records of the questions in order. Raises MethodError when a retriever breaks its protocol."""
    vectors = embedder.embed(texts=[question.text for question in questions]).vectors
    indexes = [retriever.index(memory=memory) for memory in memories]
    scorer = UnitScorer(memories, word_budgets=word_budgets, cluster=cluster)
    for question, gold, vector in zip(questions, golds, vectors, strict=True):
        query = Query(text=question.text, vector=vector, time=question.time)
        rankings = [index.search(query=query, k=k) for index in indexes]
        for hits in rankings:
            _require_ranking(hits, k=k, retriever=retriever)
        yield scorer.score(question, gold, rankings)


def _require_ranking(hits: Hits, *, k: int, retriever: Retriever) -> None:
    """k is honoured, no node comes twice, and the ranking is complete, so that word budgets are fair."""
    name = type(retriever).__name__
    if hits.k != k:
        raise MethodError(f"retriever {name} returned {hits.k} hits where k={k} was asked for")
    if len(hits.order) != len(hits.scores) or sorted(hits.order) != list(range(len(hits.memory))):
        raise MethodError(
            f"retriever {name} did not rank each of the {len(hits.memory)} nodes of {hits.memory.id} once"
        )
    if not np.isfinite(hits.scores).all() or (np.diff(hits.scores) > 0).any():
        raise MethodError(f"retriever {name} returned scores for {hits.memory.id} that are no numbers or that rise")
