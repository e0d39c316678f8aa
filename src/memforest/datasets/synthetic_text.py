"""Seeded histories in LoCoMo's schema at any size, for scaling studies.

Two speakers talk about attributes of their lives that change over the sessions. A fact states a new value,
repeats one, tells an episode around it, or is trivial; it is said in one turn and noted as one observation of
that turn. Questions are made from facts. Names are composed of syllables, so large units have distinct facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import chain, cycle, islice
from random import Random
from string import Formatter
from typing import Any, Literal

from memforest.datasets import synthetic_words as words
from memforest.datasets.synthetic_words import Statement, Topic

Kind = Literal["state", "episode", "repeat", "trivial"]
Record = dict[str, Any]
Slots = Mapping[str, str]

NEWS = ("state", "episode")
CATEGORIES = (4, 2, 5, 1, 4, 4, 2, 5, 1, 3, 4, 4, 2, 5, 1, 4, 4, 2, 5, 4)
"""Question categories in the order in which a unit takes them, again from the start after the last."""

FIRST_MINUTE = 7 * 60
WAKING_MINUTES = 16 * 60
USUAL_GAP = 8 * WAKING_MINUTES
LONGEST_SPAN = 20 * 365 * WAKING_MINUTES
REMEMBERED_EPISODES = 8

FIRST_PERSON = {"who": "I", "whom": "me", "whose": "my", "s": "", "is": "am", "has": "have"}


@dataclass(frozen=True, slots=True)
class Occasion:
    """The turn in which something is said: by whom, to whom, on which topic, when."""

    speaker: str
    other: str
    topic: Topic
    session: int
    dia_id: str
    moment: datetime

    @property
    def slots(self) -> dict[str, str]:
        """The fields of templates that the occasion fills."""
        month = f"{words.MONTHS[self.moment.month - 1]} {self.moment.year}"
        return {"other": self.other, "label": self.topic.label, "date": _date(self.moment), "month": month}


@dataclass(frozen=True, slots=True)
class Fact:
    """One observation: `said` is its clause in the turn, `noted` the sentence about the speaker."""

    kind: Kind
    occasion: Occasion
    statement: Statement
    slots: Slots
    said: str
    noted: str

    def asked(self, template: str, name: str | None = None) -> str:
        """`template` filled with the fact's slots, about its speaker or another `name`."""
        return template.format_map({**self.slots, **_third_person(name or self.occasion.speaker)})


@dataclass(frozen=True, slots=True)
class Thread:
    """What one speaker has said on one topic: the latest state and the latest episodes."""

    state: Fact | None = None
    episodes: tuple[Fact, ...] = ()


Threads = dict[tuple[str, str], Thread]


def generate(
    *,
    units: int,
    sessions: int,
    turns_per_session: int,
    facts_per_session: int,
    questions_per_unit: int,
    seed: int,
) -> list[dict[str, Any]]:
    """`units` histories in LoCoMo's schema; equal arguments give equal results on every machine.

    Each unit has `sessions` sessions of `turns_per_session` turns and `facts_per_session` observations, and
    `questions_per_unit` questions. Unit i does not depend on `units`. Evidence names the turns a question was
    made from, not turns that repeat them. Multi-hop evidence is from different sessions where a unit has two.
    Questions occur again where a unit has too few facts for a category.

    Raises ValueError when a size is below 1, or `questions_per_unit` below 0.
    """
    _check_least(1, units=units, sessions=sessions)
    _check_least(1, turns_per_session=turns_per_session, facts_per_session=facts_per_session)
    _check_least(0, questions_per_unit=questions_per_unit)
    sizes = {"sessions": sessions, "turns": turns_per_session, "facts_each": facts_per_session}
    return [_unit(index, seed, questions=questions_per_unit, **sizes) for index in range(units)]


def _check_least(least: int, **arguments: int) -> None:
    for name, value in arguments.items():
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")


