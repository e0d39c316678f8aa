"""LongMemEval: every trap of its files on instances made here, and counts of the real samples where they are.

No text of the benchmark stands here, only ids, counts and hashes.
"""

from __future__ import annotations

import json
import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memforest.core.digests import digest, file_digest
from memforest.core.errors import ConfigError, DataError
from memforest.core.times import parse_time
from memforest.core.types import Gold
from memforest.datasets.longmemeval import LongMemEval
from memforest.metrics.recall import evidence_recall, session_evidence_recall
from tests.unit.datasets.haystacks import instance, load, loaded, said, talk, written

FOLDER = Path(os.environ.get("MEMFOREST_DATA", "nowhere")) / "longmemeval"
needs_data = pytest.mark.skipif(not FOLDER.is_dir(), reason="MEMFOREST_DATA does not hold LongMemEval samples")


def gold_of(folder: Path, **changes: Any) -> Gold:
    return loaded(folder, [instance(**changes)]).golds[0]


def test_one_question_is_one_unit_with_its_haystack(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance("aa"), instance("bb")])
    assert [unit.id for unit in data.units] == [question.id for question in data.questions] == ["aa", "bb"]
    assert [unit.index for unit in data.units] == [0, 1]
    assert data.units[0].speakers == ("user", "assistant")
    assert data.questions[0].time == parse_time("2023-05-30T23:40", where="test")
    assert data.golds[0].category == "single-session-user"


def test_ids_are_places_and_no_official_session_id_is_seen(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance()])
    assert [session.id for session in data.units[0].sessions] == ["D1", "D2", "D3"]
    assert [turn.id for turn in data.units[0].turns] == ["D1:1", "D1:2", "D2:1", "D2:2", "D3:1", "D3:2"]
    assert "answer_" not in repr((data.units, data.questions))


def test_sessions_are_sorted_by_the_minute_and_equal_times_keep_the_order_of_the_file(tmp_path: Path) -> None:
    dates = ["2023/05/02 (Tue) 13:32", "2023/05/02 (Tue) 02:26", "2023/05/02 (Tue) 13:32"]
    data = loaded(tmp_path, [instance(haystack_dates=dates, answer_session_ids=["aa11"])])
    assert [turn.text for turn in data.units[0].turns if turn.speaker == "user"] == [
        "I talked about kites.",
        "I talked about boats.",
        "I talked about drums.",
    ]
    times = [session.time for session in data.units[0].sessions]
    assert times == sorted(parse_time(date, where="test") for date in dates)
    assert data.golds[0].evidence_sessions == ("D1", "D2")
    assert any("sorted by the minute: 0a1b2c3d (1 of 1" in notice for notice in data.notices)


def test_evidence_is_the_marked_turns(tmp_path: Path) -> None:
    gold = gold_of(tmp_path)
    assert (gold.evidence, gold.evidence_sessions, gold.unresolved) == (("D2:1",), ("D2",), ())
    assert evidence_recall(gold, ["D2:1"]) == session_evidence_recall(gold, ["D2:2"]) == 1.0


def test_without_marks_only_the_recall_of_sessions_exists(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, haystack_sessions=[talk("boats"), talk("kites"), talk("drums")])
    assert (gold.evidence, gold.evidence_sessions) == ((), ("D2",))
    assert evidence_recall(gold, ["D2:1"]) is None
    assert session_evidence_recall(gold, ["D2:1"]) == 1.0


def test_marks_that_are_all_false_are_no_marks(tmp_path: Path) -> None:
    assert gold_of(tmp_path, haystack_sessions=[talk("a"), talk("b", mark=False), talk("c")]).evidence == ()


def test_an_evidence_session_without_a_marked_turn_counts_among_sessions_only(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answer_session_ids=["answer_kites", "aa11"])
    assert (gold.evidence, gold.evidence_sessions) == (("D2:1",), ("D1", "D2"))


