"""Writes leave either the old or the new, whenever the process dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memforest.core.errors import StoreError
from memforest.core.files import folder_beside, json_bytes, json_line, write_atomically
from memforest.core.owners import owner


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


def left_by(process: int, folder: Path, name: str) -> Path:
    """A file as a process of this machine leaves it when it is killed while writing `name`."""
    host = owner().split("-")[0]
    path = folder / f".{name}.beside-{host}-{process}-abc"
    path.write_bytes(b"half")
    return path


def ended_process() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    dead = left_by(ended_process(), tmp_path, "b.txt")
    write_atomically(tmp_path / "other.txt", b"new")
    assert not dead.exists()


def test_the_folder_that_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    dead = left_by(ended_process(), tmp_path, "key")
    dead.unlink()
    dead.mkdir()
    (dead / "half").touch()
    with folder_beside(tmp_path / "other"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_what_a_living_process_is_writing_stays(tmp_path: Path) -> None:
    mine, theirs = left_by(os.getpid(), tmp_path, "a.txt"), left_by(os.getppid(), tmp_path, "b.txt")
    write_atomically(tmp_path / "other.txt", b"new")
    assert mine.exists()
    assert theirs.exists()


def test_what_another_machine_is_writing_stays_for_an_hour(tmp_path: Path) -> None:
    path = tmp_path / ".a.txt.beside-0123abcd-1-abc"
    path.touch()
    write_atomically(tmp_path / "other.txt", b"new")
    assert path.exists()
    os.utime(path, (0, 0))
    write_atomically(tmp_path / "other.txt", b"new")
    assert not path.exists()


def test_a_file_of_the_user_with_a_similar_name_stays(tmp_path: Path) -> None:
    names = [".notes-abc", ".notes.beside-me", ".notes.beside-a-b-c", ".notes.beside-0123abcd-x-abc"]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    write_atomically(tmp_path / "notes", b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "notes"])
