"""Limits per minute and places at a server."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.chat import ChatRequest
from memforest.llm.gate import Gate, gate_of
from memforest.llm.pace import Bucket, Pace
from tests.unit.llm.support import Clock, ask, chat, resolved


@given(
    per_minute=st.integers(1, 400),
    idle=st.lists(st.floats(0, 90), min_size=1, max_size=150),
)
def test_no_minute_has_more_than_the_limit(per_minute: int, idle: list[float]) -> None:
    clock = Clock(time=0.0)
    bucket = Bucket(per_minute=per_minute, pace=clock.pace())
    times = []
    for pause in idle:
        clock.time += pause if pause > 45 else 0.0
        clock.sleep(bucket.take(1))
        times.append(clock.time)
    for begin in times:
        assert sum(begin <= time < begin + 60 - 1e-6 for time in times) <= per_minute


@pytest.mark.parametrize("per_minute", [0.5, 3, 60, 600])
def test_the_limit_is_nearly_used_up(per_minute: float) -> None:
    clock = Clock(time=0.0)
    bucket = Bucket(per_minute=per_minute, pace=clock.pace())
    count = int(20 * per_minute)
    for _ in range(count):
        clock.sleep(bucket.take(1))
    assert clock.time <= 1.02 * 60 * count / per_minute


def test_tokens_that_were_not_used_are_given_back_and_those_used_beyond_are_waited_for() -> None:
    clock = Clock(time=0.0)
    bucket = Bucket(per_minute=600, pace=clock.pace())
    assert bucket.take(1000) > 90
    bucket.correct(-1000)
    assert bucket.take(5) == 0
    bucket.correct(100)
    assert bucket.take(1) > 9


def test_requests_of_a_role_are_spread_over_the_minute(tmp_path: Path) -> None:
    clock = Clock()
    model = chat(tmp_path, requests_per_minute=30, pace=clock.pace())
    for number in range(31):
        model.ask(request=ask(f"{number}"))
    assert clock.time - 1000 == pytest.approx(60)
    model.ask(request=ask("0"))
    assert clock.time - 1000 == pytest.approx(60), "what is kept waits for nothing"


def test_long_requests_wait_for_tokens(tmp_path: Path) -> None:
    clock = Clock()
    model = chat(tmp_path, tokens_per_minute=6000, max_tokens=1000, pace=clock.pace())
    for number in range(3):
        model.ask(request=ask(f"{number}"))
    # Each reserves a thousand tokens, and gives back what the reply did not use before the next one comes.
    assert 0 < clock.time - 1000 < 40


def long_reply(role: str, request: ChatRequest) -> str:
    return "word " * 6000


def test_a_reply_that_was_longer_than_expected_is_waited_for_by_the_next(tmp_path: Path) -> None:
    clock = Clock()
    model = chat(tmp_path, script=f"{__name__}:long_reply", tokens_per_minute=6000, max_tokens=None, pace=clock.pace())
    model.ask(request=ask("a"))
    assert clock.slept == []
    model.ask(request=ask("b"))
    assert 55 < clock.time - 1000 < 65


def test_a_server_that_asks_one_role_to_wait_is_spared_by_all(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    fault = {"fault": "429", "retry_after": 33, "times": 1, "role": "merge"}
    script.write_text(json.dumps({"replies": [{"reply": "r"}], "faults": [fault]}))
    slept: list[float] = []
    standing = Pace(now=lambda: 1000.0, sleep=slept.append, draw=lambda: 0.0)
    models = [chat(tmp_path / "c", script=str(script), role=role, pace=standing) for role in ("merge", "judge")]
    for model in models:
        model.ask(request=ask())
    # The pause of the one that met the 429, and the closed door before its next call and that of the other role.
    assert slept == [33, 33, 33]


def test_a_closed_server_lets_nobody_in() -> None:
    clock = Clock()
    gate = Gate(concurrency=2, requests_per_minute=None, tokens_per_minute=None, pace=clock.pace())
    gate.close(seconds=12)
    gate.close(seconds=3)
    with gate.place(tokens=1):
        assert clock.slept == [12]
    with gate.place(tokens=1):
        assert clock.slept == [12]


def test_no_more_are_inside_than_there_are_places() -> None:
    gate = Gate(concurrency=3, requests_per_minute=None, tokens_per_minute=None, pace=Pace())
    inside, most, lock = [0], [0], threading.Lock()

    def enter(_: int) -> None:
        with gate.place(tokens=1):
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            threading.Event().wait(0.002)
            with lock:
                inside[0] -= 1

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(enter, range(60)))
    assert most == [3]


def test_roles_with_one_server_and_equal_limits_share_a_gate_and_others_do_not() -> None:
    pace = Pace()
    merge = resolved("endpoint", base_url="http://a/v1", model="m")
    judge = resolved("endpoint", role="judge", base_url="http://a/v1", model="another")
    elsewhere = resolved("endpoint", base_url="http://b/v1", model="m")
    gate = gate_of(merge, pace=pace)
    assert gate_of(judge, pace=pace) is gate
    assert gate_of(elsewhere, pace=pace) is not gate


def test_roles_of_one_server_share_its_gate_and_the_strictest_limit_holds() -> None:
    clock = Clock()
    pace = clock.pace()
    one = resolved("endpoint", base_url="http://shared/v1", model="a", concurrency=4)
    other = resolved("endpoint", base_url="http://shared/v1", model="b", concurrency=2, requests_per_minute=60)
    gate = gate_of(one, pace=pace)
    assert gate_of(other, pace=pace) is gate
    inside = most = 0
    lock = threading.Lock()
    full = threading.Event()

    def enter() -> None:
        nonlocal inside, most
        with gate.place(tokens=1):
            with lock:
                inside += 1
                most = max(most, inside)
                full.set() if inside == 2 else None
            full.wait(5)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: enter(), range(8)))
    assert most == 2
    assert sum(clock.slept) > 5, "60 a minute hold for both"