def test_an_evidence_session_that_is_not_there_stays_in_both_denominators(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answer_session_ids=["answer_kites", "answer_gone"])
    assert gold.unresolved == ("answer_gone",)
    assert evidence_recall(gold, ["D2:1"]) == session_evidence_recall(gold, ["D2:1"]) == 0.5


def test_a_session_id_that_comes_twice_does_no_harm(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance(haystack_session_ids=["aa11", "answer_kites", "aa11"])])
    assert len(data.units[0].sessions) == 3
    assert data.golds[0].evidence_sessions == ("D2",)
    assert any(notice.startswith("a session id that comes twice") for notice in data.notices)


def test_all_places_of_an_evidence_session_whose_id_comes_twice_count(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, haystack_session_ids=["answer_kites", "answer_kites", "aa11"])
    assert gold.evidence_sessions == ("D1", "D2")


@pytest.mark.parametrize(("answer", "expected"), [(3, "3"), (2.5, "2.5"), ("3", "3")])
def test_numbers_become_text(tmp_path: Path, answer: object, expected: str) -> None:
    assert gold_of(tmp_path, answer=answer).answer == expected


def test_a_question_that_the_history_does_not_answer_keeps_the_explanation(tmp_path: Path) -> None:
    gold = loaded(tmp_path, [instance("0a1b2c3d_abs", answer="You never said so.")]).golds[0]
    assert (gold.answerable, gold.answer, gold.category) == (False, "You never said so.", "single-session-user")
    assert evidence_recall(gold, ["D2:1"]) is session_evidence_recall(gold, ["D2:1"]) is None


def test_an_unanswerable_question_may_have_no_evidence(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance("x_abs", answer_session_ids=[]), instance("y", answer_session_ids=[])])
    assert [gold.evidence_sessions for gold in data.golds] == [("D2",), ("D2",)]
    unmarked = [talk("a")] * 3
    data = loaded(
        tmp_path,
        [instance(id, answer_session_ids=[], haystack_sessions=unmarked) for id in ("x_abs", "y")],
    )
    assert [notice for notice in data.notices if notice.startswith("no evidence")] == [
        "no evidence, so no recall: y (1 of 2 questions)"
    ]


def test_evidence_later_than_the_question_is_kept(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance(question_date="2023/05/02 (Tue) 09:59")])
    assert len(data.units[0].sessions) == 3
    assert data.golds[0].evidence == ("D2:1",)
    assert any(notice.startswith("evidence dated after the question, nothing is cut") for notice in data.notices)


def test_a_session_may_begin_with_the_assistant_and_be_empty(tmp_path: Path) -> None:
    sessions = [[said("assistant", "Hello.")], talk("kites", mark=True), []]
    unit = loaded(tmp_path, [instance(haystack_sessions=sessions)]).units[0]
    assert [len(session.turns) for session in unit.sessions] == [1, 2, 0]
    assert unit.turns[0].speaker == "assistant"


def test_a_list_an_object_and_a_folder_give_the_same_questions(tmp_path: Path) -> None:
    both = load(written(tmp_path / "list.json", [instance("a"), instance("b")]))
    written(tmp_path / "folder/1.json", [instance("a")])
    written(tmp_path / "folder/2.json", instance("b"))
    (tmp_path / "folder/README.md").write_text("not read")
    folder = load(tmp_path / "folder")
    assert (folder.units, folder.questions, folder.golds) == (both.units, both.questions, both.golds)
    assert load(tmp_path / "folder/2.json").questions[0].id == "b"


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = written(tmp_path / "a/1.json", [instance("a")])
    alone = load(path).digest
    assert alone == file_digest(path) == load(tmp_path / "a").digest
    written(tmp_path / "a/2.json", instance("b"))
    assert load(tmp_path / "a").digest == digest([alone, file_digest(tmp_path / "a/2.json")])


def test_a_limit_takes_the_first_and_reads_no_further(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([instance("a"), instance("b")])[:-2])
    assert [question.id for question in load(path, limit=1).questions] == ["a"]
    with pytest.raises(DataError, match=r"cut\.json is not JSON"):
        load(path)


