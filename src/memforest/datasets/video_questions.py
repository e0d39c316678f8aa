"""Questions about a generated video, each with the texts that answer it, and the moment at which it is asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random

from memforest.datasets import video_words as words
from memforest.datasets.m3bench_schema import TYPES
from memforest.datasets.video_story import Story, Told

EVIDENCE, HOP, MODAL, PERSON, KNOWLEDGE = TYPES


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its answer, its types, the ids of the texts it rests on, and the clips in which that is the answer.

    `first` is the clip that the last of the evidence stands in, `last` the one before something else became true.
    """

    text: str
    answer: str
    types: tuple[str, ...]
    evidence: tuple[int, ...]
    first: int
    last: int

    def before_clip(self, random: Random) -> int:
        """The last clip that had ended when it was asked: any in which its answer is right."""
        return random.randint(self.first, self.last)


def questions(story: Story, count: int, *, random: Random, to_the_end: bool) -> list[Asked]:
    """So many questions, of all kinds in turn; again from the start where a video has too few facts.

    to_the_end: only those whose answers are right when the video is over. What a kind asks about is drawn without
    putting it back. A question about a person is asked by name, so the text that says the name is evidence too, unless
    the fact's own text says it.
    """
    end = story.clips - 1
    kinds = [[asked for asked in kind(story, random) if not to_the_end or asked.last == end] for kind in _KINDS]
    turns = [_again(random, pool) for pool in kinds if pool]
    return [next(turn) for turn, _ in zip(cycle(turns), range(count), strict=False)] if turns else []


def _again(random: Random, pool: Sequence[Asked]) -> Iterator[Asked]:
    while True:
        yield from random.sample(pool, len(pool))


def _spells(story: Story) -> Iterator[tuple[Told, int]]:
    """Where a thing was put, with the last clip in which it was still there."""
    by_thing: dict[str, list[Told]] = defaultdict(list)
    for told in story.told.get("puts", ()):
        by_thing[told.slots["thing"]].append(told)
    for puts in by_thing.values():
        for told, following in zip(puts, [*puts[1:], None], strict=True):
            yield told, story.clips - 1 if following is None else following.clip - 1


def _where(story: Story, random: Random) -> Iterator[Asked]:
    for told, last in _spells(story):
        yield from _asked(words.WHERE, told.slots["place"], (EVIDENCE,), [told], last=last, slots=told.slots)


def _whether(story: Story, random: Random) -> Iterator[Asked]:
    """Asked of the right place, or of one of another thing."""
    spells = list(_spells(story))
    for told, last in spells:
        other = random.choice(spells)[0].slots["place"]
        place = random.choice([told.slots["place"], other])
        answer = "Yes." if place == told.slots["place"] else "No."
        yield from _asked(
            words.WHETHER, answer, (EVIDENCE, MODAL), [told], last=last, slots={**told.slots, "place": place}
        )


def _brought(story: Story, random: Random) -> Iterator[Asked]:
    """What somebody brought until then; so it is asked of all, or of the first, before the next comes."""
    for person, named in _by_person(story, "named").items():
        brings = [told for told in story.told.get("brings", ()) if told.person == person]
        for count in range(1, len(brings) + 1):
            those, following = brings[:count], brings[count:]
            last = following[0].clip - 1 if following else story.clips - 1
            answer = ", ".join(told.slots["thing"] for told in those)
            yield from _asked(words.BROUGHT, answer, (EVIDENCE, PERSON), [named, *those], last=last, slots=named.slots)


def _job_of(story: Story, random: Random) -> Iterator[Asked]:
    works = _by_person(story, "works")
    for told, last in _spells(story):
        job = works[told.person]
        # Only while the thing is there: somebody else may put it at the same place later.
        yield from _asked(words.WHOSE_JOB, job.slots["job"], (HOP, PERSON), [told, job], last=last, slots=told.slots)


def _dinner(story: Story, random: Random) -> Iterator[Asked]:
    wants = _by_person(story, "wants")
    for told in story.told.get("wears", ()):
        dish = wants[told.person]
        answer = dish.slots["dish"]
        yield from _asked(words.DINNER, answer, (MODAL, HOP), [told, dish], last=story.clips - 1, slots=told.slots)


def _hobby(story: Story, random: Random) -> Iterator[Asked]:
    for told in story.told.get("likes", ()):
        yield from _asked(words.HOBBY, told.slots["hobby"], (PERSON,), [told], last=story.clips - 1, slots=told.slots)


def _job(story: Story, random: Random) -> Iterator[Asked]:
    for told in story.told.get("works", ()):
        answer = told.slots["job"]
        yield from _asked(words.JOB, answer, (PERSON, KNOWLEDGE), [told], last=story.clips - 1, slots=told.slots)


def _kept(story: Story, random: Random) -> Iterator[Asked]:
    for told in story.told.get("kept", ()):
        answer = told.slots["place"]
        yield from _asked(words.KEPT_WHERE, answer, (KNOWLEDGE,), [told], last=story.clips - 1, slots=told.slots)


_KINDS: Sequence[Callable[[Story, Random], Iterator[Asked]]] = (
    *(_where, _job_of, _kept, _hobby, _brought, _whether, _dinner, _job),
)


def _asked(
    template: str, answer: str, types: tuple[str, ...], evidence: Sequence[Told], *, last: int, slots: Mapping[str, str]
) -> Iterator[Asked]:
    """The question, unless its answer was never right while all of its evidence was there."""
    first = max(told.clip for told in evidence)
    if first <= last:
        ids = tuple(dict.fromkeys(told.id for told in evidence))
        text = template.format_map(slots)
        yield Asked(text=text, answer=answer, types=types, evidence=ids, first=first, last=last)


def _by_person(story: Story, kind: str) -> dict[int, Told]:
    return {told.person: told for told in story.told.get(kind, ())}
