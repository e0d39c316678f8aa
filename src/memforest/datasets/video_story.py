"""Seeded videos as M3-Agent would remember them: a graph of faces, voices and texts, and questions with evidence.

Sizes and shares are those of released graphs: of a robot's videos about 31 texts a clip, hardly a face, voices that are
split again and again, and equivalences that join them; videos from the web are shorter, with more faces. Most texts are
of no use for any question; a few tell where things are (and where they are put later), what people bring, wear, want,
do and are called.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Literal

from memforest.core.graph import tagged
from memforest.core.video import GraphNode, NodeType, VideoGraph
from memforest.datasets import video_words as words

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Size:
    """How many of everything: clips of a video where they are not given; texts of both types a clip, least, usual and
    most; faces, voices, and equivalences a hundred clips."""

    clips: Range
    episodic: tuple[int, int, int]
    semantic: tuple[int, int, int]
    people: Range
    faces: Range
    voices: Range
    equivalences: Range


SIZES: Mapping[str, Size] = {
    "robot": Size((33, 82), (3, 11, 34), (7, 11, 32), (3, 5), (0, 3), (28, 79), (60, 110)),
    "web": Size((10, 40), (3, 8, 18), (2, 5, 12), (3, 6), (3, 9), (8, 24), (40, 100)),
}
_ABOUT_SOMEBODY = 0.42
_REPEATED = 0.008
_AGAIN = "again"
"""The kind of a fact that was told before: no question is made from it."""
_REINFORCED = 0.1


@dataclass(frozen=True, slots=True)
class Told:
    """What a text tells that can be asked for: the text's id, its clip, who it is about, and its slots."""

    id: int
    clip: int
    person: int
    slots: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Story:
    """A video's graph, who is in it (names, and the tags of each), and what its texts tell: puts, brings, wears, wants,
    works, likes, named, kept, each in the order of the clips."""

    graph: VideoGraph
    names: tuple[str, ...]
    tags: tuple[tuple[str, ...], ...]
    clips: int
    told: Mapping[str, Sequence[Told]]


@dataclass(eq=False)
class _Draft:
    """A graph in the making. `tags` are those of each person so far, `pairs` what equivalences have joined of them,
    `others` the texts of no use, by type."""

    random: Random
    nodes: list[GraphNode] = field(default_factory=list)
    edges: dict[tuple[int, int], float] = field(default_factory=dict)
    tags: list[list[str]] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    told: dict[str, list[Told]] = field(default_factory=lambda: defaultdict(list))
    others: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def entity(self, kind: Literal["img", "voice"], person: int, contents: Sequence[str]) -> None:
        """A new face or voice of a person."""
        id = len(self.nodes)
        self.nodes.append(GraphNode(id, kind, tuple(contents)))
        self.tags[person].append(f"<{'face' if kind == 'img' else 'voice'}_{id}>")

    def text(self, kind: NodeType, text: str, clip: int) -> int:
        """A new text, linked to all that it names; its id."""
        id = len(self.nodes)
        self.nodes.append(GraphNode(id, kind, (text,), clip))
        for number in tagged(text):
            self.edges[int(number), id] = 2.0 if self.random.random() < _REINFORCED else 1.0
        return id

    def who(self, person: int) -> str:
        """A tag of a person, mostly one of the latest: voices are split again and again."""
        tags = self.tags[person]
        return tags[-1 - min(len(tags) - 1, int(self.random.expovariate(0.7)))]

    def joined(self, person: int) -> list[str]:
        """Tags of a person that equivalences so far join with the first one, itself included."""
        found = self.tags[person][:1]
        for tag in found:
            found += [b if a == tag else a for a, b in self.pairs if tag in (a, b) and not {a, b} <= set(found)]
        return found

    def tell(self, kind: str, node: NodeType, template: str, clip: int, *, person: int, **slots: str) -> None:
        """A text that can be asked for, unless it was told before. Whoever it is about has a tag of which can be known
        who that is."""
        other = self.random.choice([place for place in range(len(self.tags)) if place != person])
        those = {"who": self.random.choice(self.joined(person)), "other": self.who(other)}
        id = self.text(node, template.format_map({**those, **slots}), clip)
        if kind != _AGAIN:
            self.told[kind].append(Told(id=id, clip=clip, person=person, slots=slots))


