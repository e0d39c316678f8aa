"""The graph that a memory can carry: what its nodes are linked to, and what says who is who."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from memforest.core.types import MemoryNode

TAG = re.compile(r"<([A-Za-z]+)_(\d+)>")
"""How a text names an entity: <face_3> is the entity with the id 3."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A face or a voice. `id` is its number in the graph, as tags in texts and edges have it."""

    id: str
    kind: Literal["face", "voice"]

    @property
    def tag(self) -> str:
        """As a text names it, without brackets: face_3."""
        return f"{self.kind}_{self.id}"


@dataclass(frozen=True, eq=False)
class MemoryGraph:
    """Entities, the weights of edges, and equivalences; no compressor touches the first and the last.

    `edges` are undirected, each once: (id, id, weight), between nodes of the memory, equivalences and entities.
    """

    entities: tuple[Entity, ...]
    edges: tuple[tuple[str, str, float], ...]
    equivalences: tuple[MemoryNode, ...] = ()

    @cached_property
    def neighbours(self) -> Mapping[str, Mapping[str, float]]:
        """The weights of all edges of a node, an equivalence or an entity; absent where it has none."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for first, second, weight in self.edges:
            found[first][second] = found[second][first] = weight
        return dict(found)

    @cached_property
    def entity(self) -> Mapping[str, Entity]:
        """Entities by id."""
        return {entity.id: entity for entity in self.entities}

    def of(self, node: MemoryNode) -> Mapping[str, float]:
        """Ids of the entities that a node is linked to, with the weights."""
        linked = self.neighbours.get(node.id, {})
        return {id: weight for id, weight in linked.items() if id in self.entity}

    def contracted(self, owner: Mapping[str, str]) -> MemoryGraph:
        """The graph after nodes gave way to others: `owner` names the successor of a node, none of one that is gone.

        Edges of nodes with one successor are summed, those between them vanish, and so do those of nodes that are gone.
        """
        fixed = {id: id for id in (*self.entity, *(node.id for node in self.equivalences))}
        successor = {**owner, **fixed}
        summed: dict[tuple[str, str], float] = defaultdict(float)
        for first, second, weight in self.edges:
            ends = successor.get(first), successor.get(second)
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                low, high = sorted((ends[0], ends[1]))
                summed[low, high] += weight
        return replace(self, edges=tuple((low, high, weight) for (low, high), weight in summed.items()))

    def telling(self, equivalences: Sequence[MemoryNode]) -> MemoryGraph:
        """The graph with some of its equivalences, and without the entities that then nothing is linked to."""
        gone = {node.id for node in self.equivalences} - {node.id for node in equivalences}
        edges = tuple(edge for edge in self.edges if edge[0] not in gone and edge[1] not in gone)
        linked = {id for first, second, _ in edges for id in (first, second)}
        linked.update(id for node in equivalences for id in tagged(node.text))
        entities = tuple(entity for entity in self.entities if entity.id in linked)
        return MemoryGraph(entities=entities, edges=edges, equivalences=tuple(equivalences))


def tags(text: str) -> frozenset[str]:
    """What a text names by tags, as it is written: <face_3>."""
    return frozenset(found[0] for found in TAG.finditer(text))


def tagged(text: str) -> list[str]:
    """Ids of what a text names by tags, each once, in order."""
    return list(dict.fromkeys(number for _, number in TAG.findall(text)))