def _unit(index: int, seed: int, *, sessions: int, turns: int, facts_each: int, questions: int) -> Record:
    random = Random(f"synthetic:{seed}:{index}")
    speakers = random.sample(words.SPEAKERS, 2)
    unit: dict[str, Any] = {"sample_id": f"synthetic-{index}", "qa": []}
    unit["conversation"] = {"speaker_a": speakers[0], "speaker_b": speakers[1]}
    unit |= {"observation": {}, "event_summary": {}, "session_summary": {}}
    threads: Threads = defaultdict(Thread)
    history: list[Fact] = []
    for session, moment in enumerate(_moments(random, sessions), start=1):
        occasions = _occasions(random, speakers, session, moment, turns)
        facts = _facts(random, occasions, threads, facts_each)
        _add_session(unit, _turns(random, occasions, facts), facts)
        history += facts
    unit["qa"] = _questions(random, history, questions)
    return unit


def _moments(random: Random, count: int) -> list[datetime]:
    # Only the minutes of waking days are counted, so that nobody talks at night.
    gap = max(1, min(USUAL_GAP, LONGEST_SPAN // count))
    minute = random.randrange(365 * WAKING_MINUTES)
    moments = []
    for _ in range(count):
        days, rest = divmod(minute, WAKING_MINUTES)
        moments.append(datetime(2022, 1, 1) + timedelta(days=days, minutes=FIRST_MINUTE + rest))
        minute += random.randint(max(1, gap // 8), max(1, gap * 15 // 8))
    return moments


def _date(moment: datetime, comma: str = "") -> str:
    return f"{moment.day} {words.MONTHS[moment.month - 1]}{comma} {moment.year}"


def _date_time(moment: datetime) -> str:
    half = "am" if moment.hour < 12 else "pm"
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {half} on {_date(moment, ',')}"


def _occasions(random: Random, speakers: Sequence[str], session: int, moment: datetime, turns: int) -> list[Occasion]:
    topics = random.sample(words.TOPICS, random.randint(2, 3))
    first = random.randrange(2)
    shares = [topics[turn * len(topics) // turns] for turn in range(turns)]
    pairs = [(speakers[(first + turn) % 2], speakers[(first + turn + 1) % 2]) for turn in range(turns)]
    return [
        Occasion(*pair, topic, session, f"D{session}:{turn}", moment)
        for turn, (pair, topic) in enumerate(zip(pairs, shares, strict=True), start=1)
    ]


def _facts(random: Random, occasions: Sequence[Occasion], threads: Threads, count: int) -> list[Fact]:
    """The facts of a session in the order of its turns; `threads` are brought up to date."""
    facts: list[Fact] = []
    for position in _positions(random, count, len(occasions)):
        occasion = occasions[position]
        key = (occasion.speaker, occasion.topic.label)
        fact = _next_fact(random, occasion, threads[key], first=not facts)
        threads[key] = _continued(threads[key], fact)
        facts.append(fact)
    return facts


def _positions(random: Random, facts: int, turns: int) -> list[int]:
    even = [fact * turns // facts for fact in range(facts)]
    return even if facts > turns else sorted(random.sample(range(turns), facts))


def _next_fact(random: Random, occasion: Occasion, thread: Thread, *, first: bool) -> Fact:
    if thread.state is None:
        return _state(random, occasion, old=None)
    # One change a session: the value "as of" a date is then a single one.
    if thread.state.occasion.session != occasion.session and random.random() < 0.35:
        return _state(random, occasion, old=thread.state.slots["value"])
    roll = random.random()
    # A session's first fact is news, so that questions over several sessions can always be made.
    if first or roll >= 0.35:
        return _episode(random, occasion, thread.state.slots["value"])
    return _trivial(random, occasion) if roll < 0.12 else _repeat(random, occasion, thread, thread.state)


def _continued(thread: Thread, fact: Fact) -> Thread:
    if fact.kind == "state":
        return Thread(fact)
    told = (*thread.episodes, fact) if fact.kind == "episode" else thread.episodes
    return replace(thread, episodes=told[-REMEMBERED_EPISODES:])


def _state(random: Random, occasion: Occasion, *, old: str | None) -> Fact:
    topic = occasion.topic
    value = _draw(random, topic.value)
    while value == old:
        value = _draw(random, topic.value)
    phrasings = topic.began if old is None else topic.changed
    statement = Statement(phrasings, f"{topic.state} as of {{date}}?", "{value}")
    return _fact(random, "state", occasion, statement, {"value": value, "old": old or ""})


def _episode(random: Random, occasion: Occasion, value: str) -> Fact:
    statement = random.choice(occasion.topic.episodes)
    return _fact(random, "episode", occasion, statement, {"value": value} | _drawn(random, statement))


def _repeat(random: Random, occasion: Occasion, thread: Thread, state: Fact) -> Fact:
    if not thread.episodes or random.random() < 0.3:
        still = replace(state.statement, phrasings=occasion.topic.still)
        return _fact(random, "repeat", occasion, still, state.slots)
    episode, lead = random.choice(thread.episodes), random.choice(words.REPEAT_LEADS)
    again = replace(episode.statement, phrasings=tuple(lead + said for said in episode.statement.phrasings))
    return _fact(random, "repeat", occasion, again, episode.slots)


def _trivial(random: Random, occasion: Occasion) -> Fact:
    noted, said = random.choice(words.TRIVIA)
    statement = Statement((noted,), said, "")
    return _fact(random, "trivial", occasion, statement, _drawn(random, statement), said=said)


def _fact(
    random: Random, kind: Kind, occasion: Occasion, statement: Statement, drawn: Slots, *, said: str = ""
) -> Fact:
    slots = {**drawn, **occasion.slots}
    template = random.choice(statement.phrasings)
    clause = (said or template).format_map(slots | FIRST_PERSON)
    noted = _sentence(template.format_map(slots | _third_person(occasion.speaker)))
    return Fact(kind, occasion, statement, slots, clause, noted)


def _third_person(name: str) -> dict[str, str]:
    return {"who": name, "whom": name, "whose": f"{name}'s", "s": "s", "is": "is", "has": "has"}


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _draw(random: Random, slot: str) -> str:
    return "".join(random.choice(part) for part in words.SLOTS[slot])


def _drawn(random: Random, statement: Statement) -> dict[str, str]:
    return {slot: _draw(random, slot) for slot in _slots_of(statement)}


@cache
def _slots_of(statement: Statement) -> tuple[str, ...]:
    templates = " ".join((*statement.phrasings, statement.question, statement.answer))
    return tuple(dict.fromkeys(name for _, name, _, _ in Formatter().parse(templates) if name in words.SLOTS))


def _turns(random: Random, occasions: Sequence[Occasion], facts: Sequence[Fact]) -> list[Record]:
    told: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        told[fact.occasion.dia_id].append(fact)
    return [
        {"speaker": turn.speaker, "dia_id": turn.dia_id, "text": _line(random, turn, told[turn.dia_id])}
        for turn in occasions
    ]


def _line(random: Random, occasion: Occasion, facts: Sequence[Fact]) -> str:
    if not facts:
        return random.choice(words.SMALL_TALK).format_map(occasion.slots)
    clauses = [fact.said for fact in facts]
    if facts[0].kind not in NEWS:
        return " ".join(map(_sentence, clauses))
    clauses[0] = random.choice(words.OPENERS).format_map(occasion.slots) + clauses[0]
    return " ".join(map(_sentence, clauses)) + random.choice(words.TAILS).format_map(occasion.slots)


def _add_session(unit: dict[str, Any], turns: list[Record], facts: Sequence[Fact]) -> None:
    name, moment = f"session_{facts[0].occasion.session}", facts[0].occasion.moment
    speakers = (unit["conversation"]["speaker_a"], unit["conversation"]["speaker_b"])
    own = {speaker: [fact for fact in facts if fact.occasion.speaker == speaker] for speaker in speakers}
    observations = {who: [[fact.noted, fact.occasion.dia_id] for fact in own[who]] for who in speakers}
    events = {who: [fact.noted for fact in own[who] if fact.kind == "state"] for who in speakers}
    unit["conversation"] |= {f"{name}_date_time": _date_time(moment), name: turns}
    unit["observation"][f"{name}_observation"] = observations
    unit["event_summary"][f"events_{name}"] = {**events, "date": _date(moment, ",")}
    unit["session_summary"][f"{name}_summary"] = _summary(speakers, facts, moment)


def _summary(speakers: Sequence[str], facts: Sequence[Fact], moment: datetime) -> str:
    labels = " and ".join(dict.fromkeys(fact.occasion.topic.label for fact in facts))
    news = [fact.noted for fact in facts if fact.kind in NEWS]
    return " ".join([f"{' and '.join(speakers)} talked about {labels} on {_date(moment)}.", *news[:4]])


def _questions(random: Random, facts: Sequence[Fact], count: int) -> list[Record]:
    news = [fact for fact in facts if fact.kind in NEWS]
    states = [fact for fact in news if fact.kind == "state"]
    changes = _unambiguous(states, _when)
    pool = _unambiguous(news, _question)
    rows: dict[int, Iterator[Record]] = {
        1: _multi_hop(random, _successions(states, changes), pool),
        2: (_row(2, _when(fact), fact.slots["date"], fact) for fact in _cycled(random, changes)),
        3: (_guess(fact) for fact in _cycled(random, changes)),
        4: (_row(4, _question(fact), _answer(fact), fact) for fact in _cycled(random, pool)),
        5: (_adversarial(fact) for fact in _cycled(random, _unanswerable(news))),
    }
    return [next(rows[category]) for category in islice(cycle(CATEGORIES), count)]


def _cycled(random: Random, facts: Sequence[Fact]) -> Iterator[Fact]:
    return cycle(random.sample(facts, len(facts)))


def _unambiguous(facts: Sequence[Fact], ask: Callable[[Fact], str]) -> Sequence[Fact]:
    """The facts whose question no other fact shares, or all facts where there is none."""
    counts = Counter(map(ask, facts))
    return [fact for fact in facts if counts[ask(fact)] == 1] or facts


def _unanswerable(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts that hold for one speaker only, or all facts where there is none."""
    known = {fact.asked(_particular(fact)) for fact in facts}
    wrong = {fact.asked(_particular(fact), fact.occasion.other): fact for fact in facts}
    return [fact for question, fact in wrong.items() if question not in known] or facts


def _question(fact: Fact) -> str:
    return fact.asked(fact.statement.question)


def _answer(fact: Fact) -> str:
    return fact.asked(fact.statement.answer)


def _when(fact: Fact) -> str:
    return fact.asked(fact.occasion.topic.when)


def _particular(fact: Fact) -> str:
    """The template of a question that names something only this fact is about."""
    return fact.occasion.topic.when if fact.kind == "state" else fact.statement.question


def _row(category: int, question: str, answer: str, *facts: Fact) -> Record:
    evidence = list(dict.fromkeys(fact.occasion.dia_id for fact in facts))
    return {"question": question, "answer": answer, "evidence": evidence, "category": category}


def _guess(fact: Fact) -> Record:
    question, answer = fact.occasion.topic.guess
    return _row(3, fact.asked(question), fact.asked(answer), fact)


def _adversarial(fact: Fact) -> Record:
    answer = fact.slots["date"] if fact.kind == "state" else _answer(fact)
    row = _row(5, fact.asked(_particular(fact), fact.occasion.other), answer, fact)
    row["adversarial_answer"] = row.pop("answer")
    return row


def _successions(states: Sequence[Fact], changes: Sequence[Fact]) -> list[Record]:
    """Questions about three values that followed each other, the middle one among `changes`."""
    chains: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in states:
        chains[fact.occasion.speaker, fact.occasion.topic.label].append(fact)
    asked = set(map(_when, changes))
    triples = chain.from_iterable(zip(own, own[1:], own[2:], strict=False) for own in chains.values())
    return [_succession(*triple) for triple in triples if _when(triple[1]) in asked]


def _succession(before: Fact, fact: Fact, after: Fact) -> Record:
    question = fact.asked(f"{fact.occasion.topic.state} right before and right after this one: {{value}}?")
    return _row(1, question, f"{before.slots['value']}; {after.slots['value']}", before, fact, after)


def _multi_hop(random: Random, successions: Sequence[Record], pool: Sequence[Fact]) -> Iterator[Record]:
    by_session: dict[int, list[Fact]] = defaultdict(list)
    for fact in pool:
        by_session[fact.occasion.session].append(fact)
    shuffled = iter(random.sample(successions, len(successions)))
    for fact in _cycled(random, pool):
        yield from islice(shuffled, 1)
        others = [session for session in by_session if session != fact.occasion.session] or list(by_session)
        yield _joined(fact, random.choice(by_session[random.choice(others)]))


def _joined(first: Fact, second: Fact) -> Record:
    ending = _question(second)
    question = f"{_question(first)[:-1]}, and {ending[0].lower()}{ending[1:]}"
    return _row(1, question, f"{_answer(first)}; {_answer(second)}", first, second)
