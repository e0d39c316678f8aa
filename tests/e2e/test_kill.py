"""A kill at any moment, then the same command, gives the same bytes as an undisturbed run; rivals both end well."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.desk import SMALL, STALLING, Desk, memories, results, stages

QUESTIONS = 20


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Results and artifacts of a run that nobody disturbed."""
    desk = Desk(tmp_path_factory.mktemp("undisturbed"))
    run = desk.finish(*STALLING)
    assert stages(run)["search"]["computed"] == QUESTIONS
    return results(run), memories(desk.outputs)


def unfinished_records(desk: Desk) -> Path:
    """The records of the one attempt that was killed."""
    (path,) = (desk.outputs / "runs").glob("*/questions.jsonl")
    return path


@pytest.mark.parametrize("call", ["embed:2", "wave:1", "search:30"])
def test_a_killed_run_ends_like_an_undisturbed_one(
    desk: Desk, undisturbed: tuple[dict[str, bytes], dict[str, bytes]], call: str
) -> None:
    desk.kill_at(call, *STALLING)
    run = desk.finish(*STALLING)
    assert (results(run), memories(desk.outputs)) == undisturbed
    assert [path.name for path in desk.outputs.rglob(".*")] == []


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, Path]:
    """A run killed after 7 of 20 questions, in the middle of a line, and finished by the same command."""
    desk = Desk(tmp_path_factory.mktemp("resumed"))
    desk.kill_at("search:8", *STALLING)
    records = unfinished_records(desk)
    assert records.read_bytes().count(b"\n") == 7
    with records.open("ab") as stream:
        stream.write(b'{"question": "u')
    return desk, desk.finish(*STALLING)


def test_a_run_killed_within_a_question_ends_like_an_undisturbed_one(
    resumed: tuple[Desk, Path], undisturbed: tuple[dict[str, bytes], dict[str, bytes]]
) -> None:
    desk, run = resumed
    assert (results(run), memories(desk.outputs)) == undisturbed


def test_only_the_questions_that_are_missing_are_searched(resumed: tuple[Desk, Path]) -> None:
    search = stages(resumed[1])["search"]
    assert (search["cached"], search["computed"]) == (7, 13)


def test_what_was_built_and_compressed_before_a_kill_is_not_computed_again(resumed: tuple[Desk, Path]) -> None:
    done = stages(resumed[1])
    assert (done["build"]["computed"], done["compress"]["computed"]) == (0, 0)


def test_nothing_of_a_killed_attempt_remains(resumed: tuple[Desk, Path]) -> None:
    desk, run = resumed
    assert run in (desk.outputs / "runs").iterdir()
    assert [path.name for path in (desk.outputs / "runs").iterdir() if "partial" in path.name] == []


@pytest.mark.slow
def test_a_kill_of_the_second_attempt_keeps_the_questions_of_both(
    desk: Desk, undisturbed: tuple[dict[str, bytes], dict[str, bytes]]
) -> None:
    desk.kill_at("search:6", *STALLING)
    desk.kill_at("search:6", *STALLING)
    run = desk.finish(*STALLING)
    assert stages(run)["search"]["cached"] == 10
    assert results(run) == undisturbed[0]


@pytest.mark.slow
@pytest.mark.parametrize("call", ["embed:1", "search:8"])
def test_a_process_that_is_overtaken_by_another_ends_well(desk: Desk, call: str) -> None:
    process, release = desk.stall_at(call, *STALLING)
    run = desk.finish(*STALLING)
    said = release()
    assert (said.code, said.err) == (0, "")
    assert desk.folder / said.folder == run
    assert process.returncode == 0


def test_two_processes_at_once_both_end_well(
    desk: Desk, undisturbed: tuple[dict[str, bytes], dict[str, bytes]]
) -> None:
    processes = [desk.begin(*STALLING) for _ in range(2)]
    said = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, err) for process, (_, err) in zip(processes, said, strict=True)] == [(0, ""), (0, "")]
    (folder,) = {out.splitlines()[-1].removeprefix("run: ") for out, _ in said}
    assert (results(desk.folder / folder), memories(desk.outputs)) == undisturbed


@pytest.mark.slow
def test_kills_at_ten_moments_change_nothing(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> None:
    command = (*SMALL, "dataset.units=4", "compressor=memforest")
    calm = Desk(tmp_path_factory.mktemp("calm"))
    start = time.monotonic()
    expected = calm.finish(*command)
    took = time.monotonic() - start
    for moment in range(1, 11):
        process = desk.begin(*command)
        time.sleep(took * moment / 10)
        process.kill()
        process.communicate()
    run = desk.finish(*command)
    assert results(run) == results(expected)
    assert memories(desk.outputs) == memories(calm.outputs)
