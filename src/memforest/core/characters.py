"""Who is who in a video: characters, read from what a memory's graph says of its faces and voices."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from memforest.core.graph import TAG, MemoryGraph
from memforest.core.seeding import generator
from memforest.core.types import MemoryNode

Characters = Mapping[str, tuple[str, ...]]
"""character_0, character_1, ... -> the ids of the entities that are this character, each entity in one."""

CHARACTER = "character"


def characters_of(graph: MemoryGraph) -> Characters:
    """Entities joined by what the equivalences name together; an entity of which none speaks is a character alone.

    Characters are numbered in the order in which equivalences first name them, then the others in the graph's. A voice
    has one face: of the equivalences that name one, only that with the largest weight of its edge to the voice joins
    the voice (0 without an edge, the first of equal ones). Tags that name no entity are ignored.
    """
    joined = {id: [id] for id in graph.entity}
    told = _told(graph)
    for first, *others in told:
        for other in others:
            _join(joined, first, other)
    order = dict.fromkeys([*itertools.chain.from_iterable(told), *graph.entity])
    groups = {id(joined[entity]): joined[entity] for entity in order}
    place = {entity: number for number, entity in enumerate(order)}
    return {f"{CHARACTER}_{n}": tuple(sorted(group, key=place.__getitem__)) for n, group in enumerate(groups.values())}


def translated(text: str, characters: Characters) -> str:
    """The text with the tags of faces and voices replaced by their characters: <face_3> becomes <character_0>."""
    owner = {entity: name for name, entities in characters.items() for entity in entities}
    return TAG.sub(lambda tag: tag[0] if _is_character(tag) or tag[2] not in owner else f"<{owner[tag[2]]}>", text)


def named_entities(text: str, characters: Characters) -> list[str]:
    """Ids of the entities that a text names by their own tags or by those of characters, each once, in order."""
    known = {entity for entities in characters.values() for entity in entities}
    found: dict[str, None] = {}
    for tag in TAG.finditer(text):
        found |= dict.fromkeys(characters.get(_name(tag), ()) if _is_character(tag) else {tag[2]} & known)
    return list(found)


def variants(text: str, *, graph: MemoryGraph, characters: Characters, limit: int) -> tuple[str, ...]:
    """The texts in which every character that `text` names is one of its faces and voices instead: all of them, or
    `limit` that are drawn by the text alone and hold each face and voice equally often. Only `text` where it names no
    character."""
    named = list(dict.fromkeys(_name(tag) for tag in TAG.finditer(text) if _is_character(tag)))
    tags = {name: [graph.entity[id].tag for id in characters[name]] for name in named if name in characters}
    if math.prod(map(len, tags.values())) <= limit:
        choices: Iterator[tuple[str, ...]] = itertools.product(*tags.values())
    else:
        choices = zip(*_drawn(list(tags.values()), text=text, limit=limit), strict=True)
    return tuple(dict.fromkeys(_renamed(text, dict(zip(tags, choice, strict=True))) for choice in choices))


def _told(graph: MemoryGraph) -> list[list[str]]:
    """The entities that each equivalence joins, two or more."""
    named = [_entities(node, graph) for node in graph.equivalences]
    faces = [any(graph.entity[id].kind == "face" for id in ids) for ids in named]
    strongest: dict[str, int] = {}
    for place, ids in enumerate(named):
        for voice in _voices(ids, graph) if faces[place] else ():
            best = strongest.setdefault(voice, place)
            if _weight(graph, voice, place) > _weight(graph, voice, best):
                strongest[voice] = place
    kept = [
        [id for id in ids if not faces[place] or strongest.get(id, place) == place] for place, ids in enumerate(named)
    ]
    return [ids for ids in kept if len(ids) > 1]


def _entities(node: MemoryNode, graph: MemoryGraph) -> list[str]:
    numbers = [tag[2] for tag in TAG.finditer(node.text) if not _is_character(tag)]
    return [id for id in dict.fromkeys(numbers) if id in graph.entity]


def _voices(ids: Sequence[str], graph: MemoryGraph) -> list[str]:
    return [id for id in ids if graph.entity[id].kind == "voice"]


def _weight(graph: MemoryGraph, entity: str, place: int) -> float:
    return graph.neighbours.get(entity, {}).get(graph.equivalences[place].id, 0.0)


def _join(joined: dict[str, list[str]], first: str, second: str) -> None:
    """Makes the groups of two entities one list."""
    if joined[first] is not joined[second]:
        moved = joined[second]
        joined[first].extend(moved)
        joined.update(dict.fromkeys(moved, joined[first]))


def _drawn(tags: Sequence[Sequence[str]], *, text: str, limit: int) -> list[list[str]]:
    """For each character `limit` of its tags in random order, as evenly often as can be."""
    random = generator(seed=0, purpose=f"variants/{text}")
    return [random.permutation(np.resize(random.permutation(names), limit)).tolist() for names in tags]


def _renamed(text: str, tags: Mapping[str, str]) -> str:
    return TAG.sub(lambda tag: f"<{tags[_name(tag)]}>" if _is_character(tag) and _name(tag) in tags else tag[0], text)


def _is_character(tag: re.Match[str]) -> bool:
    return tag[1].lower() == CHARACTER


def _name(tag: re.Match[str]) -> str:
    return f"{tag[1].lower()}_{tag[2]}"
