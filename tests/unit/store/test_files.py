"""Writes leave either the old or the new, whenever the process dies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memforest.core.errors import StoreError
from memforest.core.files import folder_beside, json_bytes, json_line, write_atomically


def broken(*_: object) -> None:
    """A call that dies."""
    raise OSError("the disk is gone")


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b.txt", b"new")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_in_the_middle_keeps_the_old_file_and_leaves_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(b"old")
    monkeypatch.setattr(*((os, "fsync", broken) if step == "fsync" else (Path, "replace", broken)))
    with pytest.raises(StoreError, match="the disk is gone"):
        write_atomically(path, b"new")
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {"b.txt": b"old"}


def test_bytes_are_on_disk_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    replace = Path.replace

    def synced(_: int) -> None:
        steps.append("fsync")

    def renamed(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    write_atomically(tmp_path / "b.txt", b"new")
    assert steps == ["fsync", "rename"]


def test_a_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    write_atomically(tmp_path / "b.txt", b"new")
    assert (tmp_path / "b.txt").stat().st_mode & 0o777 == 0o644


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "stage" / "key"
    with folder_beside(target) as folder:
        (folder / "file").write_bytes(b"content")
        assert not target.exists()
    assert (target / "file").read_bytes() == b"content"
    assert list(target.parent.iterdir()) == [target]


def test_a_folder_whose_block_fails_never_appears(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="stop"), folder_beside(tmp_path / "key"):
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_another_process_published_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "key"
    with folder_beside(target) as folder:
        (folder / "file").write_bytes(b"mine")
        target.mkdir()
        (target / "file").write_bytes(b"theirs")
    assert (target / "file").read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_a_rival_publishes_just_before_the_rename_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "key"
    rename = Path.rename

    def rival_first(self: Path, to: Path) -> Path:
        if not target.is_dir():
            target.mkdir()
            (target / "file").write_bytes(b"theirs")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", rival_first)
    with folder_beside(target) as folder:
        (folder / "file").write_bytes(b"mine")
    assert (target / "file").read_bytes() == b"theirs"


def test_json_keeps_order_and_letters_and_refuses_nan() -> None:
    assert json_bytes({"b": "é", "a": 1}) == '{\n  "b": "é",\n  "a": 1\n}\n'.encode()
    assert json_line({"b": "é", "a": [1, 2]}) == '{"b":"é","a":[1,2]}'
    with pytest.raises(ValueError, match="JSON"):
        json_bytes(float("nan"))
