"""`memforest compress` of a Mem0 store: a folder in, a smaller one beside it, and the original stays as it was."""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import pickle
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.cli import main
from memforest.core.errors import DataError
from memforest.core.types import target_count
from memforest.exchange.qdrant_points import read_point
from tests.unit.exchange.stores import (
    SparseVector,
    blob,
    fingerprint,
    key,
    point,
    points_of,
    qdrant,
    rows_of,
    store,
    table,
)


def angle(degrees: float, *, length: float = 3.0) -> list[float]:
    return [length * math.cos(math.radians(degrees)), length * math.sin(math.radians(degrees))]


FOUR = [
    point(1, "Ada lives in Oslo.", angle(0), mood="glad"),
    point(2, "Ada has a cat.", angle(90)),
    point(3, "Ada plays chess.", angle(200)),
    point(4, "Ada moved to Rome.", angle(4), mood="tired", updated_at="2024-02-02T00:00:00+00:00"),
]
"""Of these the first and the last are most similar."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return store(tmp_path / "store", {"mem0": FOUR})


def run(source: Path, out: Path, *extra: str, method: str = "tome", ratio: str = "0.25") -> None:
    main(["compress", str(source), "--method", method, "--ratio", ratio, "--out", str(out), *extra])


def refused(capsys: pytest.CaptureFixture[str], source: Path, out: Path, *extra: str) -> str:
    with pytest.raises(SystemExit) as caught:
        run(source, out, *extra)
    assert caught.value.code == 1
    return capsys.readouterr().err


def report(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(Path(f"{out}.report.json").read_text())
    return loaded


def test_a_merged_point_has_text_hash_and_lineage_of_its_own_and_the_rest_of_the_newer(
    source: Path, tmp_path: Path
) -> None:
    run(source, tmp_path / "out")
    merged = next(fields for fields in points_of(tmp_path / "out") if "merged_from" in fields["payload"])
    text = "Ada lives in Oslo. Ada moved to Rome."
    assert merged["payload"] == {
        "data": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "user_id": "ada",
        "timestamp": "1:00 pm on 4 May, 2023",
        "created_at": "2024-01-01T00:00:00+00:00",
        "mood": "tired",
        "updated_at": "2024-02-02T00:00:00+00:00",
        "merged_from": [FOUR[0]["id"], FOUR[3]["id"]],
    }
    assert uuid.UUID(merged["id"]) not in {uuid.UUID(fields["id"]) for fields in FOUR}
    assert merged["vector"] == pytest.approx(angle(2, length=1), abs=1e-6)


def test_no_time_of_change_is_made_up(tmp_path: Path) -> None:
    pair = [point(1, "a", angle(0)), point(2, "b", angle(1))]
    source = store(tmp_path / "store", {"mem0": pair})
    run(source, tmp_path / "out", ratio="0.5")
    (merged,) = points_of(tmp_path / "out")
    assert "updated_at" not in merged["payload"]


def test_what_was_not_merged_is_the_same_to_the_byte_and_in_its_place(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    before, after = rows_of(source), rows_of(tmp_path / "out")
    assert [row in before for row in after] == [True, True, False]
    assert after[:2] == before[1:3]


def test_ratio_zero_is_the_same_store(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out", ratio="0")
    assert rows_of(tmp_path / "out") == rows_of(source)
    assert (tmp_path / "out" / "meta.json").read_bytes() == (source / "meta.json").read_bytes()


@pytest.mark.parametrize("method", ["memforest", "tome", "kmeans", "random"])
def test_the_original_is_never_changed_nor_left_with_another_file(source: Path, tmp_path: Path, method: str) -> None:
    (source / "notes.txt").write_text("a user's own")
    before = fingerprint(source)
    run(source, tmp_path / "out", method=method, ratio="0.5")
    assert fingerprint(source) == before
    assert (tmp_path / "out" / "notes.txt").read_text() == "a user's own"
    assert not (tmp_path / "out" / ".lock").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.report.json", "store"]


def test_a_store_that_may_only_be_read_is_enough(source: Path, tmp_path: Path) -> None:
    for path in [*source.rglob("*"), source]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    run(source, tmp_path / "out")
    assert len(points_of(tmp_path / "out")) == 3
    for path in [source, *source.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.7])
def test_each_user_is_a_memory_with_its_own_exact_count(tmp_path: Path, ratio: float) -> None:
    counts = {"ada": 7, "ben": 4, "cyd": 1}
    points = [
        point(number, f"text {number}", angle(37 * number), user_id=user)
        for number, user in enumerate((user for user, count in counts.items() for _ in range(count)), 1)
    ]
    source = store(tmp_path / "store", {"mem0": points})
    run(source, tmp_path / "out", ratio=str(ratio))
    users = [fields["payload"]["user_id"] for fields in points_of(tmp_path / "out")]
    assert {user: users.count(user) for user in counts} == {
        user: target_count(count=count, ratio=ratio) for user, count in counts.items()
    }
    facts = report(tmp_path / "out")
    assert [part["user_id"] for part in facts["parts"]] == list(counts)
    assert facts["before"]["nodes"] == 12
    assert facts["after"]["nodes"] == len(users) == facts["target"]


def test_memories_of_different_scopes_are_never_merged(tmp_path: Path) -> None:
    points = [
        point(1, "a", angle(0), agent_id="x"),
        point(2, "b", angle(0), agent_id="y"),
        point(3, "c", angle(0), run_id="x"),
        point(4, "d", angle(0)),
    ]
    source = store(tmp_path / "store", {"mem0": points})
    run(source, tmp_path / "out", ratio="0.5")
    assert rows_of(tmp_path / "out") == rows_of(source)


def test_all_original_ids_are_behind_the_points_also_after_a_second_time(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "half", ratio="0.5")
    run(tmp_path / "half", tmp_path / "less", ratio="0.5")
    (left,) = points_of(tmp_path / "less")
    assert sorted(left["payload"]["merged_from"]) == [fields["id"] for fields in FOUR]


def test_the_same_command_gives_the_same_points(source: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run(source, tmp_path / name, method="memforest", ratio="0.5")
    assert rows_of(tmp_path / "a") == rows_of(tmp_path / "b")


def test_nothing_of_a_merged_away_text_stays_in_the_file(tmp_path: Path) -> None:
    points = [point(1, "the secret word", angle(0)), point(2, "b", angle(90)), point(3, "c", angle(180))]
    source = store(tmp_path / "store", {"mem0": points})
    run(source, tmp_path / "out", method="kmeans", ratio="0.6")
    if any("secret" in fields["payload"]["data"] for fields in points_of(tmp_path / "out")):
        pytest.fail("choose another ratio: the text must be one that is dropped")
    assert b"secret" not in table(tmp_path / "out").read_bytes()


def test_named_vectors_lose_the_sparse_one_with_their_text_and_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = [
        point(
            number,
            f"t{number}",
            {"": angle(turn), "bm25": SparseVector(indices=[1], values=[0.5])},
            text_lemmatized="x",
        )
        for number, turn in ((1, 0), (2, 1), (3, 170))
    ]
    source = store(tmp_path / "store", {"mem0": points})
    run(source, tmp_path / "out", ratio="0.3")
    merged, kept = points_of(tmp_path / "out")
    assert list(merged["vector"]) == [""]
    assert merged["payload"]["text_lemmatized"] == "t1 t2"
    assert kept["vector"]["bm25"].fields == {"indices": [1], "values": [0.5]}
    assert "1 merged memories have no sparse vector for keyword search" in capsys.readouterr().out


def entity(number: int, name: str, links: list[str], vector: Any = None) -> dict[str, Any]:
    payload = {"data": name, "entity_type": "PERSON", "linked_memory_ids": links, "user_id": "ada"}
    return {"id": str(uuid.UUID(int=number)), "vector": vector or {"": angle(1)}, "payload": payload}


def test_entities_link_what_now_stands_for_their_memories(tmp_path: Path) -> None:
    ids = [fields["id"] for fields in FOUR]
    sparse = {"": angle(1), "bm25": SparseVector(indices=[1], values=[0.5])}
    entities = [entity(8, "Oslo", ids[:1], sparse), entity(9, "Ada", ids)]
    source = store(tmp_path / "store", {"mem0": FOUR, "mem0_entities": entities})
    run(source, tmp_path / "out")
    by_text = {fields["payload"]["data"]: fields["id"] for fields in points_of(tmp_path / "out")}
    oslo, ada = points_of(tmp_path / "out", "mem0_entities")
    assert oslo["payload"]["linked_memory_ids"] == [by_text["Ada lives in Oslo. Ada moved to Rome."]]
    assert ada["payload"]["linked_memory_ids"] == sorted(by_text.values())
    assert oslo["vector"]["bm25"].fields == {"indices": [1], "values": [0.5]}
    assert report(tmp_path / "out")["before"]["nodes"] == 4


def test_an_entity_of_dropped_memories_goes_with_them(tmp_path: Path) -> None:
    points = [point(1, "a", angle(0)), point(2, "b", angle(90)), point(3, "c", angle(180))]
    entities = [entity(10 + number, f"e{number}", [fields["id"]]) for number, fields in enumerate(points)]
    source = store(tmp_path / "store", {"mem0": points, "mem0_entities": entities})
    run(source, tmp_path / "out", method="random", ratio="0.6")
    (left,) = points_of(tmp_path / "out")
    (linked,) = points_of(tmp_path / "out", "mem0_entities")
    assert linked["payload"]["linked_memory_ids"] == [left["id"]]


def test_what_holds_no_memory_stays(tmp_path: Path) -> None:
    identity = {"id": str(uuid.UUID(int=9)), "vector": [0.1, 0.1], "payload": {"type": "user_identity"}}
    source = store(tmp_path / "store", {"mem0": [*FOUR, identity], "mem0migrations": [identity]})
    run(source, tmp_path / "out", ratio="0.5")
    assert rows_of(source)[-1] in rows_of(tmp_path / "out")
    assert rows_of(tmp_path / "out", "mem0migrations") == rows_of(source, "mem0migrations")


def test_of_two_rows_of_one_id_the_later_counts(source: Path, tmp_path: Path) -> None:
    again = FOUR[0] | {"id": FOUR[0]["id"].replace("-", ""), "payload": FOUR[0]["payload"] | {"data": "later"}}
    with closing(sqlite3.connect(table(source))) as opened, opened:
        opened.execute("INSERT INTO points VALUES (?, ?)", (key(again["id"]), blob(again)))
    run(source, tmp_path / "out", ratio="0")
    assert [fields["payload"]["data"] for fields in points_of(tmp_path / "out")].count("later") == 1
    assert len(points_of(tmp_path / "out")) == 4


def test_without_an_event_time_the_time_of_the_import_counts(tmp_path: Path) -> None:
    points = [
        point(1, "newer", angle(0), timestamp=..., created_at="2024-01-02T00:00:00+00:00"),
        point(2, "older", angle(0), timestamp=..., created_at="2024-01-01T00:00:00+00:00"),
    ]
    source = store(tmp_path / "store", {"mem0": points})
    run(source, tmp_path / "out", ratio="0.5")
    assert points_of(tmp_path / "out")[0]["payload"]["data"] == "older newer"


def test_a_time_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = store(tmp_path / "store", {"mem0": [point(1, "a", angle(0), timestamp="soon")]})
    assert "collection mem0, ada, memory 1, time: cannot read the time 'soon'" in refused(
        capsys, source, tmp_path / "o"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_an_embedder_of_another_length_is_refused_and_one_of_the_same_embeds_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = store(tmp_path / "store", {"mem0": FOUR})
    error = refused(capsys, source, tmp_path / "out", "--embedder", "hashing")
    assert "the collection mem0 holds vectors of 2 numbers, and the embedder makes" in error
    run(source, tmp_path / "out", "--embedder", "hashing", "embedder.buckets=2")
    before = [fields["vector"] for fields in FOUR]
    assert not any(fields["vector"] in before for fields in points_of(tmp_path / "out"))


def test_vectors_that_are_not_compared_by_cosine_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = store(tmp_path / "store", {"mem0": FOUR}, distance="Dot")
    assert "must be compared by cosine, as Mem0 does, not Dot" in refused(capsys, source, tmp_path / "out")


class Exploit:
    """A pickle that calls something."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self._path),))


