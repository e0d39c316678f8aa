"""The bundled sample: sizes, first, tenth and last record, and every kind of defect that the real file has."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from memforest.core.digests import digest
from memforest.core.protocols import LoadedDataset
from memforest.datasets.locomo_schema import CATEGORIES
from memforest.datasets.sample import Sample

RAW: list[dict[str, Any]] = json.loads(
    resources.files("memforest.datasets").joinpath("sample.json").read_text(encoding="utf-8")
)
ROWS = [row for unit in RAW for row in unit["qa"]]
REFERENCES = [reference for row in ROWS for reference in row["evidence"]]


@pytest.fixture(scope="module")
def sample() -> LoadedDataset:
    return Sample().load()


def test_it_is_large_enough(sample: LoadedDataset) -> None:
    assert len(sample.units) == 4
    assert sum(len(unit.turns) for unit in sample.units) >= 400
    assert len(sample.questions) >= 120
    assert {gold.category for gold in sample.golds} == set(CATEGORIES.values())


def test_its_counts_are_pinned(sample: LoadedDataset) -> None:
    assert [len(unit.sessions) for unit in sample.units] == [13, 14, 12, 13]
    assert [len(unit.turns) for unit in sample.units] == [108, 113, 100, 104]
    assert [len(unit.observations) for unit in sample.units] == [92, 94, 88, 90]
    assert Counter(gold.category for gold in sample.golds) == {
        "multi-hop": 24,
        "temporal": 33,
        "open-domain": 16,
        "single-hop": 46,
        "adversarial": 20,
    }


@pytest.mark.parametrize(
    ("place", "identity", "fingerprint"),
    [(0, "sample-1/qa0", "87d6854f2c14"), (9, "sample-1/qa9", "8f95c06b4c4e"), (-1, "sample-4/qa33", "faa01702df90")],
)
def test_the_first_tenth_and_last_question_are_pinned(
    sample: LoadedDataset, place: int, identity: str, fingerprint: str
) -> None:
    question, gold = sample.questions[place], sample.golds[place]
    assert question.id == gold.question_id == identity
    assert digest([question.text, question.time, gold.category, gold.answer, gold.evidence])[:12] == fingerprint


def test_every_unit_has_more_than_nine_sessions_so_that_text_order_would_show(sample: LoadedDataset) -> None:
    assert min(len(unit.sessions) for unit in sample.units) > 9


def test_answerable_questions_have_evidence_that_can_be_found(sample: LoadedDataset) -> None:
    found = [gold for gold in sample.golds if gold.answerable and set(gold.evidence) - set(gold.unresolved)]
    assert len(found) >= 100


def test_observations_cite_turns_of_their_session_and_speaker(sample: LoadedDataset) -> None:
    for unit in sample.units:
        turns = {turn.id: turn for turn in unit.turns}
        for fact in unit.observations:
            assert fact.speaker in unit.speakers
            assert {turns[turn].session_id for turn in fact.turn_ids} == {fact.session_id}


def _orphans(unit: dict[str, Any]) -> Iterator[str]:
    conversation = unit["conversation"]
    for key in conversation:
        match = re.fullmatch(r"(session_\d+)_date_time", key)
        if match and match[1] not in conversation:
            yield key


DEFECTS = {
    "integer answer": [row for row in ROWS if isinstance(row.get("answer"), int)],
    "missing answer": [row for row in ROWS if row["category"] == 5 and "answer" not in row],
    "both answers": [row for row in ROWS if "answer" in row and "adversarial_answer" in row],
    "two ids with a semicolon": [item for item in REFERENCES if re.fullmatch(r"D\d+:\d+; D\d+:\d+", item)],
    "two ids with a blank": [item for item in REFERENCES if re.fullmatch(r"D\d+:\d+ D\d+:\d+", item)],
    "colon too many": [item for item in REFERENCES if re.fullmatch(r"D:\d+:\d+", item)],
    "leading zero": [item for item in REFERENCES if re.fullmatch(r"D\d+:0\d+", item)],
    "bare D": [item for item in REFERENCES if item == "D"],
    "empty evidence": [row for row in ROWS if not row["evidence"]],
    "repeated id": [row for row in ROWS if len(set(row["evidence"])) < len(row["evidence"])],
    "duplicate question": [
        row
        for unit in RAW
        for row in unit["qa"]
        if [other["question"] for other in unit["qa"]].count(row["question"]) > 1
    ],
    "date without a session": [key for unit in RAW for key in _orphans(unit)],
    "observation with a list of ids": [
        fact
        for unit in RAW
        for by_speaker in unit["observation"].values()
        for facts in by_speaker.values()
        for fact in facts
        if isinstance(fact[1], list)
    ],
    "caption": [
        turn
        for unit in RAW
        for turns in unit["conversation"].values()
        if isinstance(turns, list)
        for turn in turns
        if "blip_caption" in turn
    ],
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_a_defect_of_each_kind_is_planted(kind: str) -> None:
    assert DEFECTS[kind]


def test_an_id_that_looks_right_but_names_no_turn_is_planted(sample: LoadedDataset) -> None:
    assert [turn for gold in sample.golds for turn in gold.unresolved if turn != "D"]


def test_each_irregularity_is_told_once(sample: LoadedDataset) -> None:
    assert len(sample.notices) == len(set(sample.notices)) == 3


def test_questions_and_turns_have_distinct_ids(sample: LoadedDataset) -> None:
    ids = [question.id for question in sample.questions]
    assert len(set(ids)) == len(ids)


def test_loading_twice_gives_the_same(sample: LoadedDataset) -> None:
    assert Sample().load() == sample
