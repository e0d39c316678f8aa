"""Mem0's exports as memories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.mem0_export import read_export
from memforest.core.errors import ConfigError, DataError
from memforest.core.protocols import NotRunnable
from memforest.core.times import parse_time
from memforest.core.types import Memory, Unit
from memforest.embedding.hashing import Hashing
from tests.builders import session, unit
from tests.unit.backbones.mem0_parts import mem0

EMBEDDER = Hashing(buckets=16)
TIMES = ("1:00 pm on 1 May, 2023", "2:00 pm on 2 May, 2023")


def record(id: str, stamp: str | None = TIMES[0], **changes: Any) -> dict[str, Any]:
    row = {"id": id, "memory": f"memory {id}", "user_id": "someone", "created_at": "2025-09-24T00:00:00Z"}
    return row | {"metadata": {"timestamp": stamp}, "categories": None} | changes


def exported(folder: Path, name: str, *records: dict[str, Any]) -> Path:
    path = folder / name
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path


def conversation(**changes: Any) -> Unit:
    sessions = [session(number, time=parse_time(time, where="")) for number, time in enumerate(TIMES, 1)]
    return unit(sessions, index=3, **changes)


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    """Newest first, as the platform writes them."""
    exported(tmp_path, "Ada_3.json", record("a4", TIMES[1]), record("a3"), record("a2", TIMES[1]), record("a1"))
    exported(tmp_path, "Ben_3.json", record("b2", TIMES[1]), record("b1"))
    return tmp_path


def build(folder: Path, scope: str = "per_speaker", made: Unit | None = None) -> list[Memory]:
    return mem0(export_dir=str(folder), scope=scope).build(unit=made or conversation(), embedder=EMBEDDER)


def ids(memory: Memory) -> list[str]:
    return [node.id for node in memory.nodes]


def test_insertion_order_is_event_time_and_within_one_time_the_export_reversed(exports: Path) -> None:
    assert [item.id for item in read_export(exports / "Ada_3.json")] == ["a1", "a3", "a2", "a4"]


def test_per_speaker_gives_one_memory_each_in_the_order_of_the_speakers(exports: Path) -> None:
    ada, ben = build(exports)
    assert (ada.id, ben.id) == ("u/Ada", "u/Ben")
    assert (ids(ada), ids(ben)) == (["a1", "a3", "a2", "a4"], ["b1", "b2"])


def test_pooled_gives_one_memory_by_time_then_speaker(exports: Path) -> None:
    (both,) = build(exports, "pooled")
    assert both.id == "u"
    assert ids(both) == ["a1", "a3", "b1", "a2", "a4", "b2"]


def test_sources_are_the_sessions_of_the_event_time(exports: Path) -> None:
    ada, _ = build(exports)
    assert ada.source_level == "session"
    assert [node.sources for node in ada.nodes] == [("D1",), ("D1",), ("D2",), ("D2",)]


def test_a_memory_whose_time_is_no_sessions_has_no_source(exports: Path) -> None:
    exported(exports, "Ben_3.json", record("b1", "3:00 pm on 3 May, 2023"))
    assert build(exports)[1].nodes[0].sources == ()


def test_the_time_is_the_event_time_and_not_that_of_the_import(exports: Path) -> None:
    assert build(exports)[0].nodes[0].time == parse_time(TIMES[0], where="")


def test_missing_exports_make_a_unit_not_runnable_and_are_named(exports: Path) -> None:
    backbone = mem0(export_dir=str(exports))
    found = backbone.inputs(unit=conversation(speakers=("Ada", "Cyd"), id="u9"))
    assert found == NotRunnable("u9", "no export Cyd_3.json in backbone.export_dir")


def test_an_export_of_another_conversation_is_not_taken(exports: Path) -> None:
    (exports / "Ben_3.json").rename(exports / "Ben_4.json")
    found = mem0(export_dir=str(exports)).inputs(unit=conversation())
    assert isinstance(found, NotRunnable)


@pytest.mark.parametrize(
    "name", ["../secret", "sub/secret", "/etc/secret", "..", "Ada_3.json/../../secret", "se\0cret"]
)
def test_a_speakers_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "exports"
    (inside / "sub").mkdir(parents=True)
    exported(tmp_path, "secret_3.json", record("s"))
    exported(inside / "sub", "secret_3.json", record("s"))
    exported(inside, "Ada_3.json", record("a"))
    found = mem0(export_dir=str(inside)).inputs(unit=conversation(speakers=("Ada", name)))
    assert isinstance(found, NotRunnable)


def test_the_inputs_follow_the_content_and_nothing_else(exports: Path) -> None:
    def inputs() -> object:
        return mem0(export_dir=str(exports)).inputs(unit=conversation())

    before = inputs()
    exported(exports, "Other_3.json", record("o"))
    assert inputs() == before
    exported(exports, "Ben_3.json", record("b1"))
    assert inputs() != before


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"memory": None}, "record 1: expected an object with `id` and `memory`"),
        ({"metadata": None}, "record 1: `metadata.timestamp`, the event time, is missing"),
        ({"metadata": {}}, "record 1: `metadata.timestamp`, the event time, is missing"),
        ({"metadata": {"timestamp": "soon"}}, "record 1, metadata.timestamp: cannot read the time 'soon'"),
    ],
)
def test_a_bad_record_is_an_error_that_names_file_and_record(
    tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    path = exported(tmp_path, "Ada_3.json", record("a"), record("b", **changes))
    with pytest.raises(DataError) as caught:
        read_export(path)
    assert str(caught.value).startswith(f"{path}, {complaint}")


@pytest.mark.parametrize("metadata", [["x"], "x", 5])
def test_metadata_that_is_no_object_is_an_error_that_names_the_record(tmp_path: Path, metadata: object) -> None:
    with pytest.raises(DataError, match="record 0"):
        read_export(exported(tmp_path, "Ada_3.json", record("a", metadata=metadata)))


@pytest.mark.parametrize(
    "content",
    ["{", "{}", "5", "null", '[{"id": "a", "id": "b"}]', "[" + "9" * 5000 + "]", "[" * 100_000],
    ids=["cut short", "object", "number", "null", "key twice", "long number", "deep"],
)
def test_a_file_that_is_no_export_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "Ada_3.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"Ada_3\.json is not"):
        read_export(path)


def test_an_empty_export_is_an_empty_memory(exports: Path) -> None:
    exported(exports, "Ben_3.json")
    assert len(build(exports)[1]) == 0


def test_one_id_in_two_exports_is_allowed_per_speaker_and_refused_when_pooled(exports: Path) -> None:
    exported(exports, "Ben_3.json", record("a1"))
    assert len(build(exports)) == 2
    with pytest.raises(DataError, match="'a1' occurs twice"):
        build(exports, "pooled")


@pytest.mark.parametrize(
    ("folder", "scope", "complaint"),
    [
        (None, "per_speaker", "backbone.export_dir=DIR"),
        ("missing", "per_speaker", "is not a folder"),
        (".", "both", "backbone.scope must be per_speaker or pooled, got 'both'"),
    ],
)
def test_impossible_settings_are_named(folder: str | None, scope: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        mem0(export_dir=folder, scope=scope)
