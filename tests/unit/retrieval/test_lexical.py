"""BM25 against its formula, written slowly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import ConfigError
from memforest.core.types import Query
from memforest.core.words import words_of
from memforest.retrieval.bm25 import Bm25
from memforest.retrieval.lexical import InvertedLists, Weighting
from tests.builders import axis, memory, node

WORDS = st.lists(st.sampled_from(["ada", "bo", "cat", "dog", "elm"]), max_size=7).map(" ".join)


def share(query: Sequence[str], text: Sequence[str], texts: Sequence[Sequence[str]], k1: float, b: float) -> float:
    """The formula of Robertson and Zaragoza for one text, over the same with every word counted to the full."""
    mean = sum(map(len, texts)) / len(texts)
    score = attainable = 0.0
    for word in query:
        holders = sum(word in other for other in texts)
        idf = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        attainable += idf
        times = text.count(word)
        if times:
            score += idf * times / (times + k1 * (1 - b + b * len(text) / mean))
    return score / attainable if attainable else 0.0


@given(
    st.lists(WORDS, min_size=1, max_size=8),
    st.one_of(WORDS, st.just("fox ada fox")),
    st.sampled_from([0.0, 0.5, 1.2, 3.0]),
    st.sampled_from([0.0, 0.4, 0.75, 1.0]),
)
def test_scores_are_those_of_the_formula(texts: list[str], query: str, k1: float, b: float) -> None:
    split = [text.split() for text in texts]
    expected = [share(query.split(), text, split, k1, b) for text in split]
    found = InvertedLists(texts, weighting=Weighting(k1=k1, b=b)).scores(query)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    assert all(0 <= score <= 1 for score in found)


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_texts_of_the_same_words_have_the_same_score(texts: list[str], query: str) -> None:
    backwards = [" ".join(text.split()[::-1]) for text in texts]
    found = InvertedLists([*texts, *backwards], weighting=Weighting(k1=1.2, b=0.75)).scores(query).tolist()
    assert found[: len(texts)] == found[len(texts) :]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ada's cat, 2 dogs!", ["ada", "s", "cat", "2", "dogs"]),
        ("ÉLAN über_alles\nx", ["élan", "über_alles", "x"]),
        (" ... ", []),
        ("", []),
    ],
)
def test_words_are_lower_case_runs_of_letters_and_digits(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["ada", ""], ["..."]])
@pytest.mark.parametrize("query", ["", "...", "ada", "fox"])
def test_where_no_word_is_shared_the_score_is_0(texts: list[str], query: str) -> None:
    found = InvertedLists(texts, weighting=Weighting(k1=1.2, b=0.75)).scores(query)
    assert [score > 0 for score in found] == [text == query == "ada" for text in texts]


def test_a_word_in_no_text_lowers_all_shares_and_changes_no_order() -> None:
    lists = InvertedLists(["ada ada", "ada bo", "bo"], weighting=Weighting(k1=1.2, b=0.75))
    without, beside = lists.scores("ada bo"), lists.scores("ada bo fox")
    assert (beside[:3] < without[:3]).all()
    assert without.argsort().tolist() == beside.argsort().tolist()


def test_rarer_words_and_shorter_texts_come_first() -> None:
    texts = ["ada likes tea", "bo likes tea", "ada likes tea and some other things too", "cat"]
    of = memory([node(f"n{place}", text, vector=axis(0)) for place, text in enumerate(texts)])
    hits = Bm25(k1=1.2, b=0.75).index(memory=of).search(query=Query(text="Does Ada like tea?", vector=axis(1)), k=2)
    assert hits.order == (0, 2, 1, 3)
    assert hits.scores[-1] == 0


@pytest.mark.parametrize(
    ("k1", "b", "word"),
    [
        (-0.1, 0.5, "retriever.k1"),
        (math.inf, 0.5, "retriever.k1"),
        (math.nan, 0.5, "retriever.k1"),
        (1.2, -0.1, "retriever.b"),
        (1.2, 1.1, "retriever.b"),
    ],
)
def test_impossible_settings_are_named(k1: float, b: float, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        Bm25(k1=k1, b=b)
