"""What M3-Agent keeps of a video: a graph of faces, voices and texts over clips of 30 seconds, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

NodeType = Literal["img", "voice", "episodic", "semantic"]
ENTITY_TYPES = ("img", "voice")
"""Faces and voices: what texts are linked to."""

TEXT_TYPES = ("episodic", "semantic")
EQUIVALENCE = "equivalence"
"""How a text begins, in any case, that says which faces and voices are one character."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """`contents` are a text node's text, the sentences of a voice, the pictures (base64) of a face; `clip` is the one
    that a text was written in, from 0, None where the file does not say."""

    id: int
    type: NodeType
    contents: tuple[str, ...]
    clip: int | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is episodic or semantic."""
        return self.type in TEXT_TYPES

    @property
    def is_equivalence(self) -> bool:
        """Whether it is a text that says which faces and voices are one character."""
        return self.is_text and any(text.lstrip().lower().startswith(EQUIVALENCE) for text in self.contents)

    @property
    def text(self) -> str:
        """All contents, a line each."""
        return "\n".join(self.contents)


@dataclass(frozen=True, slots=True)
class VideoGraph:
    """One video's graph. `edges` are undirected, each once with the lower id first: (id, id, weight).

    `parameters` are the numbers that came with it (thresholds, limits); `characters` the file's own mapping from a
    character's name to tags such as face_3, None where it has none.
    """

    id: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[int, int, float], ...]
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)
    characters: Mapping[str, tuple[str, ...]] | None = field(default=None, hash=False)

    @property
    def texts(self) -> tuple[GraphNode, ...]:
        """Episodic and semantic nodes, equivalences included, in order."""
        return tuple(node for node in self.nodes if node.is_text)

    @property
    def remembered(self) -> tuple[GraphNode, ...]:
        """Texts with words that are no equivalences: those that a memory has as nodes."""
        return tuple(node for node in self.texts if node.text.strip() and not node.is_equivalence)


GraphVectors = Mapping[int, NDArray[np.float32]]
"""Vectors of a graph's nodes by id, shape [vectors, dimension] each; a node without any is absent."""
