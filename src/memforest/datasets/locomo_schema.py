"""LoCoMo's file schema -> units, questions and gold. Shared by the official file, the sample, and synthetic files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memforest.core.digests import digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.core.times import parse_time
from memforest.core.types import Gold, Observation, Question, Session, Turn, Unit
from memforest.datasets.evidence import evidence_ids
from memforest.datasets.schema import Schema, answer_text, kind_of

CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""Official names, as the benchmark's own evaluator uses them."""

ADVERSARIAL = 5
_SCHEMA = Schema("LoCoMo")
_field = _SCHEMA.field
_SESSION = re.compile(r"session_(\d+)")


def parse_units(raw: object, *, file: str, digest_of_file: str | None = None) -> LoadedDataset:
    """A parsed JSON file -> dataset. Raises DataError that names the file, the unit and the field.

    `digest_of_file` is the sha256 of the bytes; without it the content is hashed.
    """
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise DataError(f"{file} is not a LoCoMo file: expected a JSON list of conversations, got {kind_of(raw)}")
    if not raw:
        raise DataError(f"{file} holds no conversation")
    parsed = [_parse_unit(item, index=index, file=file) for index, item in enumerate(raw)]
    repeated = [unit for unit, count in Counter(item.unit.id for item in parsed).items() if count > 1]
    if repeated:
        raise DataError(f"{file}: sample_id {repeated[0]!r} occurs more than once; ids must be unique")
    return LoadedDataset(
        units=tuple(item.unit for item in parsed),
        questions=tuple(question for item in parsed for question in item.questions),
        golds=tuple(gold for item in parsed for gold in item.golds),
        categories=tuple(CATEGORIES.values()),
        digest=digest_of_file or digest(raw),
        notices=tuple(notice for item in parsed for notice in item.notices),
    )


@dataclass(frozen=True, slots=True)
class _Parsed:
    unit: Unit
    questions: tuple[Question, ...]
    golds: tuple[Gold, ...]
    notices: tuple[str, ...]


def _parse_unit(item: Mapping[str, Any], *, index: int, file: str) -> _Parsed:
    name = item.get("sample_id", f"unit {index}")
    where = f"{file}, {name}"
    conversation = _field(item, "conversation", dict, where=where)
    sessions, notices = _sessions(conversation, where=where)
    unit = Unit(
        id=_field(item, "sample_id", str, where=where),
        index=index,
        speakers=tuple(_field(conversation, key, str, where=where) for key in ("speaker_a", "speaker_b")),
        sessions=sessions,
        observations=tuple(_observations(item.get("observation", {}), sessions=sessions, where=where)),
    )
    _require_unique_turns(unit, where=where)
    pairs = [
        _question(raw, unit=unit, number=number, where=f"{where}, qa[{number}]")
        for number, raw in enumerate(_field(item, "qa", list, where=where))
    ]
    golds = tuple(gold for _, gold in pairs)
    return _Parsed(unit, tuple(question for question, _ in pairs), golds, (*notices, *_evidence_notices(unit, golds)))


def _sessions(conversation: Mapping[str, Any], *, where: str) -> tuple[tuple[Session, ...], tuple[str, ...]]:
    """Sessions by number, never by name: session_10 follows session_9."""
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    dated = sorted(int(match[1]) for key in conversation if (match := re.fullmatch(r"session_(\d+)_date_time", key)))
    orphans = [number for number in dated if number not in numbers]
    name = where.rsplit(", ", 1)[-1]
    notices = (f"{name}: {len(orphans)} session dates without a session, ignored",) if orphans else ()
    return tuple(_session(conversation, number, where=where) for number in numbers), notices


def _session(conversation: Mapping[str, Any], number: int, *, where: str) -> Session:
    place = f"{where}, session_{number}"
    time = parse_time(_field(conversation, f"session_{number}_date_time", str, where=where), where=f"{place}_date_time")
    turns = tuple(
        Turn(
            id=_field(raw, "dia_id", str, where=f"{place}[{position}]"),
            session_id=f"D{number}",
            speaker=_field(raw, "speaker", str, where=f"{place}[{position}]"),
            text=_field(raw, "text", str, where=f"{place}[{position}]"),
            caption=_SCHEMA.optional(raw, "blip_caption", str, where=f"{place}[{position}]"),
        )
        for position, raw in enumerate(_field(conversation, f"session_{number}", list, where=where))
    )
    return Session(id=f"D{number}", number=number, time=time, turns=turns)