def test_a_part_of_the_benchmark_is_a_smoke_run_and_the_whole_is_not(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance("a")])
    assert data.scope == "smoke"
    assert data.notices[0].startswith("smoke: 1 of the 500 questions of LongMemEval-S")
    whole = loaded(tmp_path, [instance(f"q{number}") for number in range(500)])
    assert (whole.scope, whole.notices) == ("whole", ())


def test_notices_name_at_most_five_questions(tmp_path: Path) -> None:
    data = loaded(tmp_path, [instance(f"q{n}", question_date="2023/05/02 (Tue) 09:59") for n in range(7)])
    assert data.notices[-1].endswith(": q0, q1, q2, q3, q4, ... (7 of 7 questions)")


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "x"])
def test_a_limit_that_is_no_count_is_refused(limit: Any) -> None:
    with pytest.raises(ConfigError, match=r"dataset\.limit="):
        LongMemEval(variant="s", path=None, data_folder="", limit=limit)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"dataset\.variant=l must be one of s, m, oracle"):
        LongMemEval(variant="l", path=None, data_folder="", limit=None)


@pytest.mark.parametrize(("variant", "name"), [("s", "s_cleaned"), ("m", "m_cleaned"), ("oracle", "oracle")])
def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path, variant: str, name: str) -> None:
    with pytest.raises(DataError) as caught:
        LongMemEval(variant=variant, path=None, data_folder=str(tmp_path), limit=None).load()
    for part in (f"{tmp_path}/longmemeval/longmemeval_{name}.json", "xiaowu0162/longmemeval-cleaned", "dataset.path="):
        assert part in str(caught.value)


def test_the_official_place_is_looked_at(tmp_path: Path) -> None:
    written(tmp_path / "longmemeval/longmemeval_s_cleaned.json", [instance()])
    assert LongMemEval(variant="s", path=None, data_folder=str(tmp_path), limit=None).load().units


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"question_id": ...}, "item 0: `question_id` is missing; this is not LongMemEval's schema"),
        ({"question_id": 7}, "`question_id` must be a text, got a whole number"),
        ({"question_type": "riddle"}, "0a1b2c3d: unknown question_type 'riddle'"),
        ({"question_date": "yesterday"}, "0a1b2c3d, question_date: cannot read the time 'yesterday'"),
        ({"question_date": "2023/02/30 (Thu) 10:00"}, "cannot read the time '2023/02/30 (Thu) 10:00'"),
        ({"answer": None}, "`answer` must be a text or a number, got null"),
        ({"answer": ...}, "`answer` is missing"),
        ({"answer": True}, "`answer` must be a text or a number, got true or false"),
        ({"answer": ["a"]}, "`answer` must be a text or a number, got a list"),
        ({"answer_session_ids": [1]}, "`answer_session_ids`[0] must be a text"),
        ({"haystack_sessions": []}, "`haystack_sessions` holds no session"),
        ({"haystack_sessions": {}}, "`haystack_sessions` must be a list, got an object"),
        ({"haystack_session_ids": ["a"]}, "3 haystack_sessions, 1 haystack_session_ids and 3 haystack_dates"),
        ({"haystack_dates": ["x", "y", "z"]}, "0a1b2c3d, haystack_dates[0]: cannot read the time 'x'"),
        ({"haystack_dates": [None] * 3}, "`haystack_dates`[0] must be a text, got null"),
        ({"haystack_sessions": [[], [], "x"]}, "haystack_sessions[2] must be a list, got a text"),
        ({"haystack_sessions": [[], [], ["x"]]}, "haystack_sessions[2][0]: expected an object with `role`"),
        ({"haystack_sessions": [[], [], [said("system", "x")]]}, "haystack_sessions[2][0]: unknown role 'system'"),
        ({"haystack_sessions": [[], [], [{"role": "user"}]]}, "haystack_sessions[2][0]: `content` is missing"),
        ({"haystack_sessions": [[], [], [said("user", "\ud83d")]]}, "half of a character pair"),
        (
            {"haystack_sessions": [[], [], [{**said("user", "x"), "has_answer": "yes"}]]},
            "`has_answer` must be true or false, got a text",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError) as caught:
        loaded(tmp_path, [instance(**changes)])
    assert str(caught.value).startswith("file.json, item 0")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "words"), [([], "holds no question"), ([3], "expected an object"), ("x", "expected an object")]
)
def test_what_is_no_list_of_instances_is_an_error(tmp_path: Path, raw: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        load(written(tmp_path / "file.json", raw))


def test_an_id_that_comes_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="question_id 'a' occurs more than once"):
        loaded(tmp_path, [instance("a"), instance("a")])


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a folder without \*\.json files"):
        load(tmp_path)


