"""What every dataset must give: bundled ones, and those of files on small files made here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from tempfile import mkdtemp

import pytest

from memforest.config.compose import compose, instantiate
from memforest.config.folder import options
from memforest.config.spec import parse_choice
from memforest.core.protocols import Dataset, LoadedDataset
from memforest.core.types import Gold
from memforest.datasets.m3bench_schema import TYPES as M3_TYPES
from tests.builders import locomo_unit
from tests.contracts.support import choice
from tests.unit.datasets import exports, haystacks, m3bench_files, personas

BUNDLED = [option for option in options("dataset") if "path" not in choice("dataset", option).settings]


def _haystacks(folder: Path) -> Path:
    unmarked = [haystacks.talk("boats")] * 3
    return haystacks.written(
        folder / "file.json",
        [
            haystacks.instance("a", answer_session_ids=["answer_kites", "answer_gone"]),
            haystacks.instance("b", haystack_sessions=unmarked, answer=3),
            haystacks.instance("c_abs", haystack_dates=["2023/05/03 (Wed) 10:00"] * 3),
        ],
    )


def _chats(folder: Path) -> Path:
    for name, raw in exports.EXAMPLES.items():
        exports.load(folder, raw, name=name)
    return folder


FILES: Mapping[str, Callable[[Path], Path]] = {
    "locomo": lambda folder: haystacks.written(folder / "file.json", [locomo_unit()]),
    "longmemeval_s": _haystacks,
    "longmemeval_m": _haystacks,
    "longmemeval_oracle": _haystacks,
    "personamem_32k": lambda folder: personas.written(
        folder, [personas.row("q1"), personas.row("q2", end_index_in_shared_context="3", correct_answer="(d)")]
    ),
    "m3bench_robot": lambda folder: m3bench_files.written(
        folder / "robot.json", {"kitchen": [m3bench_files.row("kitchen_Q1", type=[*M3_TYPES])], "empty": []}
    ),
    "m3bench_web": lambda folder: m3bench_files.written(folder / "web.json", {"a": [m3bench_files.web_row("a_Q1")]}),
    "chat_export": _chats,
}
"""What writes a small file, or a folder of them, for each dataset that reads one."""

WITHOUT_QUESTIONS = ("chat_export",)
every_dataset = pytest.mark.parametrize("option", [*BUNDLED, *FILES])


@cache
def dataset(option: str) -> Dataset:
    path = [f"dataset.path={FILES[option](Path(mkdtemp()))}"] if option in FILES else []
    made: Dataset = instantiate(parse_choice("dataset", compose([f"dataset={option}", *path])["dataset"]))
    return made


@cache
def loaded(option: str) -> LoadedDataset:
    return dataset(option).load()


def test_there_is_a_dataset_without_files_and_a_file_for_every_other() -> None:
    assert "sample" in BUNDLED
    assert sorted([*BUNDLED, *FILES]) == options("dataset")


@every_dataset
def test_questions_and_golds_are_parallel(option: str) -> None:
    data = loaded(option)
    assert [question.id for question in data.questions] == [gold.question_id for gold in data.golds]
    assert bool(data.questions) == (option not in WITHOUT_QUESTIONS)


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
def test_evidence_names_a_turn_or_a_text_of_a_graph_or_is_unresolved(option: str) -> None:
    data = loaded(option)
    turns = {unit.id: {turn.id for turn in unit.turns} for unit in data.units}
    for unit in data.units:
        turns[unit.id] |= {str(node.id) for node in (unit.graph.texts if unit.graph else ()) if not node.is_equivalence}
    sessions = {unit.id: {session.id for session in unit.sessions} for unit in data.units}
    for question, gold in zip(data.questions, data.golds, strict=True):
        assert len(set(gold.evidence)) == len(gold.evidence)
        assert len(set(gold.evidence_sessions)) == len(gold.evidence_sessions)
        unknown = [evidence for evidence in gold.evidence if evidence not in turns[question.unit_id]]
        unknown += [name for name in gold.evidence_sessions if name not in sessions[question.unit_id]]
        assert gold.unresolved == tuple(dict.fromkeys(unknown))


@every_dataset
def test_the_letter_is_the_place_of_the_answer_among_the_options(option: str) -> None:
    data = loaded(option)
    for question, gold in zip(data.questions, data.golds, strict=True):
        assert (gold.letter is None) == (not question.options)
        if gold.letter is not None:
            assert question.options[ascii_lowercase.index(gold.letter)] == gold.answer


@every_dataset
def test_categories_are_declared_and_answerable_questions_have_answers(option: str) -> None:
    data = loaded(option)
    for gold in data.golds:
        assert set(gold.categories) <= set(data.categories)
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
    assert dataset(option).load() == loaded(option)


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