def _observations(raw: object, *, sessions: tuple[Session, ...], where: str) -> Iterator[Observation]:
    """Annotated facts in insertion order: session number, first cited turn, file order."""
    if not isinstance(raw, dict):
        raise DataError(f"{where}: `observation` must be an object, got {kind_of(raw)}")
    for session in sessions:
        key = f"session_{session.number}_observation"
        speakers = _field(raw, key, dict, where=where) if key in raw else {}
        facts = [
            _observation(fact, speaker=speaker, session=session, where=where)
            for speaker in speakers
            for fact in _field(speakers, speaker, list, where=f"{where}, {key}")
        ]
        position = {turn.id: place for place, turn in enumerate(session.turns)}
        yield from sorted(facts, key=lambda fact: min(position.get(turn, len(position)) for turn in fact.turn_ids))


def _observation(fact: object, *, speaker: str, session: Session, where: str) -> Observation:
    if not (isinstance(fact, list) and len(fact) == 2 and isinstance(fact[0], str)):
        raise DataError(f"{where}, session_{session.number}_observation: expected [text, dia_id], got {fact!r:.80}")
    references = fact[1] if isinstance(fact[1], list) else [fact[1]]
    turns = evidence_ids(str(reference) for reference in references)
    if not turns:
        raise DataError(f"{where}, session_{session.number}_observation: {fact[0]!r:.60} cites no turn")
    return Observation(text=fact[0], speaker=speaker, session_id=session.id, turn_ids=turns)


def _question(raw: Mapping[str, Any], *, unit: Unit, number: int, where: str) -> tuple[Question, Gold]:
    category = raw.get("category") if isinstance(raw, dict) else None
    if not isinstance(category, int) or isinstance(category, bool) or category not in CATEGORIES:
        raise DataError(f"{where}: unknown category {category!r}; LoCoMo has {', '.join(map(str, CATEGORIES))}")
    identity = f"{unit.id}/qa{number}"
    references = _field(raw, "evidence", list, where=where)
    if not all(isinstance(reference, str) for reference in references):
        raise DataError(f"{where}: `evidence` must be a list of turn ids, got {references!r:.80}")
    evidence = evidence_ids(references)
    known = {turn.id for turn in unit.turns}
    question = Question(
        id=identity,
        unit_id=unit.id,
        text=_field(raw, "question", str, where=where),
        time=max((session.time for session in unit.sessions if session.time is not None), default=None),
    )
    answerable = category != ADVERSARIAL
    gold = Gold(
        question_id=identity,
        category=CATEGORIES[category],
        answerable=answerable,
        answer=_answer(raw, "answer", where=where, required=answerable),
        adversarial_answer=_answer(raw, "adversarial_answer", where=where, required=False),
        evidence=evidence,
        unresolved=tuple(turn for turn in evidence if turn not in known),
    )
    return question, gold


def _answer(raw: Mapping[str, Any], key: str, *, where: str, required: bool) -> str | None:
    """The answer as text; integers are spelled out. An absent answer stays absent, it never becomes a text."""
    value = raw.get(key)
    if value is None:
        if required:
            raise DataError(f"{where}: an answerable question needs `{key}`")
        return None
    return answer_text(value, where=f"{where}: `{key}`")


def _evidence_notices(unit: Unit, golds: tuple[Gold, ...]) -> Iterator[str]:
    unresolved = [f"{turn} ({gold.question_id})" for gold in golds for turn in gold.unresolved]
    if unresolved:
        yield f"{unit.id}: evidence that names no turn, kept in the denominator: {', '.join(unresolved)}"


def _require_unique_turns(unit: Unit, *, where: str) -> None:
    repeated = [turn for turn, count in Counter(turn.id for turn in unit.turns).items() if count > 1]
    if repeated:
        raise DataError(f"{where}: dia_id {repeated[0]!r} occurs more than once; ids must be unique")
