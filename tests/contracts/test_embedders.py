"""What every embedder in conf/embedder must do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from memforest.config.compose import compose, instantiate
from memforest.config.folder import options, settings
from memforest.config.spec import parse_choice
from memforest.core.protocols import Embedder
from tests.embedding_server import embedding_server
from tests.sentence_transformers_double import double

every_embedder = pytest.mark.parametrize("option", options("embedder"))
TEXTS = (
    "The lantern stands by the harbour.",
    "violin",
    "",
    "   ",
    "Früh im Mai – 東京, emoji 🎻 and a\nnew line",
    "orchard copper meadow " * 12,
    "violin",
)
LONG = "glacier walnut ferry " * 400


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """What options need that is not here: a server with a key, a package. No test leaves this machine."""
    with embedding_server() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "a key")
        patch.setitem(sys.modules, "sentence_transformers", double())
        URL.append(running.url)
        yield
    URL.clear()


URL: list[str] = []


def new(option: str) -> Embedder:
    """A new instance of an option, asked of the server here where it asks one."""
    served = [f"embedder.base_url={URL[0]}"] if "base_url" in settings("embedder", option) else []
    made: Embedder = instantiate(parse_choice("embedder", compose([f"embedder={option}", *served])["embedder"]))
    return made


@cache
def embedder(option: str) -> Embedder:
    return new(option)


@every_embedder
def test_vectors_have_length_one_or_are_zero(option: str) -> None:
    vectors = embedder(option).embed(texts=TEXTS).vectors
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder(option).dimension)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))
    assert lengths[0] > 0


@every_embedder
def test_a_vector_does_not_depend_on_the_texts_beside_it(option: str) -> None:
    together = embedder(option).embed(texts=[*TEXTS, LONG]).vectors
    alone = np.concatenate([embedder(option).embed(texts=[text]).vectors for text in [*TEXTS, LONG]])
    backwards = embedder(option).embed(texts=[LONG, *TEXTS[::-1]]).vectors[::-1]
    assert together.tobytes() == alone.tobytes() == backwards.tobytes()


@every_embedder
def test_a_second_instance_gives_the_same_bytes(option: str) -> None:
    other = new(option)
    assert other.identity == embedder(option).identity
    assert other.embed(texts=TEXTS).vectors.tobytes() == embedder(option).embed(texts=TEXTS).vectors.tobytes()


@every_embedder
def test_different_texts_get_different_vectors(option: str) -> None:
    first, second = embedder(option).embed(texts=TEXTS[:2]).vectors
    assert not np.array_equal(first, second)


@every_embedder
def test_no_texts_give_no_vectors(option: str) -> None:
    nothing = embedder(option).embed(texts=[])
    assert nothing.vectors.shape == (0, embedder(option).dimension)
    assert nothing.truncated.shape == (0,)


@every_embedder
def test_truncation_is_told_text_by_text(option: str) -> None:
    truncated = embedder(option).embed(texts=["violin", LONG, "violin"]).truncated
    assert truncated.dtype == np.bool_
    reads_all = embedder(option).embed(texts=[LONG, LONG + "violin"]).vectors
    assert list(truncated) == [False, bool(np.array_equal(*reads_all)), False]


def test_identities_differ() -> None:
    identities = [embedder(option).identity for option in options("embedder")]
    assert len(set(identities)) == len(identities)
