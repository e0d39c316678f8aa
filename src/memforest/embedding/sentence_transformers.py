"""Models of the sentence-transformers library, such as Qwen3-Embedding-0.6B: from the hub or from a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memforest.core.checks import require
from memforest.core.digests import digest, file_digest
from memforest.core.errors import ConfigError, MissingExtraError
from memforest.core.protocols import Embedding
from memforest.core.vectors import Matrix, normalised

_CONVERSIONS = {"float32": "float", "float16": "half", "bfloat16": "bfloat16"}
"""What PyTorch calls the method that converts a model's weights."""


class SentenceTransformers:
    """The vectors of `model`, scaled to length 1. Queries and memories are embedded alike, without a prompt.

    model: a name on the hub, or a folder. revision: a commit or tag of the hub. dimensions: the first so many
    components, None keeps all. max_tokens: what is read of a text, None takes the model's own limit. dtype: of the
    weights. batch_texts texts are computed at once on `device`. The last bits of a vector may depend on both; the
    vector cache keeps the first.
    """

    def __init__(
        self,
        *,
        model: str,
        revision: str | None,
        dimensions: int | None,
        max_tokens: int | None,
        dtype: str,
        batch_texts: int,
        device: str | None,
    ) -> None:
        require(bool(model), "embedder.model must name a model of sentence-transformers, or a folder that holds one")
        require(dimensions is None or dimensions >= 1, f"embedder.dimensions must be at least 1, got {dimensions}")
        require(max_tokens is None or max_tokens >= 3, f"embedder.max_tokens must be at least 3, got {max_tokens}")
        require(dtype in _CONVERSIONS, f"embedder.dtype must be one of {', '.join(_CONVERSIONS)}; got {dtype!r}")
        require(batch_texts >= 1, f"embedder.batch_texts must be at least 1, got {batch_texts}")
        self._name = model
        self._revision = revision
        self._dimensions = dimensions
        self._max_tokens = max_tokens
        self._dtype = dtype
        self._batch_texts = batch_texts
        self._device = device

    @cached_property
    def identity(self) -> str:
        """Model, revision, dimensions, reading length and type of the weights; of a folder, what its files hold."""
        source = _content(Path(self._name)) if Path(self._name).is_dir() else [self._name, self._revision]
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", Path(self._name).name).strip("-.")
        settings = digest([source, self._dimensions, self._max_tokens, self._dtype])[:12]
        return f"sentence-transformers-{readable}-{settings}"

    @cached_property
    def dimension(self) -> int:
        """That of the vector of one word."""
        return self._dimensions or int(self._vectors(["dimensions"]).shape[1])

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors [texts, dimension]. Raises MissingExtraError without the library, ConfigError without the model."""
        if not texts:
            return Embedding(vectors=np.zeros((0, self.dimension), np.float32), truncated=np.zeros(0, dtype=bool))
        return Embedding(vectors=self._vectors(texts), truncated=self._truncated(texts))

    def _vectors(self, texts: Sequence[str]) -> Matrix:
        made = self._model.encode(
            list(texts), batch_size=self._batch_texts, convert_to_numpy=True, show_progress_bar=False
        )
        return normalised(np.asarray(made, dtype=np.float64))

    def _truncated(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        tokens = self._model.tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]
        return np.array([len(ids) > self._model.max_seq_length for ids in tokens], dtype=bool)

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError(
                "embedder=sentence_transformers needs sentence-transformers and PyTorch; install them with: "
                "pip install 'memforest[torch]'"
            ) from error
        try:
            model = SentenceTransformer(
                self._name, revision=self._revision, device=self._device, truncate_dim=self._dimensions
            )
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"embedder.model={self._name} cannot be loaded: {error}; name a model of the hub, or a folder with one"
            ) from error
        if self._max_tokens is not None:
            model.max_seq_length = self._max_tokens
        return getattr(model, _CONVERSIONS[self._dtype])()


def _content(folder: Path) -> list[tuple[str, str]]:
    """Name and hash of every file of a model's folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), file_digest(path)) for path in files]
