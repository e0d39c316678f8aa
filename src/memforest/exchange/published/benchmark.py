"""The benchmark file that published rows are joined with: its questions, in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from memforest.core.errors import DataError
from memforest.core.types import Gold, Question
from memforest.datasets.locomo_schema import CATEGORIES, parse_units
from memforest.exchange.published.document import Document, field, read_document, text_of
from memforest.metrics.recall import session_of

Name = Literal["locomo", "longmemeval"]
UNRESOLVED = "names no turn: "
"""Begins the place of an evidence id that names no turn, which no retriever can find."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question. `unit` owns the memory it is about; `sessions` hold its evidence, none where none is known."""

    id: str
    unit: str
    text: str
    category: str
    answer: str | None
    answerable: bool
    sessions: frozenset[str]


@dataclass(frozen=True)
class Benchmark:
    """All questions of a file, and its units in order. Raises DataError when an id comes twice."""

    name: Name
    file: str
    digest: str
    units: tuple[str, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        repeated = [name for name, count in Counter(item.id for item in self.items).items() if count > 1]
        if repeated:
            raise DataError(f"{self.file}: the question id {repeated[0]!r} occurs twice; ids must be unique")

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """Questions by their ids."""
        return {item.id: item for item in self.items}

    @cached_property
    def by_unit(self) -> Mapping[str, tuple[Item, ...]]:
        """Questions of each unit, both in the order of the file."""
        units: dict[str, list[Item]] = {unit: [] for unit in self.units}
        for item in self.items:
            units[item.unit].append(item)
        return {unit: tuple(items) for unit, items in units.items()}

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Those that questions have, LoCoMo's by number, LongMemEval's by name."""
        present = {item.category for item in self.items}
        return tuple(dict.fromkeys(name for name in (*CATEGORIES.values(), *sorted(present)) if name in present))


def read_benchmark(name: Name, path: Path) -> Benchmark:
    """A LoCoMo file, or LongMemEval's questions: official instances, or an index of questions. Raises DataError."""
    document = read_document(path)
    return _locomo(document) if name == "locomo" else _longmemeval(document)


def _locomo(document: Document) -> Benchmark:
    loaded = parse_units(document.content, file=document.name)
    pairs = zip(loaded.questions, loaded.golds, strict=True)
    items = tuple(_locomo_item(question, gold) for question, gold in pairs)
    return Benchmark("locomo", document.name, document.digest, tuple(unit.id for unit in loaded.units), items)


def _locomo_item(question: Question, gold: Gold) -> Item:
    sessions = (f"{UNRESOLVED}{turn}" if turn in gold.unresolved else session_of(turn) for turn in gold.evidence)
    return Item(
        id=question.id,
        unit=question.unit_id,
        text=question.text,
        category=gold.category,
        answer=gold.answer,
        answerable=gold.answerable,
        sessions=frozenset(sessions),
    )


def _longmemeval(document: Document) -> Benchmark:
    content = document.content
    if not isinstance(content, list) or not content:
        raise DataError(f"{document.name} is no list of LongMemEval questions; give its JSON list of instances")
    items = tuple(
        (_official_item if isinstance(raw, dict) and "question_id" in raw else _index_item)(raw, document.place(index))
        for index, raw in enumerate(content)
    )
    units = tuple(dict.fromkeys(item.unit for item in items))
    return Benchmark("longmemeval", document.name, document.digest, units, items)


def _official_item(raw: Mapping[str, Any], where: str) -> Item:
    identity = field(raw, "question_id", str, where=where)
    return _longmemeval_item(
        identity,
        text=field(raw, "question", str, where=where),
        category=field(raw, "question_type", str, where=where),
        answer=text_of(raw, "answer", where=where),
        sessions=field(raw, "answer_session_ids", list, where=where) if "answer_session_ids" in raw else [],
    )


def _index_item(raw: object, where: str) -> Item:
    """A line of the index of all questions, which writes the question's id before each session's."""
    identity = field(raw, "id", str, where=where)
    answers = field(raw, "gold_answers", list, where=where)
    sessions = [str(session).removeprefix(f"{identity}_") for session in field(raw, "gold_ids", list, where=where)]
    return _longmemeval_item(
        identity,
        text=field(raw, "query", str, where=where),
        category=field(field(raw, "meta", dict, where=where), "question_type", str, where=where),
        answer=text_of({"gold_answers": answers[0]}, "gold_answers", where=where) if answers else None,
        sessions=sessions,
    )


def _longmemeval_item(identity: str, *, text: str, category: str, answer: str | None, sessions: list[Any]) -> Item:
    return Item(
        id=identity,
        unit=identity,
        text=text,
        category=category,
        answer=answer,
        answerable=not identity.endswith("_abs"),
        sessions=frozenset(map(str, sessions)),
    )
