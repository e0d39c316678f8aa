"""Fetching with a check: what is stored is what the manifest names, or nothing is."""

from __future__ import annotations

import dataclasses
import hashlib
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from memforest.cli import main
from memforest.core.errors import DataError
from memforest.datasets.manifest import Entry, fetch, manifest

GOOD, BAD = b"the right content", b"something else"


def entry_for(content: bytes = GOOD, *, url: str = "https://nowhere.invalid/file.json") -> Entry:
    return Entry(
        name="locomo",
        dataset="locomo",
        path="locomo/file.json",
        url=url,
        origin="nowhere",
        licence="none",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        versions={hashlib.sha256(BAD).hexdigest(): "an old version"},
    )


def file(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", sorted(manifest()))
def test_every_entry_is_complete_and_knows_its_own_version(name: str) -> None:
    entry = manifest()[name]
    assert len(entry.sha256) == 64
    assert entry.bytes > 0
    assert entry.url.startswith("https://")
    assert entry.describe(entry.sha256) == entry.versions[entry.sha256]
    assert not Path(entry.path).is_absolute()
    shown = "\n".join(entry.lines())
    assert all(part in shown for part in (entry.origin, f"{entry.bytes:,}", entry.sha256, entry.licence))


def test_a_file_of_the_right_hash_is_stored_from_a_copy(tmp_path: Path) -> None:
    source = file(tmp_path / "mine.json", GOOD)
    stored = fetch(entry_for(), folder=tmp_path / "data", source=source)
    assert stored == tmp_path / "data/locomo/file.json"
    assert contents(tmp_path / "data") == {"locomo/file.json": GOOD}
    assert source.read_bytes() == GOOD


def test_a_file_is_stored_from_its_address(tmp_path: Path) -> None:
    url = file(tmp_path / "remote.json", GOOD).as_uri()
    fetch(entry_for(url=url), folder=tmp_path / "data", source=None)
    assert contents(tmp_path / "data") == {"locomo/file.json": GOOD}


@pytest.mark.parametrize(("content", "words"), [(BAD, "an old version"), (b"?", "no version that this project knows")])
def test_a_wrong_hash_stores_nothing_and_says_which_version_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    source = file(tmp_path / "mine.json", content)
    with pytest.raises(DataError) as caught:
        fetch(entry_for(), folder=tmp_path / "data", source=source)
    for part in (str(source), words, "Nothing was stored", hashlib.sha256(content).hexdigest()[:12]):
        assert part in str(caught.value)
    assert contents(tmp_path / "data") == {}


@pytest.mark.parametrize("offered", [GOOD, BAD])
def test_another_file_in_its_place_is_not_overwritten(tmp_path: Path, offered: bytes) -> None:
    file(tmp_path / "data/locomo/file.json", b"a user's own")
    with pytest.raises(DataError):
        fetch(entry_for(), folder=tmp_path / "data", source=file(tmp_path / "mine.json", offered))
    assert contents(tmp_path / "data") == {"locomo/file.json": b"a user's own"}


def test_another_file_in_its_place_is_named_with_its_version(tmp_path: Path) -> None:
    present = file(tmp_path / "data/locomo/file.json", BAD)
    with pytest.raises(DataError, match="an old version; move it away first, it is not overwritten") as caught:
        fetch(entry_for(), folder=tmp_path / "data", source=file(tmp_path / "mine.json", GOOD))
    assert str(present) in str(caught.value)


def test_a_file_that_is_there_already_needs_no_source(tmp_path: Path) -> None:
    present = file(tmp_path / "data/locomo/file.json", GOOD)
    assert fetch(entry_for(), folder=tmp_path / "data", source=None) == present
    with pytest.raises(DataError, match="none does not exist"):
        fetch(entry_for(), folder=tmp_path / "data", source=tmp_path / "none")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    source, blocked = file(tmp_path / "mine.json", GOOD), file(tmp_path / "blocked", b"")
    with pytest.raises(DataError, match=r"cannot write to .*blocked/locomo: .*choose another folder with --to DIR"):
        fetch(entry_for(), folder=blocked, source=source)
    assert blocked.read_bytes() == b""


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data/locomo/file.json").mkdir(parents=True)
    with pytest.raises(DataError, match=r"locomo/file\.json"):
        fetch(entry_for(), folder=tmp_path / "data", source=file(tmp_path / "mine.json", GOOD))


def test_a_missing_source_is_named_and_stores_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json does not exist; --from takes the path of a downloaded file\.json"):
        fetch(entry_for(), folder=tmp_path / "data", source=tmp_path / "none.json")
    assert contents(tmp_path / "data") == {}


@pytest.mark.parametrize(
    "error", [urllib.error.URLError("no route"), TimeoutError("timed out"), ConnectionResetError()]
)
def test_without_a_network_the_other_way_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    with pytest.raises(DataError) as caught:
        fetch(entry_for(), folder=tmp_path / "data", source=None)
    for part in ("cannot download https://nowhere.invalid/file.json", "memforest data fetch locomo --from FILE"):
        assert part in str(caught.value)
    assert contents(tmp_path / "data") == {}


def test_a_stopped_download_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(urllib.request, "urlopen", stop)
    with pytest.raises(KeyboardInterrupt):
        fetch(entry_for(), folder=tmp_path / "data", source=None)
    assert contents(tmp_path / "data") == {}


def test_the_command_shows_origin_size_hash_and_licence_before_it_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = file(tmp_path / "mine.json", BAD)
    with pytest.raises(SystemExit) as caught:
        main(["data", "fetch", "locomo", "--from", str(source), "--to", str(tmp_path / "data")])
    shown = capsys.readouterr()
    entry = manifest()["locomo"]
    assert caught.value.code == 1
    assert shown.out.splitlines() == entry.lines()
    assert shown.err.startswith(f"error: {source} has sha256")


def test_the_command_stores_a_verified_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = dataclasses.replace(entry_for(), versions={hashlib.sha256(GOOD).hexdigest(): "the right one"})
    monkeypatch.setattr("memforest.datasets.manifest.manifest", lambda: {"locomo": entry})
    main(["data", "fetch", "locomo", "--from", str(file(tmp_path / "f", GOOD)), "--to", str(tmp_path / "data")])
    assert f"verified: {tmp_path}/data/locomo/file.json is the right one" in capsys.readouterr().out
    assert contents(tmp_path / "data") == {"locomo/file.json": GOOD}


def several() -> dict[str, Entry]:
    entries = [
        dataclasses.replace(entry_for(content), name=name, dataset="personamem_32k", path=f"personamem/{name}.csv")
        for name, content in (("one", GOOD), ("two", BAD))
    ]
    return {entry.name: entry for entry in entries}


def test_a_dataset_of_several_files_is_fetched_from_the_folder_that_holds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memforest.datasets.manifest.manifest", several)
    file(tmp_path / "mine/one.csv", GOOD), file(tmp_path / "mine/two.csv", BAD)
    main(["data", "fetch", "personamem_32k", "--from", str(tmp_path / "mine"), "--to", str(tmp_path / "data")])
    assert contents(tmp_path / "data") == {"personamem/one.csv": GOOD, "personamem/two.csv": BAD}
    assert "python run.py dataset=personamem_32k backbone=turns" in capsys.readouterr().out


def test_one_file_for_a_dataset_of_several_is_an_error_and_for_one_of_them_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memforest.datasets.manifest.manifest", several)
    source, folder = str(file(tmp_path / "mine.csv", GOOD)), str(tmp_path / "data")
    with pytest.raises(SystemExit):
        main(["data", "fetch", "personamem_32k", "--from", source, "--to", folder])
    assert "personamem_32k is 2 files; give the folder that holds them with --from DIR" in capsys.readouterr().err
    main(["data", "fetch", "one", "--from", source, "--to", folder])
    assert contents(tmp_path / "data") == {"personamem/one.csv": GOOD}


def test_a_dataset_without_a_download_says_where_to_look(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["data", "fetch", "longmemeval_s"])
    assert "no download is known for dataset=longmemeval_s; docs/datasets.md" in capsys.readouterr().err


def test_an_unknown_data_set_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["data", "fetch", "locom"])
    assert "did you mean locomo?" in capsys.readouterr().err
