"""Memories of videos with many texts, and what a search of one is by the book: lists, dictionaries and loops."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from memforest.core.characters import characters_of, named_entities
from memforest.core.graph import Entity, MemoryGraph
from memforest.core.types import CLIP_SECONDS, Memory, MemoryNode, Query, clip_of
from memforest.core.vectors import Vector, on_grid, similarity
from tests.builders import node, unit_vectors
from tests.graphs import carrying


def video(count: int, *, clips: int, told: int = 0, seed: int = 0, dimension: int = 4) -> Memory:
    """`count` texts over `clips` clips, some of them equal in vector, each linked to one of four voices or to none;
    `told` equivalences between voices."""
    drawn = random.Random(seed)
    vectors = unit_vectors(max(1, count * 3 // 4), dimension=dimension, seed=seed)
    entities = [Entity(str(number), "voice") for number in range(4)]
    times = sorted(drawn.randrange(clips) * CLIP_SECONDS for _ in range(count))
    nodes = [node(str(10 + n), f"text {n}", vector=drawn.choice(vectors), time=times[n]) for n in range(count)]
    linked = [(voice, one.id, 1.0) for one in nodes if (voice := drawn.choice(["0", "1", "2", "3", None])) is not None]
    equivalences = [
        replace(
            node(str(1000 + n), "Equivalence: <voice_0>, <voice_1>", vector=drawn.choice(vectors), time=30.0 * n),
            kind="semantic",
        )
        for n in range(told)
    ]
    return carrying(nodes, entities=entities, edges=linked, equivalences=equivalences)


def asked(text: str = "Who is it?", *, seed: int = 0, dimension: int = 4, variants: int = 0) -> Query:
    """A query with random vectors."""
    vectors = unit_vectors(1 + variants, dimension=dimension, seed=1000 + seed)
    return Query(text=text, vector=vectors[0], variants=vectors[1:] if variants else None)


def graph_of(memory: Memory) -> MemoryGraph:
    """The graph that a memory of a video has."""
    assert memory.graph is not None
    return memory.graph


def scored(memory: Memory, query: Query, *, equivalences: bool) -> list[tuple[MemoryNode, float]]:
    """The texts of the pool with their similarities, the most similar first."""
    graph = graph_of(memory)
    texts = [*memory.nodes, *(graph.equivalences if equivalences else ())]
    named = named_entities(query.text, characters_of(graph))
    pool = [text for text in texts if not named or any(one in graph.neighbours.get(text.id, {}) for one in named)]
    vectors = [query.vector] if query.variants is None else list(query.variants)
    pairs = [(text, max(_cosine(text.vector, vector) for vector in vectors)) for text in pool]
    return sorted(pairs, key=lambda pair: -pair[1])


def _cosine(first: Vector, second: Vector) -> float:
    return float(similarity(on_grid(first), on_grid(second)))


def fused(pairs: Sequence[tuple[MemoryNode, float]], *, candidates: int, anchors: int, gamma: float) -> list[float]:
    """v of the candidates, gamma s of the others."""
    head = pairs[:candidates]
    clips = [clip_of(text) or 0 for text, _ in head]
    nearness = [sum(math.exp(-abs(clip - other)) for other in clips[:anchors]) / len(clips[:anchors]) for clip in clips]
    near = [gamma * score + (1 - gamma) * p for (_, score), p in zip(head, nearness, strict=True)]
    return [*near, *(gamma * score for _, score in pairs[candidates:])]


def best_nodes(memory: Memory, query: Query, *, gamma: float, equivalences: bool, nodes: int) -> list[str]:
    """The released search by nodes: of the best texts those that are no equivalences."""
    pairs = scored(memory, query, equivalences=equivalences)
    values = fused(pairs, candidates=4 * nodes, anchors=max(1, round(0.2 * nodes)), gamma=gamma)
    order = sorted(range(len(pairs)), key=lambda place: (-values[place], -pairs[place][1]))
    chosen = [pairs[place][0].id for place in order[:nodes]]
    return [id for id in chosen if id in {one.id for one in memory.nodes}]


def best_clips(
    memory: Memory, query: Query, *, gamma: float, equivalences: bool, nodes: int, clips: int, threshold: float
) -> list[int]:
    """The released search by clips: a clip is as good as its best text, and that must be similar enough."""
    pairs = scored(memory, query, equivalences=equivalences)
    values = fused(pairs, candidates=4 * nodes, anchors=max(1, round(0.2 * nodes)), gamma=gamma)
    of_clip: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for (text, score), value in zip(pairs, values, strict=True):
        of_clip[clip_of(text) or 0].append((value, score))
    good = [clip for clip, found in of_clip.items() if max(score for _, score in found) >= threshold]
    return sorted(good, key=lambda clip: tuple(-x for x in max(of_clip[clip])))[:clips]


def shared_out_slowly(weights: Sequence[float], available: Sequence[int], places: int) -> list[int]:
    """Whole places by weight, the others one by one in turns."""
    places = min(places, sum(available))
    shares = [weight / sum(weights) * places for weight in weights]
    given = [min(room, math.floor(share)) for share, room in zip(shares, available, strict=True)]
    remainders = [share - whole for share, whole in zip(shares, given, strict=True)]
    turns = sorted(range(len(weights)), key=lambda n: (-remainders[n], -weights[n]))
    while sum(given) < places:
        for n in turns:
            if given[n] < available[n] and sum(given) < places:
                given[n] += 1
    return given


def decayed_nodes(memory: Memory, query: Query, *, nodes: int, decay: float, equivalences: bool) -> set[str]:
    """StreamMeCo's search: places shared out over clips by mean similarity and age."""
    pairs = scored(memory, query, equivalences=equivalences)
    of_clip: dict[int, list[tuple[MemoryNode, float]]] = defaultdict(list)
    for text, score in pairs:
        of_clip[clip_of(text) or 0].append((text, score))
    weights = []
    for clip, found in of_clip.items():
        age = 0 if query.before_clip is None else max(0, query.before_clip - clip)
        # The sum in order of similarity, as the released code has it.
        weights.append(max(0.0, sum(score for _, score in found) / len(found) * math.exp(-decay * age)))
    own = {one.id for one in memory.nodes}
    if not any(weights):
        return {text.id for text, _ in pairs[:nodes]} & own
    most = max(weights)
    given = shared_out_slowly([w / most for w in weights], [len(found) for found in of_clip.values()], nodes)
    taken = [found[:count] for found, count in zip(of_clip.values(), given, strict=True)]
    return {text.id for found in taken for text, _ in found} & own
