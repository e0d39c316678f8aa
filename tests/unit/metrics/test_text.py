"""Metrics of an answer's text: each against a slow obvious version, NLTK itself, and published columns."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import nltk
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from memforest.datasets.locomo_schema import CATEGORIES
from memforest.metrics.punkt import ABBREVIATIONS, STARTERS
from memforest.metrics.text import bleu_1, bleu_tokens, locomo_f1, set_f1, token_f1

RUNS = Path(os.environ.get("MEMFOREST_DATA", "data")) / "locomo" / "runs"
WORDS = ["Ada", "ada", "the", "An", "and", "runs", "running", "5.", "U.S.", "Dr.", "e.g.", "no.", "'Tis", "can't", "é"]
MARKS = [
    ".",
    ",",
    "!",
    "?",
    ";",
    "...",
    "-",
    "\n",
    '"so"',
    "'x'",
    "b. stewart",
    "3. review",
    "(a)",
    "1,000",
    "half-life",
]
PIECES = st.sampled_from([*WORDS, *MARKS])
TEXTS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map(" ".join))


def harmonic(shared: int, left: int, right: int) -> float:
    return 0.0 if shared == 0 else 2 * (shared / left) * (shared / right) / (shared / left + shared / right)


@given(TEXTS, TEXTS)
def test_set_f1_counts_every_word_once(answer: str, gold: str) -> None:
    def words(text: str) -> set[str]:
        for mark in ".,!?":
            text = text.replace(mark, " ")
        return set(text.lower().split())

    left, right = words(answer), words(gold)
    assert set_f1(answer, gold) == pytest.approx(harmonic(len(left & right), len(left), len(right)))


@given(TEXTS, TEXTS)
def test_token_f1_counts_repeats(answer: str, gold: str) -> None:
    def words(text: str) -> list[str]:
        kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    left, right = words(answer), words(gold)
    rest = list(right)
    shared = 0
    for word in left:
        if word in rest:
            rest.remove(word)
            shared += 1
    assert token_f1(answer, gold) == pytest.approx(harmonic(shared, len(left), len(right)))


@given(TEXTS, TEXTS)
def test_bleu_1_is_clipped_precision_times_the_brevity_penalty(answer: str, gold: str) -> None:
    left, right = Counter(bleu_tokens(answer)), Counter(bleu_tokens(gold))
    shared = sum(min(count, right[token]) for token, count in left.items())
    size = left.total()
    penalty = 1.0 if size > right.total() else math.exp(1 - right.total() / size) if size else 0.0
    assert bleu_1(answer, gold) == pytest.approx(penalty * shared / size if size else 0.0)


def _has_model() -> bool:
    try:
        nltk.data.find("tokenizers/punkt_tab/english/")
    except LookupError:
        return False
    return True


@pytest.mark.skipif(not _has_model(), reason="NLTK's punkt_tab is not installed (NLTK_DATA)")
@given(TEXTS, TEXTS)
@example("see no. 5. administrators came", "no. 5. review b. stewart")
def test_tokens_and_bleu_1_are_those_of_nltk_with_its_downloaded_model(answer: str, gold: str) -> None:
    left, right = (nltk.word_tokenize(text.lower()) for text in (answer, gold))
    assert (bleu_tokens(answer), bleu_tokens(gold)) == (left, right)
    smoothing = SmoothingFunction().method1
    assert bleu_1(answer, gold) == sentence_bleu([right], left, weights=(1, 0, 0, 0), smoothing_function=smoothing)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ada left. Ben stayed.", ["ada", "left", ".", "ben", "stayed", "."]),
        ("Dr. Ada met J. Ben.", ["dr.", "ada", "met", "j.", "ben", "."]),
        ("It was no. 5. Review it.", ["it", "was", "no", ".", "5.", "review", "it", "."]),
        ("It was no. 5. Administrators came.", ["it", "was", "no", ".", "5", ".", "administrators", "came", "."]),
        ("B. Stewart can't come", ["b.", "stewart", "ca", "n't", "come"]),
        ("'The boat'", ["'the", "boat", "'"]),
        ('"Yes", in 8 June, 2021', ["``", "yes", "''", ",", "in", "8", "june", ",", "2021"]),
        ("", []),
    ],
)
def test_tokens_of_bleu_1(text: str, tokens: list[str]) -> None:
    assert bleu_tokens(text) == tokens


def test_what_is_known_of_the_sentence_model_is_complete() -> None:
    assert (len(ABBREVIATIONS), len(STARTERS)) == (155, 4)


@pytest.mark.parametrize(
    ("answer", "gold", "values"),
    [
        ("the cat the cat", "cat", (2 / 3, 2 / 3, 0.25)),
        ("9 June 2021", "8 June 2021", (2 / 3, 2 / 3, 2 / 3)),
        ("June", "8 June 2021", (0.5, 0.5, math.exp(-2))),
        ("Half-life!", "half life", (0.0, 0.0, 0.0)),
        ("", "x", (0.0, 0.0, 0.0)),
        ("x", "", (0.0, 0.0, 0.0)),
    ],
)
def test_three_definitions_give_three_numbers(answer: str, gold: str, values: tuple[float, float, float]) -> None:
    found = (set_f1(answer, gold), token_f1(answer, gold), bleu_1(answer, gold))
    assert found == pytest.approx(values)


@pytest.mark.parametrize(
    ("answer", "gold", "category", "value"),
    [
        ("She was running and painted", "run, paint", "multi-hop", 0.4),
        ("running, painting", "paint, run", "multi-hop", 1.0),
        ("running, painting", "paint, run", "single-hop", 1.0),
        ("painting", "paint, run", "multi-hop", 0.5),
        ("yes", "Yes; she said so", "open-domain", 1.0),
        ("yes", "Yes; she said so", "temporal", 0.4),
        ("The boats and a car", "boat car", "single-hop", 1.0),
        ("No information available.", None, "adversarial", 1.0),
        ("It is NOT MENTIONED", "x", "adversarial", 1.0),
        ("x", "x", "adversarial", 0.0),
        ("x", None, "temporal", None),
    ],
)
def test_locomo_f1_by_category(answer: str, gold: str | None, category: str, value: float | None) -> None:
    found = locomo_f1(answer, gold, category=category)
    assert found == (value if value is None else pytest.approx(value))


def published(name: str) -> Any:
    path = RUNS / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return json.loads(gzip.decompress(path.read_bytes()))


def test_the_columns_of_mem0s_published_file_come_out_again() -> None:
    rows = [row for rows in published("mem0_platform_results.json.gz").values() for row in rows]
    assert len(rows) == 1540
    for row in rows:
        assert set_f1(row["response"], row["answer"]) == pytest.approx(row["f1_score"], abs=1e-12)
        assert bleu_1(row["response"], row["answer"]) == pytest.approx(row["bleu_score"], abs=1e-12)


def test_the_column_of_locomos_own_evaluator_comes_out_again() -> None:
    rows = [row for unit in published("honcho_locomo10_qa.json.gz") for row in unit["qa"]]
    assert len(rows) == 1986
    for row in rows:
        found = locomo_f1(row["honcho_prediction"], str(row["answer"]), category=CATEGORIES[row["category"]])
        assert found == pytest.approx(row["honcho_f1"], abs=0.000501)
