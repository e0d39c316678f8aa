"""M3-Agent's memory of a video: the texts of its graph as nodes, faces, voices and equivalences around them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from memforest.core.checks import require
from memforest.core.digests import digest, file_digest
from memforest.core.errors import ConfigError, DataError
from memforest.core.protocols import Embedder, Embedding, NotRunnable
from memforest.core.types import Memory, Unit
from memforest.core.vectors import normalised
from memforest.core.video import GraphNode, GraphVectors
from memforest.graphs.check import problems
from memforest.graphs.format import GRAPH
from memforest.graphs.memory import mean_row, memory_graph, text_node
from memforest.graphs.read import read_graph
from memforest.graphs.repair import Found


class M3Agent:
    """The graph that a unit brings along, or `<graph_dir>/<video>.graph.json` as `memforest data convert-graph` writes.

    vectors: `embedder` embeds the texts anew; `stored` takes the vectors that came with the graph (of a text with
    several their mean), which belong beside queries of the same model, `stored_model`. A text without one then has
    zeros, which nothing is similar to.
    """

    def __init__(self, *, graph_dir: str | None, vectors: str, stored_model: str) -> None:
        require(vectors in ("embedder", "stored"), f"backbone.vectors must be embedder or stored, got {vectors!r}")
        require(bool(stored_model), "backbone.stored_model must name the model that made the graphs' vectors")
        if graph_dir is not None and not Path(graph_dir).is_dir():
            raise ConfigError(f"backbone.graph_dir={graph_dir} is not a folder")
        # Files are looked up by name, so that a video's name can never lead out of the folder.
        listed = [] if graph_dir is None else Path(graph_dir).iterdir()
        self._files = {path.name: path for path in listed if path.name.endswith(GRAPH)}
        self._has_folder = graph_dir is not None
        self._stored = vectors == "stored"
        self._model = stored_model
        self._read = lru_cache(maxsize=1)(self._uncached_read)

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of the unit's file, which holds that of its vectors, or of both files where that of an export does not
        and its vectors are taken; not runnable without a graph that has texts.

        Raises ConfigError where a folder is named and the dataset brings graphs of its own.
        """
        if unit.graph is not None and self._has_folder:
            raise ConfigError("the dataset brings its own graphs: backbone.graph_dir would not be read, leave it out")
        if unit.graph is None and unit.id + GRAPH not in self._files:
            where = "in backbone.graph_dir" if self._has_folder else "and backbone.graph_dir names no folder of graphs"
            return NotRunnable(unit.id, f"no graph of the video {where}")
        try:
            found = self._read(unit)
        except DataError as error:
            return NotRunnable(unit.id, str(error))
        if not found.graph.remembered:
            return NotRunnable(unit.id, "its graph has no text but equivalences")
        if unit.graph is not None:
            return ""
        own = file_digest(self._files[unit.id + GRAPH])
        return own if found.vectors_file is None else digest([own, file_digest(found.vectors_file)])

    def notices(self, *, unit: Unit) -> Sequence[str]:
        """What is wrong with the graph of a unit that can be built, one sentence each."""
        found = self._read(unit)
        return [*found.repairs, *problems(found.graph, found.vectors if self._stored else None)]

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """One memory of the episodic and semantic texts in the graph's order; a node's source is its id in the graph.

        Raises ConfigError when stored vectors are asked for and the embedder is not the model that made them.
        """
        found = self._read(unit)
        texts = found.graph.remembered
        told = [node for node in found.graph.texts if node.is_equivalence]
        embedding = self._embedding([*texts, *told], found, embedder=embedder, unit=unit)
        rows = zip([*texts, *told], embedding.vectors, embedding.truncated, strict=True)
        nodes = [text_node(node, vector=vector, truncated=bool(cut)) for node, vector, cut in rows]
        kept, equivalences = nodes[: len(texts)], nodes[len(texts) :]
        graph = memory_graph(found.graph, equivalences=equivalences, texts={node.id for node in kept})
        return [Memory(id=unit.id, nodes=tuple(kept), source_level="node", clock=unit.clock, graph=graph)]

    def _uncached_read(self, unit: Unit) -> Found:
        if unit.graph is not None:
            return Found(graph=unit.graph, vectors={}, repairs=())
        return read_graph(self._files[unit.id + GRAPH], video=unit.id, with_vectors=self._stored)

    def _embedding(self, nodes: Sequence[GraphNode], found: Found, *, embedder: Embedder, unit: Unit) -> Embedding:
        if not self._stored:
            return embedder.embed(texts=[node.text for node in nodes])
        vectors = stored_rows(nodes, found.vectors)
        if not vectors.shape[1]:
            raise ConfigError(
                f"backbone.vectors=stored: no text of {unit.id} has a vector; embed them (vectors=embedder)"
            )
        if self._model not in embedder.identity or vectors.shape[1] != embedder.dimension:
            raise ConfigError(
                f"backbone.vectors=stored: the vectors of {unit.id} are of {self._model} and have "
                f"{vectors.shape[1]:,} dimensions, the embedder is {embedder.identity} with {embedder.dimension:,}; "
                "choose embedder=openai_large, name the model with backbone.stored_model, or embed the texts anew "
                "(backbone.vectors=embedder)"
            )
        return Embedding(vectors=vectors, truncated=np.zeros(len(nodes), dtype=bool))


def stored_rows(nodes: Sequence[GraphNode], vectors: GraphVectors) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Unit vectors that came with the graph, shape [nodes, dimension]; zeros for a node without any."""
    rows = [mean_row(vectors, node.id) for node in nodes]
    dimension = next((len(row) for row in rows if row is not None), 0)
    return normalised(np.stack([np.zeros(dimension, dtype=np.float32) if row is None else row for row in rows]))