def test_a_pickle_that_asks_for_anything_else_is_refused_and_not_run(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for evil in (
        pickle.dumps(Exploit(tmp_path / "ran")),
        blob(FOUR[0] | {"payload": {"data": Exploit(tmp_path / "ran")}}),
    ):
        with closing(sqlite3.connect(table(source))) as opened, opened:
            opened.execute("INSERT OR REPLACE INTO points VALUES (?, ?)", ("evil", evil))
        error = refused(capsys, source, tmp_path / "out")
        assert "collection mem0, row" in error
        assert "no point that can be read safely (it holds posix.mkdir)" in error
        assert not (tmp_path / "ran").exists()
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a pickle",
        pickle.dumps({"id": 1}),
        pickle.dumps([1]),
        b"cqdrant_client.http.models.models\nPointStruct\n)R.",
        b"cqdrant_client.http.models.models\nPointStruct\n(I1\ntR.",
        b"cqdrant_client.http.models.models\nPointStruct\n)\x81}b.",
        b"cqdrant_client.http.models.models\nUpdateResult\n.",
        b"cqdrant_client.http.models.models\nPointStruct.__init__.__globals__\n.",
    ],
)
def test_what_is_no_point_is_an_error(content: bytes) -> None:
    with pytest.raises(DataError, match="here: no point"):
        read_point("key", content, where="here")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_point_or_an_error(content: bytes) -> None:
    with pytest.raises(DataError):
        read_point("key", content, where="here")


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), plain, max_size=4), st.booleans())
def test_a_changed_point_is_read_by_qdrants_classes_as_it_was_meant(payload: dict[str, Any], named: bool) -> None:
    sparse = SparseVector(indices=[3], values=[0.25])
    fields = {"id": "x", "vector": {"": [1.0, 2.0], "bm25": sparse} if named else [1.0, 2.0], "payload": {}}
    changed = read_point("key", blob(fields), where="").with_payload(payload).with_vector([3.0, 4.0])
    with qdrant():
        again = pickle.loads(changed.row()[1]).fields
    assert again["payload"] == payload
    dense = again["vector"][""] if named else again["vector"]
    assert dense == [3.0, 4.0]
    assert not named or again["vector"]["bm25"].fields == sparse.fields


