"""Items of a JSON file one at a time equal those of reading it whole."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.datasets import json_files
from memforest.datasets.json_files import json_items, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(items=st.lists(VALUES, max_size=5), chunk=st.integers(1, 7), indent=st.sampled_from([None, 2]))
def test_items_are_those_of_the_list_whatever_is_read_at_once(
    tmp_path_factory: pytest.TempPathFactory, items: list[object], chunk: int, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "file.json"
    path.write_text(json.dumps(items, indent=indent, ensure_ascii=False), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "_CHUNK", chunk)
        assert list(json_items(path)) == items == read_json(path)


@pytest.mark.parametrize("text", ['{"a": [1]}', "17", " null ", '"x"', "\ufeff[]", "[ ]", " [1 , 2] \n"])
def test_what_is_no_list_is_its_only_item(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    whole = read_json(path)
    assert list(json_items(path)) == (whole if isinstance(whole, list) else [whole])


@pytest.mark.parametrize(
    "content", [b"", b" ", b"[", b"[1", b"[1,", b"[1,]", b"[,]", b"[1 2]", b"[1]]", b"{}{}", b"[NaN]", b"\xff", b"["]
)
@pytest.mark.parametrize("chunk", [1, 1000])
def test_what_is_no_json_is_named(tmp_path: Path, content: bytes, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_CHUNK", chunk)
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    for read in (read_json, lambda path: list(json_items(path))):
        with pytest.raises(DataError, match=r"broken\.json is not JSON"):
            read(path)


def test_what_is_nested_too_deeply_is_named(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    for read in (read_json, lambda path: list(json_items(path))):
        with pytest.raises(DataError, match=r"deep\.json is not JSON"):
            read(path)


def test_an_error_says_where_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_CHUNK", 4)
    path = tmp_path / "broken.json"
    path.write_text('["abc", "def" "ghi"]')
    with pytest.raises(DataError, match=r"expected a comma or the end of the list \(character 14\)"):
        list(json_items(path))


def test_only_what_is_asked_for_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_CHUNK", 4)
    path = tmp_path / "broken.json"
    path.write_text("[1, 2, 3, broken")
    assert list(islice(json_items(path), 2)) == [1, 2]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json"):
        list(json_items(tmp_path / "none.json"))


@pytest.mark.parametrize("chunk", [1, 1000])
@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 1}', '[1, {"b": [{"a": 1, "a": 2}]}]'])
def test_a_key_that_stands_twice_is_named(
    tmp_path: Path, text: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_files, "_CHUNK", chunk)
    path = tmp_path / "twice.json"
    path.write_text(text)
    for read in (read_json, lambda path: list(json_items(path))):
        with pytest.raises(DataError, match=r"twice\.json.*the key 'a' stands twice"):
            read(path)
