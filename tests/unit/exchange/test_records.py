"""Memories in files: JSONL and Mem0 exports, in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.compression import memory_of
from memforest.core.errors import DataError
from memforest.core.times import parse_time
from memforest.exchange.records import MemoryRecord, output_lines, parse_records, read_records


def jsonl(path: Path, *lines: Any) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def read(folder: Path, *lines: Any) -> list[MemoryRecord]:
    return read_records(jsonl(folder / "in.jsonl", *lines))


def complaint(folder: Path, *lines: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(folder, *lines)
    start = f"{folder / 'in.jsonl'}, "
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start)


def test_a_full_record_is_read_with_the_rest_as_metadata(tmp_path: Path) -> None:
    (record,) = read(
        tmp_path,
        {"id": 7, "text": "a", "time": "2023-05-08", "sources": ["s", 2], "embedding": [1, 0.5], "mood": "glad"},
    )
    assert (record.id, record.text, record.sources, record.members) == ("7", "a", ("s", "2"), ("7",))
    assert (record.time, record.given_time) == (parse_time("2023-05-08", where=""), "2023-05-08")
    assert record.embedding == (1.0, 0.5)
    assert record.rest == {"mood": "glad"}


def test_a_bare_text_gets_its_line_as_id_source_and_member(tmp_path: Path) -> None:
    first, second = read(tmp_path, {"text": "a"}, {"text": "b"})
    assert (first.id, second.id) == ("1", "2")
    assert second.sources == second.members == ("2",)
    assert (second.time, second.given_time, second.embedding) == (None, None, None)


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    assert [record.id for record in read(tmp_path, {"text": "a"}, "", "  ", {"text": "b"})] == ["1", "4"]


@pytest.mark.parametrize("content", ["", "\n\n", "[]"])
def test_a_file_without_memories_is_empty(tmp_path: Path, content: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(content)
    assert read_records(path) == []


@pytest.mark.parametrize("content", [b'\xef\xbb\xbf{"text":"a"}\n', b'{"text":"a"}\r\n', b'{"text":"a"}'])
def test_a_mark_other_line_ends_and_a_missing_one_do_no_harm(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(content)
    assert [record.text for record in read_records(path)] == ["a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "line 2: not JSON"),
        ('{"text": "x", "text": "y"}', "line 2: not JSON (the key 'text' stands twice"),
        ("text", "line 2: not JSON"),
        ({"memory": "a"}, "line 2: expected an object with a `text`"),
        ({"text": None}, "line 2: expected an object with a `text`"),
        ("5", "line 2: expected an object with a `text`"),
        ("null", "line 2: expected an object with a `text`"),
        ({"text": "a", "time": "soon"}, "line 2, time: cannot read the time 'soon'"),
        ({"text": "a", "time": ""}, "line 2, time: cannot read the time ''"),
        ({"text": "a", "sources": "s"}, "line 2: `sources` must be a list of ids"),
        ({"text": "a", "sources": 5}, "line 2: `sources` must be a list of ids"),
        ({"text": "a", "members": {}}, "line 2: `members` must be a list of ids"),
        ({"text": "a", "embedding": []}, "line 2: `embedding` must be a list of finite numbers"),
        ({"text": "a", "embedding": "x"}, "line 2: `embedding` must be a list of finite numbers"),
        ({"text": "a", "embedding": [1, None]}, "line 2: `embedding` must be a list of finite numbers"),
        ({"text": "a", "embedding": [True]}, "line 2: `embedding` must be a list of finite numbers"),
        ('{"text": "a", "embedding": [NaN]}', "line 2: NaN is no JSON number"),
        ('{"text": "a", "embedding": [1e999]}', "line 2: `embedding` must be a list of finite numbers"),
    ],
)
def test_a_bad_line_is_an_error_that_names_file_and_line(tmp_path: Path, line: Any, message: str) -> None:
    assert complaint(tmp_path, {"text": "good"}, line).startswith(message)


def test_a_repeated_id_names_both_lines(tmp_path: Path) -> None:
    message = complaint(tmp_path, {"id": "x", "text": "a"}, {"text": "b"}, {"id": "x", "text": "c"})
    assert message.startswith("line 3: the id 'x' was used in line 1")


def test_a_number_beyond_any_float_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    assert complaint(tmp_path, {"text": "a", "embedding": [10**400]}).startswith("line 1")


@pytest.mark.parametrize(
    "lines",
    [
        [{"id": "a", "text": "a", "members": ["x"]}, {"id": "b", "text": "b", "members": ["x"]}],
        [{"id": "a", "text": "a", "members": ["x", "x"]}],
        [{"id": "a", "text": "a", "members": []}],
    ],
)
def test_members_that_are_shared_or_none_are_refused(tmp_path: Path, lines: list[Any]) -> None:
    assert "members" in complaint(tmp_path, *lines)


def test_text_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    assert complaint(tmp_path, '{"text": "cut \\ud83d"}').startswith("line 1")


def test_metadata_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert complaint(tmp_path, '{"text": "a", "score": NaN}').startswith("line 1")


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_only_a_newline_ends_a_line(tmp_path: Path, character: str) -> None:
    (record,) = read(tmp_path, {"text": f"one{character}two"})
    assert record.text == f"one{character}two"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl does not exist; give a JSONL file"):
        read_records(tmp_path / "none.jsonl")


def test_a_folder_or_binary_file_is_named(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path, binary):
        with pytest.raises(DataError, match="cannot be read as UTF-8 text"):
            read_records(path)


def exported(folder: Path, *items: Any) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(list(items), indent=1))
    return path


def item(id: str, stamp: Any = "1:00 pm on 1 May, 2023", **rest: Any) -> dict[str, Any]:
    return {"id": id, "memory": f"memory {id}", "metadata": {"timestamp": stamp}, **rest}


def test_an_export_is_known_by_its_content_and_stands_by_time_then_reversed(tmp_path: Path) -> None:
    later = "1:00 pm on 2 May, 2023"
    path = exported(tmp_path, item("d", later), item("c"), item("b", later), item("a"))
    assert [record.id for record in read_records(path)] == ["a", "c", "b", "d"]


def test_an_export_keeps_its_other_keys_and_its_times_as_written(tmp_path: Path) -> None:
    (record,) = read_records(exported(tmp_path, item("a", user_id="someone", categories=None)))
    assert record.text == "memory a"
    assert record.given_time == "1:00 pm on 1 May, 2023"
    assert record.rest == {
        "user_id": "someone",
        "categories": None,
        "metadata": {"timestamp": "1:00 pm on 1 May, 2023"},
    }


def test_an_export_without_event_times_falls_back_to_the_time_of_creation(tmp_path: Path) -> None:
    first = item("a", None, created_at="2025-01-02T00:00:00Z")
    second = item("b", None, created_at="2025-01-01T00:00:00Z")
    records = read_records(exported(tmp_path, first, second))
    assert [record.id for record in records] == ["b", "a"]
    assert records[0].given_time == "2025-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"text": "a"}], "is a JSON list but no Mem0 export: its records have no `memory`"),
        ([1, 2], "is a JSON list but no Mem0 export"),
        ([{"memory": "a"}, {"text": "b"}], "is a JSON list but no Mem0 export"),
        ([item("a"), item("b", "soon")], "record 1, time: cannot read the time 'soon'"),
        ([item("a"), item("a")], "the id 'a' was used in record"),
        ([{"id": "a", "memory": 5}], "record 0: expected an object"),
    ],
)
def test_a_bad_export_is_an_error_that_names_file_and_record(tmp_path: Path, items: list[Any], message: str) -> None:
    path = exported(tmp_path, *items)
    with pytest.raises(DataError) as caught:
        read_records(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_broken_export_is_named(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text('[{"memory": "a"}')
    with pytest.raises(DataError, match=r"export\.json: not JSON"):
        read_records(path)


RECORDS = st.lists(
    st.fixed_dictionaries(
        {"text": st.text(st.characters(codec="utf-8", exclude_characters="\u2028\u2029\x85"), max_size=20)},
        optional={
            "time": st.sampled_from([1683554160, "2023-05-08", "1:56 pm on 8 May, 2023"]),
            "sources": st.lists(st.text("ab", max_size=2), unique=True, max_size=3),
            "embedding": st.just([0.0, 1.0]),
            "mood": st.sampled_from(["glad", None, 3, ["x"]]),
        },
    ),
    max_size=5,
)


@given(RECORDS, st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, raw: list[Any], given: bool) -> None:
    path = tmp_path_factory.mktemp("round") / "in.jsonl"
    records = parse_records(enumerate(raw, 1), where="raw", place="entry")
    with_vectors = given and all(record.embedding for record in records)
    path.write_text(output_lines(records, memory_of(records, with_vectors=with_vectors), with_vectors=with_vectors))
    again = read_records(path)
    assert [(r.id, r.text, r.given_time, r.sources, r.members, r.rest) for r in again] == [
        (r.id, r.text, r.given_time, r.sources, r.members, r.rest) for r in records
    ]
    assert all((record.embedding is not None) == with_vectors for record in again)


def test_a_memory_without_an_id_gets_one_that_nobody_gave(tmp_path: Path) -> None:
    first, second = read(tmp_path, {"text": "a", "id": "2"}, {"text": "b"})
    assert first.id == "2"
    assert second.id == "line 2"