def test_a_store_that_is_open_is_refused(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (source / ".lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "is open in another program; close it first" in refused(capsys, source, tmp_path / "out")


def test_a_folder_that_is_no_store_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder").mkdir()
    error = refused(capsys, tmp_path / "folder", tmp_path / "out")
    assert "no local Qdrant store of Mem0: it has no meta.json" in error
    (tmp_path / "folder" / "meta.json").write_text("[]")
    assert "meta.json does not describe collections" in refused(capsys, tmp_path / "folder", tmp_path / "out")
    (tmp_path / "folder" / "meta.json").write_text('{"collections": {}}')
    assert "hold no memories of Mem0" in refused(capsys, tmp_path / "folder", tmp_path / "out")


def test_a_damaged_table_is_named(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(source).write_bytes(b"x" * 5000)
    assert "collection mem0: storage.sqlite cannot be read" in refused(capsys, source, tmp_path / "out")


@pytest.mark.parametrize("place", ["store", "store/inside", "store/../store", "."])
def test_nothing_is_ever_written_into_the_store(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    before = fingerprint(source)
    refused(capsys, source, tmp_path / place, "--force", "--report", str(tmp_path / "report.json"))
    if place != ".":
        refused(capsys, source, tmp_path / "out", "--force", "--report", str(tmp_path / place))
    assert fingerprint(source) == before
    assert not (tmp_path / "out").exists()


def test_a_folder_is_never_replaced_not_even_with_force(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "own").write_text("a user's own")
    assert "a folder is never replaced" in refused(capsys, source, tmp_path / "out", "--force")
    assert (tmp_path / "out" / "own").read_text() == "a user's own"
