"""A stand-in for the package sentence-transformers, which is too large to install for tests."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from memforest.embedding.hashing import Hashing


class SentenceTransformer:
    """Hashed bags of the words that it reads, three times too long; a word is a token, and one more begins a text."""

    made: list[SentenceTransformer]

    def __init__(
        self, name: str, *, revision: str | None = None, device: str | None = None, truncate_dim: int | None = None
    ) -> None:
        if name == "unknown/model":
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")
        self.name, self.revision, self.device, self.truncate_dim = name, revision, device, truncate_dim
        self.max_seq_length = 512
        self.dtype = "auto"
        self.batch_sizes: list[int] = []
        type(self).made.append(self)

    def tokenizer(
        self, texts: Sequence[str], *, truncation: bool, padding: bool, verbose: bool
    ) -> dict[str, list[list[int]]]:
        assert not truncation and not padding and not verbose
        return {"input_ids": [[0, *range(len(text.split()))] for text in texts]}

    def encode(
        self, texts: Sequence[str], *, batch_size: int, convert_to_numpy: bool, show_progress_bar: bool
    ) -> np.ndarray[Any, Any]:
        assert convert_to_numpy and not show_progress_bar
        self.batch_sizes.append(batch_size)
        read = [" ".join(text.split()[: self.max_seq_length - 1]) for text in texts]
        return 3 * Hashing(buckets=64).embed(texts=read).vectors[:, : self.truncate_dim]

    def float(self) -> SentenceTransformer:
        self.dtype = "float32"
        return self

    def half(self) -> SentenceTransformer:
        self.dtype = "float16"
        return self

    def bfloat16(self) -> SentenceTransformer:
        self.dtype = "bfloat16"
        return self


def double() -> ModuleType:
    """A module to put in the place of the package; its class remembers the models that were made."""
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = type("SentenceTransformer", (SentenceTransformer,), {"made": []})  # type: ignore[attr-defined]
    return module
