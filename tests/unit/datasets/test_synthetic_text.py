"""Tests of the synthetic histories: sizes, schema, determinism, and that questions rest on what was said."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from memforest.datasets.synthetic_text import generate
from memforest.datasets.synthetic_words import SLOTS, TOPICS

SIZES = {
    "units": 3,
    "sessions": 20,
    "turns_per_session": 20,
    "facts_per_session": 15,
    "questions_per_unit": 60,
    "seed": 7,
}
DATE_TIME = "%I:%M %p on %d %B, %Y"
DIGEST = "7a9a204d1acd58308044740b5ff3e0a70281f93028f9f47b0d4f7f3c8f16bcae"


def _with(**changes: int) -> list[dict[str, Any]]:
    return generate(**(SIZES | changes))


def _turns(unit: dict[str, Any]) -> dict[str, dict[str, str]]:
    conversation = unit["conversation"]
    lists = [value for value in conversation.values() if isinstance(value, list)]
    return {turn["dia_id"]: turn for turns in lists for turn in turns}


def _observations(unit: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (speaker, text, dia_id)
        for by_speaker in unit["observation"].values()
        for speaker, entries in by_speaker.items()
        for text, dia_id in entries
    ]


def _moments(unit: dict[str, Any]) -> dict[int, datetime]:
    found = {}
    for key, value in unit["conversation"].items():
        if match := re.fullmatch(r"session_(\d+)_date_time", key):
            found[int(match[1])] = datetime.strptime(value, DATE_TIME)
    return found


def _session(dia_id: str) -> int:
    return int(dia_id[1:].partition(":")[0])


@pytest.fixture(scope="module")
def units() -> list[dict[str, Any]]:
    return _with()


def test_equal_arguments_give_equal_histories(units: list[dict[str, Any]]) -> None:
    assert _with() == units
    assert _with(seed=8) != units


def test_output_is_pinned_across_processes_and_machines() -> None:
    text = json.dumps(_with(units=1, sessions=3), sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST


def test_a_unit_does_not_depend_on_the_number_of_units(units: list[dict[str, Any]]) -> None:
    assert _with(units=1) == units[:1]
    assert _with(units=5)[:3] == units


def test_units_differ(units: list[dict[str, Any]]) -> None:
    first, second = ({text for _, text, _ in _observations(unit)} for unit in units[:2])
    assert len(first & second) < 10


@pytest.mark.parametrize(
    ("sessions", "turns", "facts", "questions"),
    [(20, 20, 15, 60), (3, 4, 9, 0), (2, 1, 1, 10), (1, 1, 1, 10), (5, 2, 2, 7)],
)
def test_counts_are_exact(sessions: int, turns: int, facts: int, questions: int) -> None:
    for unit in _with(
        sessions=sessions, turns_per_session=turns, facts_per_session=facts, questions_per_unit=questions
    ):
        counts = Counter(_session(dia_id) for _, _, dia_id in _observations(unit))
        assert counts == dict.fromkeys(range(1, sessions + 1), facts)
        assert Counter(map(_session, _turns(unit))) == dict.fromkeys(range(1, sessions + 1), turns)
        assert len(unit["qa"]) == questions


def test_schema(units: list[dict[str, Any]]) -> None:
    for index, unit in enumerate(units):
        speakers = {unit["conversation"]["speaker_a"], unit["conversation"]["speaker_b"]}
        numbers = range(1, SIZES["sessions"] + 1)
        assert unit["sample_id"] == f"synthetic-{index}"
        assert len(speakers) == 2
        assert list(unit["observation"]) == [f"session_{n}_observation" for n in numbers]
        assert list(unit["event_summary"]) == [f"events_session_{n}" for n in numbers]
        assert list(unit["session_summary"]) == [f"session_{n}_summary" for n in numbers]
        for n in numbers:
            turns = unit["conversation"][f"session_{n}"]
            assert [turn["dia_id"] for turn in turns] == [f"D{n}:{i + 1}" for i in range(len(turns))]
            assert {turn["speaker"] for turn in turns} == speakers
            assert set(unit["event_summary"][f"events_session_{n}"]) == {*speakers, "date"}
            assert set(unit["observation"][f"session_{n}_observation"]) == speakers


def test_ids_name_turns_of_the_right_speaker(units: list[dict[str, Any]]) -> None:
    for unit in units:
        turns = _turns(unit)
        assert all(turns[dia_id]["speaker"] == speaker for speaker, _, dia_id in _observations(unit))
        assert all(row["evidence"] and set(row["evidence"]) <= set(turns) for row in unit["qa"])


def test_several_facts_cite_one_turn_when_turns_are_few() -> None:
    unit = _with(units=1, turns_per_session=2, facts_per_session=6)[0]
    assert set(Counter(dia_id for _, _, dia_id in _observations(unit)).values()) == {3}


@pytest.mark.parametrize("sessions", [20, 4000])
def test_dates_parse_and_increase(sessions: int) -> None:
    unit = _with(units=1, sessions=sessions, turns_per_session=1, facts_per_session=1)[0]
    moments = [moment for _, moment in sorted(_moments(unit).items())]
    assert len(moments) == sessions
    assert all(earlier < later for earlier, later in pairwise(moments))
    assert all(7 <= moment.hour < 23 for moment in moments)


def test_all_categories_occur_in_their_shares(units: list[dict[str, Any]]) -> None:
    few = _with(questions_per_unit=10)
    assert all({row["category"] for row in unit["qa"]} == {1, 2, 3, 4, 5} for unit in few)
    for unit in units:
        assert Counter(row["category"] for row in unit["qa"]) == {1: 9, 2: 12, 3: 3, 4: 24, 5: 12}


def test_only_adversarial_rows_lack_an_answer(units: list[dict[str, Any]]) -> None:
    for row in (row for unit in units for row in unit["qa"]):
        answer = "adversarial_answer" if row["category"] == 5 else "answer"
        assert set(row) == {"question", "evidence", "category", answer}
        assert row[answer]


def test_multi_hop_evidence_is_from_different_sessions(units: list[dict[str, Any]]) -> None:
    for unit in units + _with(sessions=2, turns_per_session=1, facts_per_session=1):
        for row in (row for row in unit["qa"] if row["category"] == 1):
            assert len(set(map(_session, row["evidence"]))) >= 2


def test_temporal_answers_are_dates_of_the_evidence(units: list[dict[str, Any]]) -> None:
    for unit in units:
        moments = _moments(unit)
        for row in (row for row in unit["qa"] if row["category"] == 2):
            answer = datetime.strptime(row["answer"], "%d %B %Y")
            assert answer.date() == moments[_session(row["evidence"][0])].date()


def test_single_hop_answers_stand_in_the_evidence_turn(units: list[dict[str, Any]]) -> None:
    for unit in units:
        turns = _turns(unit)
        for row in (row for row in unit["qa"] if row["category"] == 4):
            said = turns[row["evidence"][0]]["text"].casefold()
            assert row["answer"].casefold() in said


def test_adversarial_questions_are_about_the_other_speaker(units: list[dict[str, Any]]) -> None:
    for unit in units:
        turns = _turns(unit)
        for row in (row for row in unit["qa"] if row["category"] == 5):
            assert turns[row["evidence"][0]]["speaker"] not in row["question"]


def test_facts_are_mostly_distinct_with_some_repeats(units: list[dict[str, Any]]) -> None:
    for unit in units:
        texts = [text for _, text, _ in _observations(unit)]
        assert len(texts) == 300
        assert 0.9 <= len(set(texts)) / len(texts) < 1
        assert len({row["question"] for row in unit["qa"]}) >= 0.95 * len(unit["qa"])


def test_a_large_unit_keeps_distinct_facts() -> None:
    unit = _with(units=1, sessions=1000, questions_per_unit=100)[0]
    texts = [text for _, text, _ in _observations(unit)]
    assert len(texts) == 15_000
    assert len(set(texts)) / len(texts) > 0.85


def test_no_template_field_is_left(units: list[dict[str, Any]]) -> None:
    assert not re.search(r"\{\w+\}", " ".join(_strings(units)))


def test_speakers_call_themselves_me_where_they_are_the_object(units: list[dict[str, Any]]) -> None:
    lines = str([turn["text"] for unit in units for turn in _turns(unit).values()])
    assert not re.search(r"\b(charged|costs?|took|paid|beat|teaches|introduced|cooked|from|with) I\b", lines)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def test_articles_fit_the_word_that_follows(units: list[dict[str, Any]]) -> None:
    assert not re.search(r"\ba (8|11|18|[aeio]|u[^n])", " ".join(_strings(units)), re.IGNORECASE)


def test_every_phrasing_tells_what_its_question_needs() -> None:
    for topic in TOPICS:
        assert topic.value in SLOTS
        for episode in topic.episodes:
            needed = set(re.findall(r"\{(\w+)\}", episode.question + episode.answer)) - {"who", "whose"}
            for phrasing in episode.phrasings:
                assert needed <= set(re.findall(r"\{(\w+)\}", phrasing)), phrasing


@pytest.mark.parametrize("name", ["units", "sessions", "turns_per_session", "facts_per_session"])
@pytest.mark.parametrize("value", [0, -1])
def test_sizes_below_one_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got {value}$"):
        _with(**{name: value})


def test_questions_may_be_none_but_not_negative() -> None:
    assert [unit["qa"] for unit in _with(questions_per_unit=0)] == [[], [], []]
    with pytest.raises(ValueError, match=r"^questions_per_unit must be at least 0, got -1$"):
        _with(questions_per_unit=-1)
