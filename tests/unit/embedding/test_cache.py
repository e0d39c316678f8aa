"""The vector cache: a text is embedded once, and no vector is ever lost or wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memforest.core.errors import StoreError
from memforest.core.protocols import Embedding
from memforest.embedding import cache
from memforest.embedding.cache import CachedEmbedder
from memforest.embedding.hashing import Hashing


class Counting:
    """Counts the texts that it embeds; marks those that contain `long`."""

    identity = "counting"
    dimension = 8

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._inner = Hashing(buckets=8)
        self._lock = threading.Lock()

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        with self._lock:
            self.seen += texts
        vectors = self._inner.embed(texts=texts).vectors
        return Embedding(vectors=vectors, truncated=np.array(["long" in text for text in texts], dtype=bool))


def opened(folder: Path) -> tuple[CachedEmbedder, Counting]:
    counting = Counting()
    return CachedEmbedder(embedder=counting, folder=folder), counting


def filled(folder: Path, *texts: str) -> None:
    cached, _ = opened(folder)
    cached.embed(texts=texts)
    cached.flush()


def shards(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.npz"))


def texts_of(start: int, count: int) -> list[str]:
    return [f"text {number}" for number in range(start, start + count)]


def test_a_text_is_embedded_once_even_within_one_call(tmp_path: Path) -> None:
    cached, counting = opened(tmp_path)
    cached.embed(texts=["a", "b", "a"])
    cached.embed(texts=["b", "c"])
    assert counting.seen == ["a", "b", "c"]


def test_vectors_and_marks_are_those_of_the_embedder_in_order(tmp_path: Path) -> None:
    filled(tmp_path, "a b", "c long")
    texts = ["c long", "new long", "a b", "d"]
    found = opened(tmp_path)[0].embed(texts=texts)
    expected = Counting().embed(texts=texts)
    assert np.array_equal(found.vectors, expected.vectors)
    assert found.vectors.dtype == expected.vectors.dtype
    assert found.truncated.tolist() == [True, True, False, False]


def test_vectors_survive_the_process(tmp_path: Path) -> None:
    filled(tmp_path, "a", "b")
    cached, counting = opened(tmp_path)
    cached.embed(texts=["b", "a"])
    assert counting.seen == []


def test_nothing_is_written_before_a_flush_or_by_an_idle_one(tmp_path: Path) -> None:
    cached, _ = opened(tmp_path)
    cached.embed(texts=["a"])
    assert shards(tmp_path) == []
    cached.flush()
    written = shards(tmp_path)
    cached.flush()
    assert shards(tmp_path) == written
    assert len(written) == 1


def test_many_new_texts_are_flushed_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FLUSH_EVERY", 10)
    cached, _ = opened(tmp_path)
    cached.embed(texts=texts_of(0, 9))
    assert shards(tmp_path) == []
    cached.embed(texts=texts_of(9, 1))
    assert len(shards(tmp_path)) == 1


def test_no_texts_give_no_vectors(tmp_path: Path) -> None:
    found = opened(tmp_path)[0].embed(texts=[])
    assert (found.vectors.shape, found.truncated.shape) == ((0, 8), (0,))


def test_identity_and_dimension_are_the_embedders(tmp_path: Path) -> None:
    cached, counting = opened(tmp_path)
    assert (cached.identity, cached.dimension) == (counting.identity, counting.dimension)


def test_two_models_never_share_a_vector(tmp_path: Path) -> None:
    filled(tmp_path, "a b c")
    other = Hashing(buckets=16)
    found = CachedEmbedder(embedder=other, folder=tmp_path).embed(texts=["a b c"])
    assert np.array_equal(found.vectors, other.embed(texts=["a b c"]).vectors)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b[:50] + b"?" + b[51:], lambda b: b"", lambda b: b + b"x"]
)
def test_a_damaged_shard_is_reported_and_never_used(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    filled(tmp_path, "a", "b")
    (shard,) = shards(tmp_path)
    shard.write_bytes(damage(shard.read_bytes()))
    with pytest.raises(StoreError, match=r"is damaged .*; delete it") as caught:
        opened(tmp_path)[0].embed(texts=["a"])
    assert str(shard) in str(caught.value)


def test_a_shard_half_written_when_the_process_died_is_ignored(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    (tmp_path / "counting/.shard-abc").write_bytes(b"half")
    cached, counting = opened(tmp_path)
    cached.embed(texts=["a"])
    assert counting.seen == []


def test_compaction_keeps_every_vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "COMPACT_ABOVE", 3)
    for number in range(10):
        filled(tmp_path, f"text {number}", f"long {number}")
        assert len(shards(tmp_path)) <= 3
    cached, counting = opened(tmp_path)
    texts = [*texts_of(0, 10), "long 7"]
    found = cached.embed(texts=texts)
    assert counting.seen == []
    assert np.array_equal(found.vectors, Counting().embed(texts=texts).vectors)
    assert found.truncated.tolist() == [False] * 10 + [True]


def test_compaction_keeps_every_vector_where_one_shard_holds_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = [opened(tmp_path)[0] for _ in range(4)]
    for process in processes:
        process.embed(texts=[])  # all have seen the empty cache before the first of them writes
    monkeypatch.setattr(cache, "COMPACT_ABOVE", 3)
    for process, count in zip(processes, [4, 3, 2, 1], strict=True):
        process.embed(texts=texts_of(0, count))
        process.flush()
    cached, counting = opened(tmp_path)
    cached.embed(texts=texts_of(0, 4))
    assert counting.seen == []


def test_a_shard_that_another_process_merged_away_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, "a")
    filled(tmp_path, "b")
    gone = shards(tmp_path)[0]
    read = Path.read_bytes

    def read_after_merge(path: Path) -> bytes:
        if path == gone:
            path.unlink(missing_ok=True)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_after_merge)
    found = opened(tmp_path)[0].embed(texts=["a", "b"])
    assert np.array_equal(found.vectors, Counting().embed(texts=["a", "b"]).vectors)


def test_processes_that_merge_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "COMPACT_ABOVE", 2)

    def work(worker: int) -> None:
        for step in range(12):
            filled(tmp_path, *texts_of(100 * worker + step, 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    cached, counting = opened(tmp_path)
    cached.embed(texts=[text for worker in range(4) for text in texts_of(100 * worker, 12)])
    assert counting.seen == []


def test_one_cache_serves_many_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FLUSH_EVERY", 7)
    cached, _ = opened(tmp_path)
    expected = Counting()

    def work(worker: int) -> bool:
        order = np.random.default_rng(worker).integers(60, size=200).reshape(40, 5)
        asked = [[f"text {number}" for number in row] for row in order]
        return all(
            np.array_equal(cached.embed(texts=texts).vectors, expected.embed(texts=texts).vectors) for texts in asked
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    cached.flush()
    reopened, counting = opened(tmp_path)
    reopened.embed(texts=texts_of(0, 60))
    assert counting.seen == []
