"""Vectors on disk, by model and text: a text is embedded once.

The cache is a folder of shards, each written beside and renamed into place under the hash of its content, so that
any number of processes can share it without locks. A shard that was damaged is reported, never used.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from memforest.core.errors import StoreError
from memforest.core.files import write_atomically
from memforest.core.protocols import Embedder, Embedding

FLUSH_EVERY = 2048
COMPACT_ABOVE = 16

_Entry = tuple[np.ndarray, bool]


class CachedEmbedder:
    """An embedder that remembers, for several threads. Call `flush` when a stage is done; it flushes by itself every
    FLUSH_EVERY texts."""

    def __init__(self, *, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._folder = folder / embedder.identity
        self._known: dict[bytes, _Entry] | None = None
        self._fresh: dict[bytes, _Entry] = {}
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """The embedder's own: a cache changes nothing."""
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        """The length of a vector that is known; without one the embedder is asked, which may have to ask a server."""
        with self._lock:
            known = next(iter(self._load().values()), None)
        return self._embedder.dimension if known is None else len(known[0])

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors of `texts`; only those never seen are computed."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        with self._lock:
            known = self._load()
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            absent = list(missing)
            for places, made in _batches(self._embedder, list(missing.values())):
                self._remember(
                    {
                        absent[place]: (vector, bool(truncated))
                        for place, vector, truncated in zip(places, made.vectors, made.truncated, strict=True)
                    }
                )
        entries = [known[key] for key in keys]
        vectors = np.stack([vector for vector, _ in entries]) if entries else np.zeros((0, self.dimension), np.float32)
        return Embedding(vectors=vectors, truncated=np.array([truncated for _, truncated in entries], dtype=bool))

    def _remember(self, entries: dict[bytes, _Entry]) -> None:
        with self._lock:
            self._load().update(entries)
            self._fresh.update(entries)
            full = len(self._fresh) >= FLUSH_EVERY
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what is new as one shard; merge the shards when there are many."""
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        if not self._fresh:
            return
        _write_shard(self._folder, self._fresh)
        self._fresh = {}
        shards = sorted(self._folder.glob("*.npz"))
        if len(shards) > COMPACT_ABOVE:
            merged = {key: entry for shard in shards for key, entry in _read_shard(shard).items()}
            written = _write_shard(self._folder, merged)
            for shard in shards:
                if shard != written:
                    shard.unlink(missing_ok=True)

    def _load(self) -> dict[bytes, _Entry]:
        if self._known is None:
            shards = sorted(self._folder.glob("*.npz"))
            self._known = {key: entry for shard in shards for key, entry in _read_shard(shard).items()}
        return self._known


def _batches(embedder: Embedder, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Embedding]]:
    """Places of texts and their vectors, batch by batch where the embedder offers it: what was paid for is kept when
    a later batch fails."""
    offered = getattr(embedder, "batches", None)
    if offered is None:
        yield range(len(texts)), embedder.embed(texts=texts)
    else:
        yield from offered(texts=texts)


def _write_shard(folder: Path, entries: dict[bytes, _Entry]) -> Path:
    keys = sorted(entries)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1),
        vectors=np.stack([entries[key][0] for key in keys]),
        truncated=np.array([entries[key][1] for key in keys], dtype=bool),
    )
    content = buffer.getvalue()
    path = folder / f"{hashlib.sha256(content).hexdigest()[:32]}.npz"
    write_atomically(path, content)
    return path


def _read_shard(path: Path) -> dict[bytes, _Entry]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        # Another process has merged this shard into a larger one; its texts are embedded again if need be.
        return {}
    if hashlib.sha256(content).hexdigest()[:32] != path.stem:
        raise StoreError(f"the vector cache file {path} is damaged (its content does not match its name); delete it")
    with np.load(io.BytesIO(content), allow_pickle=False) as shard:
        keys, vectors, truncated = shard["keys"], shard["vectors"], shard["truncated"]
    return {keys[row].tobytes(): (vectors[row], bool(truncated[row])) for row in range(len(keys))}
