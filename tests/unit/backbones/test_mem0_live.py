"""Live ingestion with a stand-in for the library: what is asked, what is kept, and what a kill leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.mem0_attempts import ADDS, JOB, SUMMARY, summary_of
from memforest.backbones.mem0_environment import adapter
from memforest.backbones.mem0_live import summary_sentence
from memforest.config.compose import compose
from memforest.config.spec import parse_choice
from memforest.core.errors import BaselineError, ConfigError
from memforest.core.protocols import NotRunnable
from memforest.core.types import Memory, Unit
from memforest.embedding.hashing import Hashing
from tests.builders import session, unit
from tests.mem0_script import TIMES
from tests.unit.backbones.mem0_parts import interpreter, mem0


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter in whose environment the stand-in is installed."""
    monkeypatch.setenv("STANDIN_CALLS", str(tmp_path / "calls.jsonl"))
    monkeypatch.setenv("STANDIN_DIED", str(tmp_path / "died"))
    return interpreter(tmp_path / "python")


def talk(*sessions: Iterable[str], **changes: Any) -> Unit:
    made = [session(number, tuple(texts), time=TIMES[number - 1]) for number, texts in enumerate(sessions, 1)]
    return unit(made, index=3, **changes)


def backbone(python: Path, **changes: Any) -> Any:
    own = {"mode": "live", "python": str(python), "store_dir": str(python.parent / "stores")}
    local = {"llm_base_url": "http://127.0.0.1:9", "embedder_base_url": "http://127.0.0.1:9"}
    return mem0(**{**own, **local, **changes})


def build(python: Path, of: Unit, **changes: Any) -> list[Memory]:
    made: list[Memory] = backbone(python, **changes).build(unit=of, embedder=Hashing(buckets=16))
    return made


def calls(python: Path) -> list[list[dict[str, str]]]:
    path = python.parent / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def folders(python: Path) -> list[str]:
    return sorted(path.name for path in (python.parent / "stores").iterdir())


def summary(python: Path) -> dict[str, Any]:
    (name,) = folders(python)
    loaded: dict[str, Any] = json.loads((python.parent / "stores" / name / SUMMARY).read_bytes())
    return loaded


def facts(memory: Memory) -> list[tuple[str, str, tuple[str, ...], float | None]]:
    return [(node.id, node.text, node.sources, node.time) for node in memory.nodes]


def test_memories_carry_the_session_and_time_of_their_last_change_and_stable_ids(python: Path) -> None:
    ada, ben = build(python, talk(("one", "hello", "two", "hello"), ("change 0 to three", "x", "four", "forget 1")))
    assert (ada.id, ben.id, ada.source_level) == ("u/Ada", "u/Ben", "session")
    assert facts(ada) == [
        ("Ada_3/1", "two", ("D1",), TIMES[0]),
        ("Ada_3/0", "three", ("D2",), TIMES[1]),
        ("Ada_3/2", "four", ("D2",), TIMES[1]),
    ]
    assert [node.text for node in ben.nodes] == ["hello", "x"]
    assert {node.metadata["user_id"] for node in ben.nodes} == {"Ben_3"}


