"""A merger that waits: failed calls are made again by the same command, and nothing else is."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memforest.report.inspect import list_lines, why_lines
from memforest.store.runs import RunStore, StoredRun
from tests.e2e.desk import PARTS, SMALL, Desk, Said, memories, results, stages, wait_for

WAITING = (*SMALL, "compressor=memforest", "++merger._target_=calling.Calling")
Again = Callable[..., tuple[Said, list[str]]]


@pytest.fixture
def again(
    typed: Callable[..., Said], desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Said, list[str]]]:
    """The same command at `desk`: what it said, and the pairs it called for. `outage` as in `parts.calling`."""
    monkeypatch.syspath_prepend(str(PARTS))
    calls, outage = tmp_path / "calls", tmp_path / "outage"
    monkeypatch.setenv("CALLS", str(calls))
    monkeypatch.setenv("OUTAGE", str(outage))

    def run(*overrides: str, fails: str | None = None) -> tuple[Said, list[str]]:
        calls.write_text("")
        outage.unlink(missing_ok=True)
        if fails:
            outage.write_text(fails)
        said = typed(*WAITING, *overrides)
        assert said.code in (0, 3), said.err
        return said, calls.read_text().splitlines()

    return run


def compressed(desk: Desk) -> list[str]:
    """Names in the store of compressed memories."""
    return sorted(path.name for path in (desk.outputs / "artifacts" / "compress").iterdir())


def test_failed_calls_are_made_again_and_what_succeeded_is_not(
    again: Again, desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said, calls = again()
    calm = (results(desk.folder / said.folder), memories(desk.outputs), set(calls))
    desk.outputs.rename(tmp_path_factory.mktemp("calm") / "outputs")

    said, first = again(fails="retry")
    run = StoredRun(desk.folder / said.folder)
    failed = sum(run.retryable.values())
    assert run.retryable == {"compress": failed} and failed
    assert f"not finished: {failed} merges failed in their calls" in said.out
    assert len([name for name in compressed(desk) if ".incomplete-" in name]) == 2
    assert f"{failed} failed calls" in "\n".join(list_lines(RunStore(desk.outputs)))
    assert "failed calls" in why_lines(run)[-1]

    said, second = again()
    assert f"{failed} failed calls to make again, attempt 2" in said.out
    assert set(second) == calm[2] - {name for name in first if int(name[:8], 16) % 3}
    assert (run.retryable, run.attempts) == ({}, 2)
    assert (results(run.folder), memories(desk.outputs)) == calm[:2]

    said, third = again()
    assert "finished, nothing to compute" in said.out
    assert third == []


def test_calls_that_fail_again_stay_to_be_made(again: Again, desk: Desk) -> None:
    said, first = again(fails="retry")
    before = compressed(desk)
    said, second = again(fails="retry")
    assert set(second) == {name for name in first if int(name[:8], 16) % 3 == 0}
    run = StoredRun(desk.folder / said.folder)
    assert run.attempts == 2
    assert (len(compressed(desk)), compressed(desk)) == (len(before), before)


def test_failures_that_no_call_is_to_blame_for_are_a_result(again: Again, desk: Desk) -> None:
    said, _ = again(fails="final")
    run = StoredRun(desk.folder / said.folder)
    assert run.retryable == {}
    assert json.loads((run.folder / "metrics.json").read_text())["failed_merges"] > 0
    assert not [name for name in compressed(desk) if ".incomplete-" in name]
    said, calls = again()
    assert "finished, nothing to compute" in said.out
    assert calls == []


def test_another_ratio_finds_the_merges_of_an_incomplete_run(again: Again, desk: Desk) -> None:
    _, first = again("ratio=0.7", fails="retry")
    said, second = again("ratio=0.5")
    made = {name for name in first if int(name[:8], 16) % 3}
    assert made and not made & set(second)
    assert stages(desk.folder / said.folder)["compress"]["merges"]["replayed"] > 0


@pytest.mark.slow
def test_a_kill_loses_no_unit_that_was_done(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    process, _ = desk.stall_at("merge:1", *WAITING)
    saved = desk.outputs / "artifacts" / "compress"
    wait_for(lambda: bool(list(saved.glob("*/manifest.json"))), process)
    process.kill()
    process.communicate()
    (tmp_path / "calls").write_text("")
    run = desk.finish(*WAITING)
    assert (stages(run)["compress"]["cached"], stages(run)["compress"]["computed"]) == (1, 1)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == stages(run)["compress"]["merges"]["computed"]
    calm = Desk(tmp_path / "calm")
    calm.folder.mkdir()
    assert (results(run), memories(desk.outputs)) == (results(calm.finish(*WAITING)), memories(calm.outputs))


@pytest.mark.slow
def test_questions_that_met_an_incomplete_memory_are_searched_again(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*WAITING, "++retriever._target_=stalling.StallingTopK")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("OUTAGE", str(tmp_path / "outage"))
    (tmp_path / "outage").write_text("retry")
    desk.kill_at("search:8", *command)
    (tmp_path / "outage").unlink()
    run = desk.finish(*command)
    assert stages(run)["search"]["cached"] == 0
    calm = Desk(tmp_path / "calm")
    calm.folder.mkdir()
    assert (results(run), memories(desk.outputs)) == (results(calm.finish(*command)), memories(calm.outputs))


def test_an_interrupt_ends_the_run_at_once(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("SECONDS", "600")
    process = desk.begin(*WAITING)
    wait_for((tmp_path / "calls").exists, process)
    start = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "interrupted; the same command continues" in err) == (130, True)
    assert time.monotonic() - start < 30