def story(*, video: str, style: str, clips: int | None, seed: int) -> Story:
    """A video of so many clips, or as many as its style has; equal arguments give equal stories on every machine."""
    random = Random(f"video:{style}:{video}:{seed}")
    size = SIZES[style]
    length = random.randint(*size.clips) if clips is None else clips
    names = tuple(random.sample(words.NAMES, random.randint(*size.people)))
    draft = _Draft(random, tags=[[] for _ in names])
    coming = _arrivals(random, size, length, people=len(names))
    plot = _plot(random, length, names)
    joined = _spread(random, max(1, random.randint(*size.equivalences) * length // 100), length)
    for clip in range(length):
        for kind, person in coming[clip]:
            lines = 1 if random.random() < 0.5 else random.randint(2, 12)
            draft.entity(kind, person, [_filled(random, random.choice(words.VOICE_LINES)) for _ in range(lines)])
        for node in ("episodic", "semantic"):
            _clip_texts(draft, size, clip, node, plot=plot[clip], joined=joined[clip])
    graph = VideoGraph(
        id=video,
        nodes=tuple(draft.nodes),
        edges=tuple((low, high, weight) for (low, high), weight in sorted(draft.edges.items())),
    )
    tags = tuple(tuple(those) for those in draft.tags)
    return Story(graph=graph, names=names, tags=tags, clips=length, told=dict(draft.told))


@dataclass(frozen=True, slots=True)
class _Fact:
    """A text to come: what kind of fact, the type of its node, its template, who it is about, its slots."""

    kind: str
    node: NodeType
    template: str
    person: int
    slots: Mapping[str, str]


def _arrivals(
    random: Random, size: Size, clips: int, *, people: int
) -> list[list[tuple[Literal["img", "voice"], int]]]:
    """Faces and voices by the clip in which they are first met; everybody's first voice is there from the start."""
    share = min(1.0, clips / size.clips[0])
    voices = max(people, round(random.randint(*size.voices) * share))
    coming: list[list[tuple[Literal["img", "voice"], int]]] = [[] for _ in range(clips)]
    coming[0] = [("voice", person) for person in range(people)]
    for _ in range(voices - people):
        coming[random.randrange(clips)].append(("voice", random.randrange(people)))
    for _ in range(random.randint(*size.faces)):
        coming[random.randrange(clips)].append(("img", random.randrange(people)))
    return coming


def _plot(random: Random, clips: int, names: Sequence[str]) -> list[list[_Fact]]:
    """What can be asked for, by clip: what is said of people is said again later, and things are put elsewhere; a thing
    is put somewhere at most once a clip, and is no other fact's."""
    plot: list[list[_Fact]] = [[] for _ in range(clips)]
    things = [f"{colour} {thing}" for colour, thing in product(words.COLOURS, words.THINGS)]
    garments = [f"{colour} {garment}" for colour, garment in product(words.COLOURS, words.GARMENTS)]
    things, garments = random.sample(things, len(things)), random.sample(garments, len(garments))
    jobs, hobbies = random.sample(words.JOBS, len(names)), random.sample(words.HOBBIES, len(names))
    dishes = random.sample(words.DISHES, len(names))
    for person, name in enumerate(names):
        for kind, template, node, slots in (
            ("named", words.NAMED, "semantic", {"name": name}),
            ("works", words.WORKS, "semantic", {"name": name, "job": jobs[person]}),
            ("likes", words.LIKES, "semantic", {"name": name, "hobby": hobbies[person]}),
            ("wants", words.WANTS, "episodic", {"dish": dishes[person]}),
            ("wears", words.WEARS, "episodic", {"garment": garments.pop()}),
        ):
            first = random.randrange(clips)
            plot[first].append(_Fact(kind, node, template, person, slots))  # type: ignore[arg-type]
            if node == "semantic" and first + 1 < clips:
                again = random.randrange(first + 1, clips)
                plot[again].append(_Fact(_AGAIN, "semantic", template, person, slots))
    for _ in range(max(3, clips // 2)):
        thing = things.pop()
        for clip in sorted(random.sample(range(clips), min(clips, random.randint(1, 3)))):
            slots = {"thing": thing, "place": _place(random)}
            template = words.PUTS[clip % 2]
            plot[clip].append(_Fact("puts", "episodic", template, random.randrange(len(names)), slots))
    for _ in range(max(2, clips // 4)):
        fact = _Fact("brings", "episodic", words.BRINGS, random.randrange(len(names)), {"thing": things.pop()})
        plot[random.randrange(clips)].append(fact)
    for thing in random.sample(words.THINGS, min(len(words.THINGS), max(2, clips // 6))):
        slots = {"thing": thing, "place": _place(random)}
        plot[random.randrange(clips)].append(_Fact("kept", "semantic", words.KEPT, 0, slots))
    return plot


def _clip_texts(draft: _Draft, size: Size, clip: int, node: NodeType, *, plot: Sequence[_Fact], joined: int) -> None:
    """The texts of one type in a clip: facts among others, in random order, after equivalences among the semantic."""
    random = draft.random
    least, usual, most = getattr(size, node)
    facts = [fact for fact in plot if fact.node == node]
    count = round(random.triangular(least, most, usual))
    if node == "semantic":
        for _ in range(joined):
            _equivalence(draft, clip)
    places: list[_Fact | None] = [*facts, *[None] * max(0, count - len(facts))]
    for fact in random.sample(places, len(places)):
        if fact is not None:
            draft.tell(fact.kind, node, fact.template, clip, person=fact.person, **fact.slots)
        else:
            draft.text(node, _other(draft, node), clip)


def _equivalence(draft: _Draft, clip: int) -> None:
    """Says that two faces or voices are one person's, where somebody has two; no voice is given two faces."""
    several = [tags for tags in draft.tags if len(tags) > 1]
    if several:
        first, second = sorted(draft.random.sample(draft.random.choice(several), 2))
        # Faces come first in order of their tags.
        faces = {face for face, voice in draft.pairs if voice == second and "face" in face}
        if "face" not in first or faces <= {first}:
            draft.pairs.append((first, second))
            draft.text("semantic", f"Equivalence: {first}, {second}", clip)


def _other(draft: _Draft, node: NodeType) -> str:
    """A text that is of no use for any question; sometimes one that was there before."""
    random = draft.random
    before = draft.others[node]
    if before and random.random() < _REPEATED:
        return random.choice(before)
    who, other = draft.random.sample(range(len(draft.tags)), 2)
    template = random.choice(words.OTHERS[node, random.random() < _ABOUT_SOMEBODY])
    before.append(_filled(random, template, who=draft.who(who), other=draft.who(other)))
    return before[-1]


def _filled(random: Random, template: str, **slots: str) -> str:
    furniture, furniture2 = random.sample(words.FURNITURE, 2)
    drawn = {
        "room": random.choice(words.ROOMS),
        "furniture": furniture,
        "furniture2": furniture2,
        "colour": random.choice(words.COLOURS),
        "side": random.choice(words.SIDES),
        "mood": random.choice(words.MOODS),
        "manner": random.choice(words.MANNERS),
        "habit": random.choice(words.HABITS),
        "count": str(random.randint(2, 60)),
        "hour": str(random.randint(1, 12)),
    }
    return template.format_map({**drawn, **slots})


def _place(random: Random) -> str:
    return f"{random.choice(words.SIDES)} the {random.choice(words.FURNITURE)} in the {random.choice(words.ROOMS)}"


def _spread(random: Random, count: int, clips: int) -> list[int]:
    """So many things over the clips."""
    found = [0] * clips
    for _ in range(count):
        found[random.randrange(clips)] += 1
    return found
