"""Artifacts are published whole, never changed, and checked when read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memforest.core.errors import StoreError
from memforest.store.artifacts import ArtifactStore

FILES = {"memories.jsonl": b"{}\n", "vectors.npy": b"123"}


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    """A store with one artifact."""
    made = ArtifactStore(tmp_path)
    made.save("build", "key", files=FILES, inputs={"stage": "build"})
    return made


def test_what_was_saved_is_loaded(store: ArtifactStore) -> None:
    assert store.has("build", "key")
    assert store.load("build", "key") == FILES


def test_some_files_are_loaded_without_the_others(store: ArtifactStore, tmp_path: Path) -> None:
    (tmp_path / "artifacts" / "build" / "key" / "vectors.npy").write_bytes(b"damaged")
    assert store.load("build", "key", names=("memories.jsonl", "absent")) == {"memories.jsonl": b"{}\n"}


def test_keys_are_found_by_how_they_begin(store: ArtifactStore, tmp_path: Path) -> None:
    for key in ("kex", "kea", "other"):
        store.save("build", key, files=FILES, inputs={})
    (tmp_path / "artifacts" / "build" / "kez").mkdir()
    assert store.keys("build", prefix="ke") == ["kea", "kex", "key"]
    assert store.keys("absent", prefix="ke") == []


def test_the_size_of_a_file_is_known_without_reading_it(store: ArtifactStore) -> None:
    assert store.size("build", "key", "vectors.npy") == 3
    assert store.size("build", "key", "absent") == 0


def test_another_key_or_stage_is_absent(store: ArtifactStore) -> None:
    assert not store.has("build", "other")
    assert not store.has("compress", "key")


def test_the_manifest_says_what_the_key_was_made_of(store: ArtifactStore) -> None:
    assert store.manifest("build", "key")["inputs"] == {"stage": "build"}


def test_a_published_artifact_is_not_changed_by_saving_again(store: ArtifactStore, tmp_path: Path) -> None:
    before = (tmp_path / "artifacts" / "build" / "key" / "vectors.npy").stat().st_mtime_ns
    store.save("build", "key", files={"vectors.npy": b"other"}, inputs={})
    assert store.load("build", "key") == FILES
    assert (tmp_path / "artifacts" / "build" / "key" / "vectors.npy").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("vectors.npy", lambda path: path.write_bytes(b"124")),
        ("vectors.npy", lambda path: path.write_bytes(b"")),
        ("memories.jsonl", Path.unlink),
        ("manifest.json", lambda path: path.write_bytes(b"{")),
        ("manifest.json", Path.unlink),
    ],
)
def test_damage_is_an_error_that_names_folder_file_and_remedy(
    store: ArtifactStore, tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    folder = tmp_path / "artifacts" / "build" / "key"
    damage(folder / name)
    with pytest.raises(StoreError, match=f"{folder}.*{name}.*delete the folder"):
        store.load("build", "key")


def test_what_is_incomplete_is_found_by_its_own_name_and_does_not_pass_for_the_key(store: ArtifactStore) -> None:
    name = store.save_incomplete("build", "part", files=FILES, inputs={})
    assert not store.has("build", "part")
    assert store.load("build", name) == FILES
    assert store.manifest("build", name)["key"] == "part"
    assert store.keys("build", prefix="par") == [name]


@pytest.mark.parametrize("complete", [True, False])
def test_what_comes_after_an_incomplete_artifact_takes_its_place(store: ArtifactStore, complete: bool) -> None:
    first = store.save_incomplete("build", "part", files=FILES, inputs={})
    other = store.save_incomplete("build", "partly", files=FILES, inputs={})
    files = {**FILES, "vectors.npy": b"124"}
    if complete:
        store.save("build", "part", files=files, inputs={})
        name = "part"
    else:
        name = store.save_incomplete("build", "part", files=files, inputs={})
    assert name != first
    assert store.keys("build", prefix="part") == sorted([name, other])
    assert store.load("build", name) == files


@pytest.mark.parametrize(("process", "kept"), [(os.getppid(), True), (2**22 + 1, False)])
def test_an_incomplete_artifact_stays_while_a_process_works_with_it(
    store: ArtifactStore, monkeypatch: pytest.MonkeyPatch, process: int, kept: bool
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: process)
        name = store.save_incomplete("build", "part", files=FILES, inputs={})
    store.save("build", "part", files=FILES, inputs={})
    assert store.has("build", name) is kept
    assert store.has("build", "part")
