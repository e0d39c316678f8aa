"""BM25 over the texts of a memory, as inverted lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memforest.core.checks import require
from memforest.core.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """BM25's two constants. k1: how soon repeats stop to count; b: how far longer texts are marked down, 0 to 1."""

    k1: float
    b: float

    def __post_init__(self) -> None:
        require(0 <= self.k1 < math.inf, f"retriever.k1 must be a number from 0 on, got {self.k1}")
        require(0 <= self.b <= 1, f"retriever.b must be in [0, 1], got {self.b}")


@dataclass(frozen=True, slots=True, eq=False)
class _Postings:
    """A word's idf, the texts that hold it, by place, and what it adds to the score of each."""

    idf: float
    places: NDArray[np.intp]
    weights: NDArray[np.float64]


class InvertedLists:
    """Texts by their words.

    A text's score is the sum, over the words of the query, of idf tf / (tf + k1 (1 - b + b l)): tf is the word's
    count in the text, l the text's number of words over the mean, and idf = ln(1 + (N - n + 0.5) / (n + 0.5)) for a
    word in n of the N texts. It is divided by the sum of the idf alone, words that are in no text included, which no
    text can exceed: that changes no order, and scores of several memories can be compared.
    """

    def __init__(self, texts: Sequence[str], *, weighting: Weighting) -> None:
        self._count = len(texts)
        counts = [Counter(words_of(text)) for text in texts]
        lengths = _over_mean(np.array([words.total() for words in counts], dtype=np.float64))
        saturation = weighting.k1 * (1 - weighting.b + weighting.b * lengths)
        holders: dict[str, list[int]] = {}
        for place, words in enumerate(counts):
            for word in words:
                holders.setdefault(word, []).append(place)
        self._lists = {
            word: self._postings(places, [counts[place][word] for place in places], saturation)
            for word, places in holders.items()
        }
        self._unknown = self._idf(0)

    def scores(self, query: str) -> NDArray[np.float64]:
        """Shares in [0, 1], shape [texts]; 0 without a shared word. A word counts as often as the query holds it.

        Words are added in the query's order, so texts of the same words have the same score.
        """
        scores = np.zeros(self._count)
        attainable = 0.0
        for word in words_of(query):
            postings = self._lists.get(word)
            if postings is None:
                attainable += self._unknown
                continue
            attainable += postings.idf
            scores[postings.places] += postings.weights
        return scores / attainable if attainable else scores

    def _postings(self, places: list[int], counts: list[int], saturation: NDArray[np.float64]) -> _Postings:
        idf, at, times = self._idf(len(places)), np.array(places, dtype=np.intp), np.array(counts, dtype=np.float64)
        return _Postings(idf, at, idf * (times / (times + saturation[at])))

    def _idf(self, holders: int) -> float:
        """Worth of a word that so many texts hold, above 0."""
        return math.log(1 + (self._count - holders + 0.5) / (holders + 0.5))


def _over_mean(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths over their mean; where all texts are empty, zeros."""
    return lengths / lengths.mean() if lengths.any() else lengths
