"""M3-Bench: types by one name, clips and times of asking, what is odd in the files, and the real ones."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memforest.core.errors import ConfigError, DataError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.m3bench import M3Bench
from tests.unit.datasets.m3bench_files import row, web_row, written

DATA = os.environ.get("MEMFOREST_DATA")
real = pytest.mark.skipif(
    not (DATA and (Path(DATA) / "m3bench" / "robot.json").is_file()), reason="M3-Bench's files are not there"
)


def load(path: Path | None, *, part: str = "robot", limit: int | None = None, data: str = "nowhere") -> LoadedDataset:
    return M3Bench(part=part, path=None if path is None else str(path), data_folder=data, limit=limit).load()


def one(folder: Path, **changes: Any) -> LoadedDataset:
    return load(written(folder / "robot.json", {"kitchen": [row("kitchen_Q1", **changes)]}))


def test_a_video_is_a_unit_and_a_question_is_asked_at_a_clip(tmp_path: Path) -> None:
    data = load(
        written(tmp_path / "robot.json", {"kitchen": [row("kitchen_Q1"), row("kitchen_Q2")], "gym": [row("gym_Q1")]})
    )
    assert [(unit.id, unit.index, unit.clock, unit.sessions) for unit in data.units] == [
        ("kitchen", 0, "video", ()),
        ("gym", 1, "video", ()),
    ]
    question, gold = data.questions[0], data.golds[0]
    assert (question.id, question.unit_id, question.time, question.before_clip) == ("kitchen_Q1", "kitchen", 65.0, 1)
    assert (gold.answer, gold.answerable, gold.evidence) == ("On the shelf.", True, ())
    assert data.scope == "smoke"


def test_the_web_has_no_times(tmp_path: Path) -> None:
    data = load(written(tmp_path / "web.json", {"a": [web_row("a_Q1")]}), part="web")
    assert (data.questions[0].time, data.questions[0].before_clip) == (None, None)
    assert not any("before_clip" in notice for notice in data.notices)


@pytest.mark.parametrize(
    ("types", "categories"),
    [
        (["Multi-Detail Reasoning"], ("Multi-Evidence Reasoning",)),
        (["Human Understanding", "Cross-Modal Reasoning"], ("Person Understanding", "Cross-Modal Reasoning")),
        (
            ["Multi-Hop Reasoning", "Multi-Evidence Reasoning", "Multi-Detail Reasoning"],
            ("Multi-Hop Reasoning", "Multi-Evidence Reasoning"),
        ),
    ],
)
def test_types_have_one_name_and_all_count(tmp_path: Path, types: list[str], categories: tuple[str, ...]) -> None:
    (gold,) = one(tmp_path, type=types).golds
    assert gold.categories == categories


def test_the_first_videos_are_a_smoke_run(tmp_path: Path) -> None:
    path = written(tmp_path / "robot.json", {name: [row(f"{name}_Q1")] for name in ("a", "b", "c")})
    data = load(path, limit=2)
    assert [unit.id for unit in data.units] == ["a", "b"]
    assert len(data.questions) == 2
    assert any("2 of the 1,276 questions" in notice for notice in data.notices)


@pytest.mark.parametrize(
    ("changes", "notice"),
    [
        ({"answer": "\u6240\u4ee5\u9700\u8981"}, "remark in another script than the question: 1 (kitchen_Q1)"),
        ({"before_clip": ...}, "no `before_clip`, which look at the whole video: 1"),
        ({"before_clip": 0}, "not the last clip that ended before they were asked: 1, such as kitchen_Q1"),
        ({"answer": "Yes."}, "1 of 1 answers are yes or no: always saying yes is right in 100.0 % of these"),
    ],
)
def test_what_is_odd_is_noticed(tmp_path: Path, changes: dict[str, Any], notice: str) -> None:
    assert any(notice in line for line in one(tmp_path, **changes).notices)
    assert not any(notice in line for line in one(tmp_path).notices)


def test_an_answer_in_the_script_of_its_question_is_no_remark(tmp_path: Path) -> None:
    answer = "\u6240\u4ee5"
    assert not any("remark" in line for line in one(tmp_path, answer=answer, question=answer).notices)
    assert not any("remark" in line for line in one(tmp_path, question="Where\uff1f").notices)


@pytest.mark.parametrize(
    ("timestamp", "before_clip", "seconds"), [("00:29", -1, 29.0), ("00:30", 0, 30.0), ("1:00:05", 119, 3605.0)]
)
def test_no_clip_has_ended_before_the_first_has(
    tmp_path: Path, timestamp: str, before_clip: int, seconds: float
) -> None:
    data = one(tmp_path, timestamp=timestamp, before_clip=before_clip)
    assert data.questions[0].time == seconds
    assert not any("before_clip" in notice for notice in data.notices)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"type": []}, "no type"),
        ({"type": ["Guessing"]}, "unknown type 'Guessing'"),
        ({"type": "Multi-Hop Reasoning"}, "must be a list"),
        ({"question": ...}, "`question` is missing"),
        ({"answer": 3}, "`answer` must be a text"),
        ({"answer": " "}, "`answer` is empty"),
        ({"timestamp": "soon"}, "cannot read the time 'soon'"),
        ({"timestamp": f"{'9' * 400}:00:00"}, "cannot read the time '9999"),
        ({"question": ""}, "`question` is empty"),
        ({"question_id": " "}, "`question_id` is empty"),
        ({"before_clip": -2}, "got -2"),
        ({"before_clip": 10**400}, "must be a clip, or -1 where none had ended, got 10{19}$"),
        ({"before_clip": "1"}, "must be a whole number, got a text"),
        ({"before_clip": 1.0}, "must be a whole number, got a number"),
    ],
)
def test_another_schema_is_an_error_with_its_place(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words) as raised:
        one(tmp_path, **changes)
    assert "robot.json, kitchen, qa_list[0]" in str(raised.value)


def test_files_that_are_none_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="memforest data fetch m3bench_robot"):
        load(None, data=str(tmp_path))
    with pytest.raises(DataError, match="no question"):
        load(written(tmp_path / "a.json", {}))
    with pytest.raises(DataError, match="more than once"):
        load(written(tmp_path / "a.json", {"a": [row("Q1")], "b": [row("Q1")]}))
    with pytest.raises(ConfigError, match=r"dataset\.part"):
        M3Bench(part="car", path=None, data_folder="", limit=None)


@real
@pytest.mark.parametrize(
    ("part", "videos", "types", "several", "guessed"),
    [
        ("robot", 100, (842, 85, 476, 548, 327), {1: 548, 2: 475, 3: 233, 4: 19, 5: 1}, "261 of 1,276"),
        ("web", 920, (968, 457, 424, 1301, 972), {1: 2354, 2: 813, 3: 46, 4: 1}, "453 of 3,214"),
    ],
)
def test_the_real_files_hold_what_is_known_of_them(
    part: str, videos: int, types: tuple[int, ...], several: dict[int, int], guessed: str
) -> None:
    assert DATA is not None
    data = load(None, part=part, data=DATA)
    found = Counter(category for gold in data.golds for category in gold.categories)
    assert (len(data.units), data.scope) == (videos, "whole")
    assert tuple(found[name] for name in data.categories) == types
    assert Counter(len(gold.categories) for gold in data.golds) == several
    assert all(question.id.startswith(question.unit_id) for question in data.questions)
    assert sum(guessed in notice for notice in data.notices) == 1
    assert not any("before_clip" in notice or "sha256" in notice for notice in data.notices)
    remarks = [notice for notice in data.notices if "remark" in notice]
    assert remarks == [] if part == "web" else "1 (living_room_12_Q09)" in remarks[0]


@real
def test_the_clips_of_the_real_robot_are_those_that_had_ended() -> None:
    assert DATA is not None
    data = load(None, data=DATA)
    clips = [question.before_clip for question in data.questions]
    assert [question.before_clip for question in data.questions if question.time is None] == []
    assert (min(clips, key=lambda clip: clip or 0), max(clips, key=lambda clip: clip or 0)) == (0, 114)
    assert clips.count(0) == 2
