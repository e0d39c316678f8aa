"""Models of sentence-transformers, with a double in the place of the package."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from memforest.config.folder import settings
from memforest.core.errors import ConfigError, MissingExtraError
from memforest.embedding.hashing import Hashing
from memforest.embedding.sentence_transformers import SentenceTransformers
from tests.sentence_transformers_double import double

SETTINGS = ("model", "revision", "dimensions", "max_tokens", "dtype", "batch_texts", "device")
TEXTS = ["violin harbour", "orchard", "copper meadow walnut"]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = double()
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return module


def model(**changes: Any) -> SentenceTransformers:
    own = {key: value for key, value in settings("embedder", "sentence_transformers").items() if key in SETTINGS}
    return SentenceTransformers(**{**own, **changes})


def test_vectors_are_those_of_the_model_at_length_one(package: ModuleType) -> None:
    made = model().embed(texts=TEXTS)
    assert np.allclose(made.vectors, Hashing(buckets=64).embed(texts=TEXTS).vectors, atol=1e-6)
    assert made.vectors.dtype == np.float32
    assert model().dimension == 64


def test_settings_reach_the_library(package: Any) -> None:
    embedder = model(model="a/b", revision="v1", device="cpu", dtype="bfloat16", batch_texts=7, dimensions=5)
    assert embedder.embed(texts=TEXTS).vectors.shape == (3, 5)
    (made,) = package.SentenceTransformer.made
    assert (made.name, made.revision, made.device, made.truncate_dim) == ("a/b", "v1", "cpu", 5)
    assert (made.dtype, made.max_seq_length, made.batch_sizes) == ("bfloat16", 8192, [7])


@pytest.mark.parametrize(("limit", "cut"), [(3, [False, False, True]), (4, [False] * 3), (None, [False] * 3)])
def test_texts_longer_than_what_is_read_are_counted(package: ModuleType, limit: int | None, cut: list[bool]) -> None:
    assert list(model(max_tokens=limit).embed(texts=TEXTS).truncated) == cut


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memforest\[torch\]'"):
        model().embed(texts=TEXTS)


def test_a_model_that_is_not_there_is_told(package: ModuleType) -> None:
    with pytest.raises(ConfigError, match=r"embedder\.model=unknown/model cannot be loaded"):
        model(model="unknown/model").embed(texts=TEXTS)


def test_identity_is_what_can_change_a_vector() -> None:
    own = model().identity
    for changes in ({"model": "b"}, {"revision": "v2"}, {"dimensions": 9}, {"max_tokens": 9}, {"dtype": "float16"}):
        assert model(**changes).identity != own
    assert model(batch_texts=1, device="cpu").identity == own
    assert "/" not in own


def test_a_folder_is_known_by_what_it_holds_not_by_where_it_is(tmp_path: Path) -> None:
    for name, weights in (("here/model", b"one"), ("there/model", b"one"), ("changed/model", b"two")):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "weights").write_bytes(weights)
    here, there, changed = (
        model(model=str(tmp_path / name / "model")).identity for name in ("here", "there", "changed")
    )
    assert here == there != changed


@pytest.mark.parametrize(
    "changes", [{"model": ""}, {"dimensions": 0}, {"max_tokens": 1}, {"dtype": "int8"}, {"batch_texts": 0}]
)
def test_impossible_settings_are_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"embedder\.{next(iter(changes))}"):
        model(**changes)
