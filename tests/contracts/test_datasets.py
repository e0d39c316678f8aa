"""What every dataset that needs no file must give."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import pairwise

import pytest

from memforest.config.folder import options
from memforest.core.protocols import Dataset, LoadedDataset
from memforest.core.types import Gold
from tests.contracts.support import choice, component

BUNDLED = [option for option in options("dataset") if "path" not in choice("dataset", option).settings]
every_dataset = pytest.mark.parametrize("option", BUNDLED)


@cache
def loaded(option: str) -> LoadedDataset:
    dataset: Dataset = component("dataset", option)
    return dataset.load()


def test_there_is_a_dataset_without_files() -> None:
    assert "sample" in BUNDLED


@every_dataset
def test_questions_and_golds_are_parallel(option: str) -> None:
    data = loaded(option)
    assert [question.id for question in data.questions] == [gold.question_id for gold in data.golds]
    assert data.questions


@every_dataset
def test_ids_are_unique(option: str) -> None:
    data = loaded(option)
    for ids in (
        [unit.id for unit in data.units],
        [question.id for question in data.questions],
        *([turn.id for turn in unit.turns] for unit in data.units),
        *([session.id for session in unit.sessions] for unit in data.units),
    ):
        assert len(set(ids)) == len(ids)


@every_dataset
def test_every_question_belongs_to_a_unit(option: str) -> None:
    data = loaded(option)
    assert {question.unit_id for question in data.questions} <= {unit.id for unit in data.units}


@every_dataset
def test_evidence_names_a_turn_or_is_unresolved(option: str) -> None:
    data = loaded(option)
    turns = {unit.id: {turn.id for turn in unit.turns} for unit in data.units}
    for question, gold in zip(data.questions, data.golds, strict=True):
        assert len(set(gold.evidence)) == len(gold.evidence)
        unknown = tuple(evidence for evidence in gold.evidence if evidence not in turns[question.unit_id])
        assert gold.unresolved == unknown


@every_dataset
def test_categories_are_declared_and_answerable_questions_have_answers(option: str) -> None:
    data = loaded(option)
    for gold in data.golds:
        assert gold.category in data.categories
        assert gold.answer or not gold.answerable


@every_dataset
def test_sessions_are_in_order_of_number_and_time(option: str) -> None:
    for unit in loaded(option).units:
        for first, second in pairwise(unit.sessions):
            assert first.number < second.number
            assert first.time is None or second.time is None or first.time <= second.time


@every_dataset
def test_observations_cite_sessions_of_their_unit(option: str) -> None:
    for unit in loaded(option).units:
        sessions = {session.id for session in unit.sessions}
        assert all(observation.session_id in sessions and observation.turn_ids for observation in unit.observations)


@every_dataset
def test_loading_again_gives_the_same(option: str) -> None:
    dataset: Dataset = component("dataset", option)
    assert dataset.load() == loaded(option)


@every_dataset
def test_no_gold_hangs_on_a_question_or_unit(option: str) -> None:
    data = loaded(option)
    pending: list[object] = [*data.units, *data.questions]
    while pending:
        item = pending.pop()
        assert not isinstance(item, Gold)
        if dataclasses.is_dataclass(item) and not isinstance(item, type):
            pending.extend(getattr(item, field.name) for field in dataclasses.fields(item))
        elif isinstance(item, list | tuple | set | frozenset):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend([*item.keys(), *item.values()])
