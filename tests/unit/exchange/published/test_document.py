"""Files of others as plain data: every damage is one DataError that names the file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.exchange.published import document
from memforest.exchange.published.document import field, read_document, share_of, text_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


PACKED = gzip.compress(b'{"a": "some text"}', mtime=0)
"""Without a time: these bytes are in the names of tests."""


def written(folder: Path, raw: bytes | str) -> Path:
    path = folder / "file.json"
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return path


@given(st.dictionaries(st.text(max_size=3), VALUES), st.booleans(), st.sampled_from([None, 2]))
def test_json_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, content: object, packed: bool, indent: int | None
) -> None:
    raw = json.dumps(content, indent=indent).encode()
    path = written(tmp_path_factory.mktemp("d"), gzip.compress(raw) if packed else raw)
    assert read_document(path).content == content


@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES), min_size=2, max_size=4), st.booleans())
def test_lines_come_back_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, rows: list[object], packed: bool
) -> None:
    raw = "\n\n".join(json.dumps(row) for row in rows).encode()
    found = read_document(written(tmp_path_factory.mktemp("d"), gzip.compress(raw) if packed else raw))
    assert found.content == rows
    assert found.place(1) == "file.json, line 3"


def test_a_table_has_its_rows_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b'a,b\r\n1,"x\ny"\r\n\r\n2,z\r\n'))
    found = read_document(path)
    assert found.content == [{"a": "1", "b": "x\ny"}, {"a": "2", "b": "z"}]
    assert found.place(1) == "t.csv.gz, line 5"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,a\n1,2\n", "a column name stands twice"),
        ("a,b\n1,2\n3\n", "line 3: has 1 fields, the first line has 2"),
        ('a,b\n1,"2\n', "not CSV"),
        ("\n\n", "is empty"),
    ],
)
def test_a_damaged_table_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"t\.csv") as caught:
        read_document(path)
    assert words in str(caught.value)


def test_a_file_is_known_as_gzip_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    assert read_document(written(tmp_path, gzip.compress(b'\xef\xbb\xbf{"a": 1}'))).content == {"a": 1}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "file.json is empty"),
        (b" \n ", "file.json is empty"),
        (b"{", "file.json: not JSON"),
        (b'{"a": 1}\n{"a": ', "file.json, line 2: not JSON"),
        (b'{"a": 1}\nnonsense\n', "file.json, line 2: not JSON"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b'{"a": 1}\n{"a": Infinity}', "line 2: Infinity is no JSON number"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        (b"\xff\xfe{}", "no UTF-8 text"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"\x1f\x8bnonsense", "no complete gzip file"),
        (PACKED[:-9], "no complete gzip file"),
        (PACKED[:-4] + b"0000", "no complete gzip file"),
        (PACKED + b"rest", "no complete gzip file"),
    ],
)
def test_a_damaged_file_is_one_error_that_names_it(tmp_path: Path, raw: bytes, words: str) -> None:
    with pytest.raises(DataError, match=r"file\.json") as caught:
        read_document(written(tmp_path, raw))
    assert words in str(caught.value)


@given(st.data())
def test_no_prefix_of_a_gzip_file_is_taken_for_all_of_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = gzip.compress(b'{"a": 1}\n{"a": 2}\n')
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(DataError):
        read_document(written(tmp_path_factory.mktemp("d"), whole[:cut]))


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "LARGEST", 1000)
    with pytest.raises(DataError, match="unpacks to more"):
        read_document(written(tmp_path, gzip.compress(b" " * 1001)))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json does not exist"):
        read_document(tmp_path / "none.json")
    with pytest.raises(DataError, match="cannot be read"):
        read_document(tmp_path)


@pytest.mark.parametrize(
    ("record", "kind", "words"),
    [
        (5, str, "expected an object with `a`, got a whole number"),
        ({"b": 1}, str, "`a` is missing; there are 'b'"),
        ({}, str, "`a` is missing; there are no keys"),
        ({"a": None}, str, "`a` must be a text, got null"),
        ({"a": True}, int, "`a` must be a whole number, got true or false"),
        ({"a": "x"}, list, "`a` must be a list, got a text"),
        ({"a": "\udc00"}, str, "`a` is no valid text"),
    ],
)
def test_a_field_of_another_kind_is_named(record: object, kind: type, words: str) -> None:
    with pytest.raises(DataError) as caught:
        field(record, "a", kind, where="here")
    assert str(caught.value).startswith("here: ")
    assert words in str(caught.value)


def test_numbers_become_texts_and_true_is_none() -> None:
    assert (text_of({"a": 2022}, "a", where=""), text_of({"a": "x"}, "a", where="")) == ("2022", "x")
    with pytest.raises(DataError, match="must be a text, got true or false"):
        text_of({"a": True}, "a", where="")


def test_a_share_lies_between_0_and_1() -> None:
    assert [share_of({"a": value}, "a", where="") for value in (0, 0.25, 1)] == [0.0, 0.25, 1.0]
    for value in (True, "0.5", -0.1, 1.1, 10**400, None):
        with pytest.raises(DataError, match=r"must be a number in \[0, 1\]"):
            share_of({"a": value}, "a", where="")
