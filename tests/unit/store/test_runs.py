"""Runs: attempts beside, records one by one, publication by rename, rivals, recovery, finding."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memforest.core.errors import StoreError
from memforest.store.runs import QUESTIONS, RUN, Attempt, RunStore, StoredRun

ASKED = [f"q{number}" for number in range(5)]
ID = "sample-none-0123456789"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    """An empty store."""
    return RunStore(tmp_path)


def records(names: list[str]) -> Iterator[dict[str, Any]]:
    """One record a question."""
    return ({"question": name} for name in names)


def finish(store: RunStore, run_id: str = ID, *, stages: str = "s" * 64, **facts: Any) -> StoredRun:
    """A complete run."""
    attempt = store.start(run_id, stages=stages)
    attempt.resume(ASKED)
    list(attempt.append(records(ASKED)))
    return attempt.publish({"code": {}, "libraries": {}, **facts})


def names(folder: Path) -> list[str]:
    """What lies in it."""
    return sorted(path.name for path in (folder / "runs").iterdir())


def test_a_published_run_is_found_with_its_records(store: RunStore, tmp_path: Path) -> None:
    run = finish(store)
    assert [record["question"] for record in run.records()] == ASKED
    assert store.published(ID) == run == StoredRun(tmp_path / "runs" / ID)
    assert names(tmp_path) == [ID]


def test_a_run_without_its_last_file_is_not_finished(store: RunStore) -> None:
    finish(store)
    (store.published(ID) or pytest.fail()).folder.joinpath(RUN).unlink()
    assert store.published(ID) is None


def test_a_run_of_other_stage_keys_is_there_but_not_fresh(store: RunStore) -> None:
    finish(store, stages="s" * 64)
    assert store.published(ID) is not None
    assert store.published(ID, stages="t" * 64) is None
    assert store.finished(ID, stages="t" * 64) is None
    assert store.finished(ID, stages="s" * 64) is not None


def test_each_record_is_on_disk_before_the_next_is_asked_for(store: RunStore) -> None:
    attempt = store.start(ID, stages="s" * 64)
    attempt.resume(ASKED)
    for number, _ in enumerate(attempt.append(records(ASKED)), 1):
        assert (attempt.folder / QUESTIONS).read_bytes().count(b"\n") == number


def begun(store: RunStore, *, count: int, stages: str = "s" * 64) -> Attempt:
    """An attempt that died after `count` questions."""
    attempt = store.start(ID, stages=stages)
    there = len(attempt.resume(ASKED))
    list(attempt.append(records(ASKED[there:count])))
    return attempt


@pytest.mark.parametrize(
    ("tail", "kept"),
    [
        (b"", 3),
        (b'{"question":"q3"}', 3),
        (b'{"question":', 3),
        (b"\x00\x00\x00\n", 3),
        (b"\xff\n", 3),
        (b"[]\n", 3),
        (b'{"question":"q4"}\n', 3),
        (b"{}\n", 3),
        (b'{"question":"q3"}\n{"question":"q4"}\n{"question":"q5"}\n', 5),
    ],
)
def test_whole_records_in_order_are_kept_and_the_rest_is_removed(store: RunStore, tail: bytes, kept: int) -> None:
    with (begun(store, count=3).folder / QUESTIONS).open("ab") as stream:
        stream.write(tail)
    attempt = store.start(ID, stages="s" * 64)
    assert [record["question"] for record in attempt.resume(ASKED)] == ASKED[:kept]
    lines = (attempt.folder / QUESTIONS).read_bytes()
    assert lines.endswith(b"\n")
    assert lines.count(b"\n") == kept


@pytest.mark.parametrize("text", ["a\u2028b", "a\x85b", "a\x0cb", "a\nb"])
def test_a_record_with_an_unusual_line_end_in_it_is_one_record(store: RunStore, text: str) -> None:
    attempt = store.start(ID, stages="s" * 64)
    attempt.resume([text])
    list(attempt.append(records([text])))
    assert store.start(ID, stages="s" * 64).resume([text]) == [{"question": text}]
    assert attempt.publish({}).records() == [{"question": text}]


def test_the_longest_attempt_is_continued(store: RunStore) -> None:
    begun(store, count=3)
    begun_later = store.start(ID, stages="s" * 64)
    (begun_later.folder / QUESTIONS).write_bytes(b"")
    assert len(store.start(ID, stages="s" * 64).resume(ASKED)) == 3


def test_an_attempt_of_other_stage_keys_is_not_continued(store: RunStore) -> None:
    begun(store, count=3, stages="t" * 64)
    assert store.start(ID, stages="s" * 64).resume(ASKED) == []


def test_two_attempts_never_write_one_folder(store: RunStore) -> None:
    assert store.start(ID, stages="s" * 64).folder != store.start(ID, stages="s" * 64).folder


def test_publishing_replaces_a_stale_run_and_cleans_up(store: RunStore, tmp_path: Path) -> None:
    finish(store, stages="t" * 64)
    begun(store, count=2)
    run = finish(store, stages="s" * 64)
    assert run.read(RUN)["stages"] == "s" * 64
    assert names(tmp_path) == [ID]


def test_the_rival_that_was_first_stays(store: RunStore, tmp_path: Path) -> None:
    late = begun(store, count=5)
    early = begun(store, count=5)
    early.publish({"who": "early"})
    late.publish({"who": "late"})
    assert (store.published(ID) or pytest.fail()).read(RUN)["who"] == "early"
    assert names(tmp_path) == [ID]


def test_a_rival_that_publishes_does_not_disturb_one_at_work(store: RunStore) -> None:
    slow = store.start(ID, stages="s" * 64)
    finish(store)
    slow.resume(ASKED)
    list(slow.append(records(ASKED)))
    assert slow.publish({}).id == ID


@pytest.mark.parametrize("stale", [False, True])
def test_a_rival_that_publishes_within_publish_is_no_error(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, stale: bool
) -> None:
    if stale:
        finish(store, stages="t" * 64)
    mine, rival = begun(store, count=5), begun(store, count=5)
    rename, ahead = Path.rename, [True]

    def rival_first(self: Path, target: Path) -> Path:
        if self == mine.folder and ahead.pop():
            ahead.append(False)
            rival.publish({"who": "rival"})
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", rival_first)
    assert mine.publish({"who": "mine"}).id == ID


def test_a_rival_that_finishes_before_the_old_run_is_moved_keeps_its_place(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(store, stages="t" * 64)
    mine, rival = begun(store, count=5), begun(store, count=5)
    rename, ahead = Path.rename, iter([True])

    def rival_first(self: Path, target: Path) -> Path:
        if self == tmp_path / "runs" / ID and next(ahead, False):
            rival.publish({"who": "rival"})
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", rival_first)
    assert mine.publish({"who": "mine"}).read(RUN)["who"] == "rival"
    assert names(tmp_path) == [ID]


def test_what_a_rival_has_moved_away_already_is_no_error(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = finish(store, stages="t" * 64)
    mine = begun(store, count=5)
    rename, ahead = Path.rename, iter([True])

    def moved_first(self: Path, target: Path) -> Path:
        if self == old.folder and next(ahead, False):
            rename(self, tmp_path / "elsewhere")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", moved_first)
    assert mine.publish({"who": "mine"}).read(RUN)["who"] == "mine"


def test_a_rival_that_puts_back_what_both_found_is_no_error(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finish(store)
    rename, ahead = Path.rename, iter([True])
    holder = run.folder.with_name(f"{ID}.replaced-x")
    holder.mkdir()
    rename(run.folder, holder / ID)

    def put_back_first(self: Path, target: Path) -> Path:
        if target == run.folder and next(ahead, False):
            rename(self, target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", put_back_first)
    assert [found.id for found in store.all()] == [ID]


def test_a_kill_between_the_two_renames_loses_nothing(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(store, stages="t" * 64, who="old")
    attempt = begun(store, count=5)
    rename = Path.rename

    def killed(self: Path, target: Path) -> Path:
        if self == attempt.folder and not target.exists():
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        attempt.publish({"who": "new"})
    monkeypatch.setattr(Path, "rename", rename)
    assert store.published(ID) is None
    again = store.start(ID, stages="s" * 64)
    assert (store.published(ID) or pytest.fail()).read(RUN)["who"] == "old"
    assert len(again.resume(ASKED)) == 5
    assert again.publish({"who": "new"}).read(RUN)["who"] == "new"
    assert names(tmp_path) == [ID]


def test_a_run_moved_away_by_a_killed_process_is_still_listed(store: RunStore, tmp_path: Path) -> None:
    run = finish(store)
    holder = tmp_path / "runs" / f"{ID}.replaced-x"
    holder.mkdir()
    run.folder.rename(holder / ID)
    assert [found.id for found in store.all()] == [ID]


def test_unfinished_runs_are_listed_with_their_questions_and_finished_ones_are_not(store: RunStore) -> None:
    begun(store, count=2)
    begun(store, count=3)
    assert store.unfinished() == {ID: 3}
    assert store.all() == []
    finish(store)
    assert store.unfinished() == {}
    assert [run.id for run in store.all()] == [ID]


@pytest.mark.parametrize("name", [ID, "none", "0123456789"])
def test_a_run_is_found_by_its_id_or_by_a_part_of_it(store: RunStore, name: str) -> None:
    finish(store)
    finish(store, "sample-tome-9999999999")
    assert store.find(name).id == ID


def test_a_run_is_found_by_its_folder(store: RunStore, tmp_path: Path) -> None:
    finish(store)
    assert store.find(str(tmp_path / "runs" / ID)).id == ID


def test_an_id_that_is_a_part_of_another_is_not_ambiguous(store: RunStore) -> None:
    finish(store, "run-1")
    finish(store, "run-10")
    assert store.find("run-1").id == "run-1"


def test_an_ambiguous_part_lists_the_runs(store: RunStore) -> None:
    finish(store, "run-1")
    finish(store, "run-2")
    with pytest.raises(StoreError, match="fits 2 runs: run-1, run-2"):
        store.find("run")


def test_a_name_of_an_unfinished_run_says_so(store: RunStore) -> None:
    begun(store, count=1)
    with pytest.raises(StoreError, match="unfinished"):
        store.find("none")


def test_a_damaged_file_of_a_run_is_named(store: RunStore) -> None:
    run = finish(store)
    (run.folder / QUESTIONS).write_text("{}")
    with pytest.raises(StoreError, match=r"questions\.jsonl cannot be read \(it was changed after the run\)"):
        run.records()
    (run.folder / RUN).write_text("{")
    with pytest.raises(StoreError, match=RUN):
        run.read(RUN)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"code": {"memforest.core.order": "0" * 64}}, "memforest.core.order"),
        ({"code": {"memforest.gone": "0" * 64}}, "memforest.gone"),
        ({"libraries": {"numpy": "0.1"}}, "numpy"),
    ],
)
def test_changes_name_edited_and_lost_modules_and_libraries(
    store: RunStore, change: dict[str, Any], named: str
) -> None:
    assert named in finish(store, **change).changes()


def test_runs_are_complete_json(store: RunStore) -> None:
    run = finish(store, who="me")
    recorded = json.loads((run.folder / RUN).read_bytes())
    assert list(recorded.pop("files")) == [QUESTIONS]
    assert recorded == {"code": {}, "libraries": {}, "who": "me", "attempts": 1, "stages": "s" * 64}


@pytest.mark.parametrize(("process", "kept"), [(os.getppid(), True), (2**22 + 1, False)])
def test_an_attempt_of_a_living_process_outlives_its_rival(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, process: int, kept: bool
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: process)
        folder = store.start(ID, stages="s" * 64).folder
    finish(store)
    assert folder.exists() is kept


@pytest.mark.parametrize(("age", "kept"), [(10, True), (7200, False)])
def test_an_attempt_of_another_machine_is_removed_when_it_has_rested_for_an_hour(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, age: int, kept: bool
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(socket, "gethostname", lambda: "elsewhere")
        folder = store.start(ID, stages="s" * 64).folder
    os.utime(folder, (time.time() - age,) * 2)
    finish(store)
    assert folder.exists() is kept


FAILED = {"compress": 2, "answer": 1}


def test_a_run_with_failed_calls_is_there_and_not_finished(store: RunStore) -> None:
    run = finish(store, retryable_failures=FAILED)
    assert run.retryable == FAILED
    assert store.published(ID, stages="s" * 64) == run
    assert store.finished(ID, stages="s" * 64) is None
    assert store.unfinished() == {}
    assert [found.id for found in store.all()] == [ID]


@pytest.mark.parametrize("again", [FAILED, {}])
def test_another_attempt_takes_the_place_of_one_with_failed_calls(
    store: RunStore, tmp_path: Path, again: dict[str, int]
) -> None:
    finish(store, retryable_failures=FAILED)
    run = finish(store, retryable_failures=again)
    assert (run.retryable, run.attempts) == (again, 2)
    assert (store.finished(ID, stages="s" * 64) is None) == bool(again)
    assert names(tmp_path) == [ID]


def test_a_rival_without_failed_calls_stays(store: RunStore) -> None:
    late = begun(store, count=5)
    early = begun(store, count=5)
    early.publish({"who": "early", "retryable_failures": {}})
    assert late.publish({"who": "late", "retryable_failures": FAILED}).read(RUN)["who"] == "early"


def test_attempts_are_counted_anew_when_the_stage_keys_change(store: RunStore) -> None:
    finish(store, stages="t" * 64, retryable_failures=FAILED)
    assert finish(store, stages="s" * 64).attempts == 1


def test_records_that_rest_on_unfinished_memories_are_not_taken_over(store: RunStore) -> None:
    attempt = begun(store, count=2)
    attempt.begin_anew()
    assert attempt.resume(ASKED) == []
    list(attempt.append(records(ASKED[:4])))
    later = store.start(ID, stages="s" * 64)
    assert later.resume(ASKED) == []
    attempt.append(records(ASKED[4:]))
    assert sorted(path.name for path in attempt.publish({}).folder.iterdir()) == [QUESTIONS, RUN]
