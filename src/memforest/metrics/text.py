"""An answer beside the gold answer, word by word: one function for each definition that published numbers use.

All are in [0, 1]. They carry different names because they are different numbers: on one published file their means are
34.7 (`set_f1`), 27.0 (`bleu_1`) and 35.2 (`token_f1`).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from memforest.metrics.punkt import ABBREVIATIONS, STARTERS

_BLANKED = str.maketrans(dict.fromkeys(".,!?", " "))
_NO_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation))
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLES_AND = re.compile(r"\b(a|an|the|and)\b")
_ABSTENTIONS = ("no information available", "not mentioned")


def set_f1(answer: str, gold: str) -> float:
    """F1 of the two sets of words; the F1 of Mem0's and of the EventTree paper's code (its Tables 10 and 11).

    Lower case, `.,!?` become blanks, words are what blanks part, each counts once. 0 when either has no word.
    """
    return _f1(Counter(_distinct(answer)), Counter(_distinct(gold)))


def token_f1(answer: str, gold: str) -> float:
    """F1 of the two multisets of words, normalised as SQuAD 1.1 does; what most papers call token F1.

    Lower case, no punctuation, no a, an, the. 0 when either has no word.
    """
    return _f1(Counter(_squad_words(answer)), Counter(_squad_words(gold)))


def locomo_f1(answer: str, gold: str | None, *, category: str) -> float | None:
    """F1 as LoCoMo's own evaluator has it, by category: multiset F1 of Porter stems, without a, an, the, and.

    `multi-hop`: both sides are lists between commas, and the mean over gold parts of the answer's best part counts.
    `open-domain`: of the gold answer what stands before the first `;`. `adversarial`: 1 when the answer says "no
    information available" or "not mentioned", else 0, whatever the gold. None for another category without gold.
    """
    if category == "adversarial":
        return float(any(phrase in answer.lower() for phrase in _ABSTENTIONS))
    if gold is None:
        return None
    if category == "multi-hop":
        parts = [_stems(part) for part in answer.split(",")]
        wanted = [_stems(part) for part in gold.split(",")]
        return sum(max(_f1(part, want) for part in parts) for want in wanted) / len(wanted)
    return _f1(_stems(answer), _stems(gold.split(";")[0] if category == "open-domain" else gold))


def bleu_1(answer: str, gold: str) -> float:
    """BLEU-1 as Mem0's and the EventTree paper's code has it: share of the answer's tokens in the gold answer (repeats
    clipped to theirs), times the brevity penalty exp(1 - gold tokens / answer tokens) of a shorter answer.

    NLTK's sentence_bleu with weights (1, 0, 0, 0) and smoothing method1, which one-word precision never needs, over
    lower-case `word_tokenize`. 0 when no token is shared. Tokens are those of NLTK 3.9; 3.10 parts quotes otherwise.
    """
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    # Weights (1, 0, 0, 0) give the same number and count pairs, triples and fours for nothing.
    smoothing = SmoothingFunction().method1
    return float(sentence_bleu([bleu_tokens(gold)], bleu_tokens(answer), weights=(1.0,), smoothing_function=smoothing))


def bleu_tokens(text: str) -> list[str]:
    """`nltk.word_tokenize(text.lower())` without its download: sentences (which end in a token), then words."""
    lowered = text.lower()
    return [token for sentence in _sentences()(lowered) for token in _word_tokenizer()(sentence)]


@cache
def _sentences() -> Callable[[str], Sequence[str]]:
    from nltk.tokenize import punkt

    known = punkt.PunktParameters()
    known.abbrev_types = set(ABBREVIATIONS)
    for word in STARTERS:
        known.add_ortho_context(word, punkt._ORTHO_BEG_LC)
    tokenizer: Callable[[str], Sequence[str]] = punkt.PunktSentenceTokenizer(known).tokenize
    return tokenizer


@cache
def _word_tokenizer() -> Callable[[str], Sequence[str]]:
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer: Callable[[str], Sequence[str]] = NLTKWordTokenizer().tokenize
    return tokenizer


def _f1(answer: Counter[str], gold: Counter[str]) -> float:
    """Harmonic mean of the shares that the common words are of both multisets; 0 without a common word."""
    shared = (answer & gold).total()
    if not shared:
        return 0.0
    precision, recall = shared / answer.total(), shared / gold.total()
    return 2 * precision * recall / (precision + recall)


def _distinct(text: str) -> set[str]:
    return set(text.lower().translate(_BLANKED).split())


def _squad_words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def _stems(text: str) -> Counter[str]:
    words = _ARTICLES_AND.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()
    return Counter(_stem(word) for word in words)


@cache
def _stemmer() -> Callable[[str], str]:
    from nltk.stem import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@cache
def _stem(word: str) -> str:
    return _stemmer()(word)
