"""LongMemEval's official schema: one question with the haystack of chat sessions that it is asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memforest.core.errors import DataError
from memforest.core.times import parse_time
from memforest.core.types import Gold, Question, Session, Turn, Unit
from memforest.datasets.schema import Schema, answer_text, valid

TYPES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "knowledge-update",
    "temporal-reasoning",
)
SPEAKERS = ("user", "assistant")
ABSTENTION = "_abs"
"""What the ids of questions end with that the history does not answer."""

_SCHEMA = Schema("LongMemEval")
_field = _SCHEMA.field


@dataclass(frozen=True, slots=True)
class Instance:
    """One question, its unit, and what is irregular about them."""

    unit: Unit
    question: Question
    gold: Gold
    oddities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Haystack:
    """Sessions in order of time: position in the file, official id, marked turns."""

    sessions: tuple[Session, ...]
    places: tuple[int, ...]
    ids: tuple[str, ...]
    marked: tuple[str, ...]


def parse_instance(raw: object, *, index: int, where: str) -> Instance:
    """One object of the schema. Raises DataError that names the place."""
    identity = _field(raw, "question_id", str, where=where)
    where = f"{where}, {identity}"
    kind = _field(raw, "question_type", str, where=where)
    if kind not in TYPES:
        raise DataError(f"{where}: unknown question_type {kind!r}; LongMemEval has {', '.join(TYPES)}")
    haystack = _haystack(raw, where=where)
    unit = Unit(id=identity, index=index, speakers=SPEAKERS, sessions=haystack.sessions)
    question = Question(
        id=identity,
        unit_id=identity,
        text=_field(raw, "question", str, where=where),
        time=parse_time(_field(raw, "question_date", str, where=where), where=f"{where}, question_date"),
    )
    wanted = _texts(raw, "answer_session_ids", where=where)
    gold = _gold(raw, haystack, wanted, identity=identity, kind=kind, where=where)
    return Instance(unit, question, gold, tuple(_oddities(question, gold, haystack, wanted)))


def _haystack(raw: object, *, where: str) -> _Haystack:
    """Sessions sorted by full time; equal times keep the file's order, and ids are the places in this order."""
    ids, dates = (_texts(raw, key, where=where) for key in ("haystack_session_ids", "haystack_dates"))
    given = _field(raw, "haystack_sessions", list, where=where)
    if not given:
        raise DataError(f"{where}: `haystack_sessions` holds no session")
    if not len(ids) == len(dates) == len(given):
        raise DataError(
            f"{where}: {len(given)} haystack_sessions, {len(ids)} haystack_session_ids and {len(dates)} "
            "haystack_dates; the three lists must be parallel"
        )
    times = [parse_time(date, where=f"{where}, haystack_dates[{place}]") for place, date in enumerate(dates)]
    places = tuple(sorted(range(len(given)), key=times.__getitem__))
    sessions, marked = [], []
    for number, place in enumerate(places, 1):
        session, marks = _session(
            given[place], number=number, time=times[place], where=f"{where}, haystack_sessions[{place}]"
        )
        sessions.append(session)
        marked += marks
    return _Haystack(tuple(sessions), places, tuple(ids[place] for place in places), tuple(marked))


def _session(raw: object, *, number: int, time: float, where: str) -> tuple[Session, list[str]]:
    """A session, and the ids of its turns that are marked as evidence."""
    name = f"D{number}"
    turns, marked = [], []
    for place, said in enumerate(valid(raw, list, where=where)):
        here = f"{where}[{place}]"
        role = _field(said, "role", str, where=here)
        if role not in SPEAKERS:
            raise DataError(f"{here}: unknown role {role!r}; LongMemEval has {' and '.join(SPEAKERS)}")
        turn = Turn(
            id=f"{name}:{place + 1}",
            session_id=name,
            speaker=role,
            text=_field(said, "content", str, where=here),
        )
        turns.append(turn)
        if _SCHEMA.optional(said, "has_answer", bool, where=here):
            marked.append(turn.id)
    return Session(id=name, number=number, time=time, turns=tuple(turns)), marked


def _gold(raw: object, haystack: _Haystack, wanted: Sequence[str], *, identity: str, kind: str, where: str) -> Gold:
    """Evidence turns where turns are marked; evidence sessions always, by all places of a repeated id."""
    missing = tuple(name for name in wanted if name not in haystack.ids)
    marked = {turn.partition(":")[0] for turn in haystack.marked}
    named = {s.id for s, name in zip(haystack.sessions, haystack.ids, strict=True) if name in wanted}
    known = [session.id for session in haystack.sessions if session.id in named | marked]
    return Gold(
        question_id=identity,
        category=kind,
        answerable=not identity.endswith(ABSTENTION),
        answer=answer_text(_field(raw, "answer", object, where=where), where=f"{where}: `answer`"),
        adversarial_answer=None,
        evidence=(*haystack.marked, *missing) if haystack.marked else (),
        unresolved=missing,
        evidence_sessions=(*known, *missing),
    )


def _oddities(question: Question, gold: Gold, haystack: _Haystack, wanted: Sequence[str]) -> Iterator[str]:
    if list(haystack.places) != sorted(haystack.places):
        yield "sessions out of order of time, sorted by the minute"
    if len(set(haystack.ids)) < len(haystack.ids):
        yield "a session id that comes twice, sessions told apart by their place"
    if any(haystack.ids.count(name) > 1 for name in wanted):
        yield "an evidence session whose id comes twice, all its places count as evidence"
    if gold.unresolved:
        yield "evidence sessions that are not there, kept in the denominator"
    if gold.answerable and not gold.evidence_sessions:
        yield "no evidence, so no recall"
    marked = {turn.partition(":")[0] for turn in haystack.marked}
    unmarked = set(gold.evidence_sessions) - marked - set(gold.unresolved)
    if unmarked and not marked:
        yield "no marked turns, only evidence sessions are known"
    if unmarked and marked:
        yield "evidence sessions without a marked turn, counted in the recall of sessions only"
    times = {session.id: session.time for session in haystack.sessions}
    if any((times.get(name) or 0) > (question.time or 0) for name in gold.evidence_sessions):
        yield "evidence dated after the question, nothing is cut"


def _texts(raw: object, key: str, *, where: str) -> list[str]:
    values = _field(raw, key, list, where=where)
    return [valid(value, str, where=f"{where}: `{key}`[{place}]") for place, value in enumerate(values)]