def test_events_are_counted_and_told(python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(python, talk(("one", "hello", "two", "hello"), ("change 0 to three", "x", "four", "forget 1")))
    counted = {"ADD": 6, "DELETE": 1, "UPDATE": 1}
    assert summary(python)["events"] == counted
    assert "notice: mem0 live, unit u: 8 adds, 6 ADD, 1 DELETE, 1 UPDATE, 5 memories left" in capsys.readouterr().err


def test_pooled_mixes_both_speakers_by_time(python: Path) -> None:
    (both,) = build(python, talk(("one", "two"), ("three", "four")), scope="pooled")
    assert [node.text for node in both.nodes] == ["one", "two", "three", "four"]


def test_batches_never_cross_a_session_and_both_views_are_asked(python: Path) -> None:
    build(python, talk(("a", "b", "c"), ("d",)))
    assert [messages[-1]["content"] for messages in calls(python)] == [
        "user: Ada: a\nassistant: Ben: b\n",
        "user: Ada: c\n",
        "assistant: Ada: a\nuser: Ben: b\n",
        "assistant: Ada: c\n",
        "user: Ada: d\n",
        "assistant: Ada: d\n",
    ]


def test_the_batch_size_is_that_of_the_setting(python: Path) -> None:
    build(python, talk(("a", "b", "c")), batch_size=3)
    assert len(calls(python)) == 2


@pytest.mark.parametrize(("wanted", "dates"), [(True, ["2023-05-08", "2023-05-24"]), (False, ["1999-12-31"])])
def test_the_prompt_holds_the_sessions_date_or_the_librarys(python: Path, wanted: bool, dates: list[str]) -> None:
    build(python, talk(("a",), ("b",)), event_time_in_prompt=wanted)
    prompts = [messages[0]["content"] for messages in calls(python)]
    assert [date for date in dates if any(date in prompt for prompt in prompts)] == dates
    assert ("1999" in "".join(prompts)) is not wanted


def test_a_session_without_time_gives_no_timestamp_and_no_date(python: Path) -> None:
    timeless = unit([session(1, ("a",))], index=3)
    timeless = unit([type(timeless.sessions[0])(id="D1", number=1, time=None, turns=timeless.sessions[0].turns)])
    ada, _ = build(python, timeless)
    assert facts(ada) == [("Ada_0/0", "a", ("D1",), None)]
    assert "Today's date is unknown." in calls(python)[0][0]["content"]


def test_a_finished_ingestion_is_not_done_again_and_gives_the_same(python: Path) -> None:
    of = talk(("one", "two"), ("three", "four"))
    first = build(python, of)
    asked = len(calls(python))
    assert [facts(memory) for memory in build(python, of)] == [facts(memory) for memory in first]
    assert len(calls(python)) == asked


def test_a_kill_inside_an_add_undoes_it_and_only_what_is_missing_is_made(python: Path) -> None:
    of = talk(("one", "x", "two", "y"), ("three", "x", "four", "die"))
    with pytest.raises(BaselineError, match="unit u: the library ended with status -9"):
        build(python, of, batch_size=4)
    assert [name.split(".partial-")[1] for name in folders(python)]
    done = len(calls(python))
    assert done == 4
    ada, ben = build(python, of, batch_size=4)
    assert len(calls(python)) - done == 1
    assert [node.text for node in ada.nodes] == ["one", "two", "three", "four"]
    assert [node.text for node in ben.nodes] == ["x", "y", "x", "die"]
    assert summary(python)["adds"] == 4
    assert len(folders(python)) == 1


def test_a_process_that_dies_takes_the_library_with_it(python: Path) -> None:
    program = "import sys, subprocess; subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE).wait()"
    folder = python.parent / "job"
    folder.mkdir()
    (folder / JOB).write_text(json.dumps({"line": 1, "settings": {}, "connection": {}, "adds": []}))
    parked = "import os,runpy,sys,threading\nmodule = runpy.run_path(sys.argv[1])\n"
    parked += "threading.Thread(target=module['_end_with_standard_input']).start()\nprint(os.getpid(), flush=True)\n"
    command = [sys.executable, "-c", program, sys.executable, "-c", parked, str(adapter())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(200):
        if not alive(child):
            return
        time.sleep(0.05)
    raise AssertionError("the library outlived its parent")


def alive(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_two_processes_that_ingest_the_same_at_once_leave_one_store(python: Path) -> None:
    program = "import sys; from pathlib import Path; from tests.unit.backbones import test_mem0_live as t\n"
    program += "t.build(Path(sys.argv[1]), t.talk(('one', 'x', 'two', 'y'), ('three', 'x')))"
    command = [sys.executable, "-c", program, str(python)]
    root = Path(__file__).parents[3]
    processes = [subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in processes:
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    assert summary(python)["adds"] == 6
    asked = len(calls(python))
    ada, _ = build(python, talk(("one", "x", "two", "y"), ("three", "x")))
    assert [node.id for node in ada.nodes] == ["Ada_3/0", "Ada_3/1", "Ada_3/2"]
    assert len(calls(python)) == asked


def test_stopping_where_more_was_skipped_keeps_what_was_skipped(python: Path) -> None:
    of = talk(("one", "x", "break", "y"), ("die", "z"))
    with pytest.raises(BaselineError, match="status -9"):
        build(python, of, on_failure="skip")
    with pytest.raises(BaselineError, match="add 2 of 6"):
        build(python, of)
    asked = len(calls(python))
    build(python, of, on_failure="skip")
    assert len(calls(python)) - asked == 2
    assert summary(python)["failed_adds"] == {"llm: RuntimeError": 1}


REASONS = {
    "break": "llm: RuntimeError",
    "say": "llm: empty reply",
    "say {": "llm: malformed reply",
    "say {}": "llm: reply without facts",
    "say [1]": "llm: reply without facts",
    'say {"facts": 3}': "llm: reply without facts",
    "no vector": "embedder: ValueError",
    "forget 9": "Error processing memory action",
}


@pytest.mark.parametrize(("line", "reason"), list(REASONS.items())[::3])
def test_a_failed_add_ends_the_unit_with_its_reason_and_is_tried_again(python: Path, line: str, reason: str) -> None:
    of = talk(("one", "x"), (line, "y"))
    for _ in range(2):
        with pytest.raises(BaselineError, match=r"backbone\.on_failure=skip") as caught:
            build(python, of)
        assert f"add 3 of 4 failed ({reason}" in str(caught.value)
    assert len(calls(python)) == 4


@pytest.mark.parametrize(("line", "reason"), REASONS.items())
def test_a_skipped_failure_is_counted_once_under_its_first_reason(python: Path, line: str, reason: str) -> None:
    ada, ben = build(python, talk(("one", "x"), (line, "y")), on_failure="skip")
    assert summary(python)["failed_adds"] == {reason: 1}
    assert [node.text for node in ada.nodes] == ["one"]
    assert [node.text for node in ben.nodes] == ["x", "y"]


def test_what_was_skipped_is_not_taken_where_failures_stop(python: Path) -> None:
    of = talk(("one", "x"), ("break", "y"))
    build(python, of, on_failure="skip")
    with pytest.raises(BaselineError):
        build(python, of)


def test_without_failures_stop_and_skip_share_one_ingestion(python: Path) -> None:
    of = talk(("one", "x"))
    build(python, of, on_failure="skip")
    asked = len(calls(python))
    build(python, of)
    assert len(calls(python)) == asked


def test_a_memory_that_the_library_does_not_report_is_kept_and_counted(python: Path) -> None:
    ada, _ = build(python, talk(("one", "x", "quietly", "y")))
    assert [node.text for node in ada.nodes] == ["one", "quietly"]
    assert ada.nodes[1].id == "Ada_3/unreported-1"
    assert (summary(python)["unreported"], summary(python)["missing"]) == (1, 0)


def test_the_summary_tells_what_the_store_has_too_much_and_too_little() -> None:
    def add(*events: tuple[str, str], failures: tuple[str, ...] = ()) -> dict[str, Any]:
        return {
            "events": [{"event": event, "id": id, "memory": "m"} for event, id in events],
            "calls": {"llm": 2},
            "tokens": {"prompt": 5},
            "failures": list(failures),
        }

    adds = [add(("ADD", "a"), ("ADD", "b"), ("ADD", "c")), add(("DELETE", "b"), ("UPDATE", "a"), failures=("x", "y"))]
    facts = summary_of(adds, stored={"u": [{"id": "a"}, {"id": "z"}], "v": []})
    assert facts == {
        "adds": 2,
        "events": {"ADD": 3, "DELETE": 1, "UPDATE": 1},
        "failed_adds": {"x": 1},
        "calls": {"llm": 4},
        "tokens": {"prompt": 10},
        "memories": {"u": 2, "v": 0},
        "unreported": 1,
        "missing": 1,
    }
    assert summary_sentence(facts, unit_id="u1") == (
        "mem0 live, unit u1: 2 adds, 3 ADD, 1 DELETE, 1 UPDATE, 2 memories left; failed adds: 1 (x: 1); "
        "memories unreported: 1; memories missing: 1"
    )


def test_a_unit_without_history_starts_nothing(python: Path) -> None:
    assert [len(memory) for memory in build(python, unit([]))] == [0, 0]
    assert not (python.parent / "stores").exists()


def test_names_with_blanks_become_users_without_and_may_not_meet(python: Path) -> None:
    named = talk(("a",), speakers=("Ada", "Ben B"))
    assert [node.metadata["user_id"] for node in build(python, named)[0].nodes] == ["Ada_3"]
    twice = talk(("a",), speakers=("Ben B", "Ben_B"))
    found = backbone(python).inputs(unit=twice)
    assert found == NotRunnable("u", "its speakers' users in Mem0 are not distinct: Ben_B_3, Ben_B_3")


def test_the_inputs_follow_the_librarys_version(python: Path) -> None:
    of = talk(("a",))
    before = backbone(python).inputs(unit=of)
    assert backbone(interpreter(python.parent / "other", "1.0.98")).inputs(unit=of) != before
    assert backbone(interpreter(python.parent / "same")).inputs(unit=of) == before


def test_another_version_ingests_anew(python: Path) -> None:
    of = talk(("a",))
    build(python, of)
    build(interpreter(python.parent / "other", "1.0.98"), of)
    assert len(folders(python)) == 2


def test_an_environment_of_the_other_line_is_refused(python: Path) -> None:
    with pytest.raises(ConfigError, match=r"has mem0ai 1\.0\.99, and backbone\.version=2 asks for 2\.x"):
        backbone(python, version=2).inputs(unit=talk(("a",)))


def test_an_absent_environment_is_named_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="make it with: make baseline-mem0"):
        backbone(tmp_path / "nowhere")


def test_a_key_that_openai_asks_for_must_be_there(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    made = backbone(python, llm_base_url="https://api.openai.com/v1", llm_key_env="NO_SUCH_KEY")
    with pytest.raises(ConfigError, match="the environment variable NO_SUCH_KEY is not set"):
        made.build(unit=talk(("a",)), embedder=Hashing(buckets=16))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mode": "dead"}, "backbone.mode must be export or live, got 'dead'"),
        ({"version": 3}, "backbone.version must be 1 or 2"),
        ({"batch_size": 0}, "backbone.batch_size=0 must be at least 1"),
        ({"vector_store": "chroma"}, "backbone.vector_store must be qdrant or faiss, got 'chroma'"),
        ({"on_failure": "ignore"}, "backbone.on_failure must be stop or skip, got 'ignore'"),
        ({"llm_temperature": -1}, "backbone.llm_temperature=-1"),
        ({"llm_max_tokens": 0}, "backbone.llm_max_tokens=0"),
        ({"embedder_dims": 0}, "backbone.embedder_dims=0"),
    ],
)
def test_impossible_settings_are_named(python: Path, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        backbone(python, **changes)


def identity(*overrides: str) -> dict[str, Any]:
    return parse_choice(
        "backbone", compose(["backbone=mem0", *(f"backbone.{word}" for word in overrides)])["backbone"]
    ).identity()


def test_what_an_export_ignores_is_not_in_its_identity() -> None:
    assert identity() == {"name": "mem0", "_target_": identity()["_target_"], "mode": "export", "scope": "per_speaker"}
    assert identity("llm_model=x", "version=2", "batch_size=4") == identity()


def test_what_can_change_a_live_store_is_in_its_identity_and_where_it_lies_is_not() -> None:
    live = identity("mode=live")
    for word in ("llm_model=x", "version=2", "batch_size=4", "vector_store=faiss"):
        assert identity("mode=live", word) != live
    elsewhere = ("llm_base_url=x", "llm_key_env=x", "embedder_base_url=x", "store_dir=x", "python=x")
    assert identity("mode=live", *elsewhere) == live


def test_adds_are_recorded_one_a_line(python: Path) -> None:
    build(python, talk(("one", "x")))
    (name,) = folders(python)
    lines = (python.parent / "stores" / name / ADDS).read_text().splitlines()
    assert [json.loads(line)["user_id"] for line in lines] == ["Ada_3", "Ben_3"]