def test_no_damage_to_a_file_gives_anything_but_a_named_error(tmp_path: Path) -> None:
    """Cuts, swapped values and lost keys: a dataset or a DataError, never another exception."""
    draw = random.Random(0)
    text = json.dumps([instance("a"), instance("b")])
    path = tmp_path / "file.json"
    for _ in range(300):
        damaged = text[: draw.randrange(len(text))] if draw.random() < 0.3 else _swapped(text, draw)
        path.write_text(damaged, encoding="utf-8")
        try:
            load(path)
        except DataError as error:
            assert "file.json" in str(error)


def _swapped(text: str, draw: random.Random) -> str:
    """One value of the file replaced by one of another kind."""
    raw = json.loads(text)
    holder: Any = raw
    while True:
        key = draw.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if not isinstance(holder[key], dict | list) or not holder[key] or draw.random() < 0.2:
            break
        holder = holder[key]
    holder[key] = draw.choice([None, True, 3, -1e300, "", "x", [], {}, [[]], [None], {"role": 1}])
    return json.dumps(raw)


@needs_data
def test_the_three_real_haystacks_have_their_counts() -> None:
    data = load(FOLDER / "s_instances")
    assert [unit.id for unit in data.units] == ["852ce960", "ba358f49", "e47becba"]
    assert [len(unit.sessions) for unit in data.units] == [39, 41, 53]
    assert [len(unit.turns) for unit in data.units] == [396, 409, 550]
    assert [len(gold.evidence) for gold in data.golds] == [2, 2, 2]
    assert [len(gold.evidence_sessions) for gold in data.golds] == [2, 2, 1]
    assert [gold.answer for gold in data.golds] == ["$400,000", "33", "Business Administration"]
    assert all(first.time <= second.time for unit in data.units for first, second in pairwise(unit.sessions))  # type: ignore[operator]
    assert [notice.split(":")[1].split()[0] for notice in data.notices[1:]] == ["852ce960"]


@needs_data
@pytest.mark.parametrize(
    ("place", "identity", "fingerprint"),
    [(0, "D1:1", "470b8fa45ce3"), (9, "D1:10", "57d41d5a93d5"), (-1, "D53:12", "87729786f048")],
)
def test_the_first_tenth_and_last_turn_of_the_real_haystacks(place: int, identity: str, fingerprint: str) -> None:
    turn = [turn for unit in load(FOLDER / "s_instances").units for turn in unit.turns][place]
    assert turn.id == identity
    assert digest([turn.speaker, turn.text])[:12] == fingerprint


@needs_data
def test_the_real_oracle_sample_knows_sessions_only() -> None:
    data = load(FOLDER / "oracle_sample_12.json", variant="oracle")
    assert len(data.questions) == 12
    assert sum(len(unit.turns) for unit in data.units) == 415
    assert all(not gold.evidence for gold in data.golds)
    assert [len(gold.evidence_sessions) for gold in data.golds] == [2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0]
    assert [gold.answerable for gold in data.golds] == [True] * 10 + [False] * 2
    assert data.notices[0].startswith("smoke: 12 of the 500 questions of LongMemEval-ORACLE")
