"""What a method must offer. All arguments are keyword-only; no method takes a `Gold`, except the judge."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memforest.core.outcomes import Answer, MergeFailed, MergeOutcome, MergeResult, Verdict
from memforest.core.types import Gold, Hits, Json, Memory, MemoryNode, Pair, Query, Question, Segment, Unit
from memforest.core.vectors import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Embedding:
    """Unit vectors of texts, shape [texts, dimension], and which texts were longer than the model reads."""

    vectors: Matrix
    truncated: NDArray[np.bool_]


class Embedder(Protocol):
    """Texts -> unit vectors. A text's vector must not depend on the texts beside it."""

    @property
    def identity(self) -> str:
        """Names model, weights and settings: equal identities give equal vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors of `texts`, in their order."""


@dataclass(frozen=True, slots=True)
class NotRunnable:
    """A unit for which a backbone lacks what it needs; it is listed and counted, never dropped in silence."""

    unit_id: str
    reason: str


Scope = Literal["whole", "smoke"]


@dataclass(frozen=True, slots=True)
class LoadedDataset:
    """A dataset in memory: units in file order, questions and gold in the same order as each other.

    `digest` is the sha256 of the data; `notices` are the irregularities met while loading, one sentence each. `scope`
    is `smoke` for a benchmark of which only a part was read: its numbers are none of the benchmark's.
    """

    units: tuple[Unit, ...]
    questions: tuple[Question, ...]
    golds: tuple[Gold, ...]
    categories: tuple[str, ...]
    digest: str
    notices: tuple[str, ...] = ()
    scope: Scope = "whole"


class Dataset(Protocol):
    """Raw files -> units, questions and gold."""

    def load(self) -> LoadedDataset:
        """Raises DataError for a missing file or one that is not of this dataset."""


class Backbone(Protocol):
    """Unit -> memories."""

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of what `build` reads beyond the unit (empty if nothing), or why the unit cannot be built."""

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """The unit's memories, nodes in insertion order."""


@runtime_checkable
class NoticingBackbone(Backbone, Protocol):
    """A backbone that reads files of its own, and has things to say about them."""

    def notices(self, *, unit: Unit) -> Sequence[str]:
        """What is irregular about what is read for a unit that can be built: `<what>: <how many and which>` each."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """What a compressor leaves: surviving nodes in insertion order, and facts about how it went.

    `target` is the count that the method aims at where it is not M; the report shows both.
    """

    nodes: tuple[MemoryNode, ...]
    target: int | None = None
    details: Mapping[str, Json] = field(default_factory=dict)


Wave = tuple[Pair, ...]
"""Independent pairs to merge at once: no node stands in two of them."""

Waves = Generator[Wave, Sequence[MergeOutcome], Reduction]
"""Yields waves, is sent the outcome of each pair, returns what is left."""


class Compressor(Protocol):
    """Memory, ratio -> exactly `target_count` nodes, unless failed merges leave more."""

    def compress(self, *, memory: Memory, ratio: float, seed: int) -> Waves:
        """Drives one memory; pure but for the merges that it asks for."""


Encode = Callable[[Sequence[str]], Matrix]
"""Texts of segments -> their vectors."""


class Merger(Protocol):
    """Pairs of nodes -> segments of the merged nodes (the papers' F)."""

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """One result per pair, in order; a typed failure instead of an exception for a pair that cannot be merged."""


@runtime_checkable
class WaitingMerger(Merger, Protocol):
    """A merger that waits for somebody else, such as a served model, instead of computing. It is asked pair by pair."""

    @property
    def concurrency(self) -> int:
        """Calls to have in flight, at least 1."""

    @property
    def failures_in_a_row(self) -> int:
        """Failed merges of one memory, one after the other, after which the memory is left as it is; at least 1.

        It bounds what a merger that always fails costs, and it can change a result: it belongs to the identity.
        """

    def merge_one(self, *, pair: Pair) -> MergeResult:
        """The result for one pair; called from as many threads at once as `concurrency` says."""


Carried = NDArray[np.float64] | None
"""What a node brings to its next merge besides its vector; None for an original node."""


@dataclass(frozen=True, eq=False, slots=True)
class Merge:
    """A pair whose texts were merged into `segments`, and what the merged node carries."""

    pair: Pair
    segments: tuple[Segment, ...]
    carried: Carried


@dataclass(frozen=True, eq=False, slots=True)
class MergedVector:
    """A merged node's unit vector, and whether it stands for the beginning of its text only."""

    vector: Vector
    truncated: bool


class Reembedding(Protocol):
    """How merged nodes get their vectors. Without state: whatever a merge must know of earlier ones is carried."""

    def carried(self, *, pair: Pair, older: Carried, newer: Carried) -> Carried:
        """What the merged node will carry, given what its parts do; asked for every merge, in order."""

    def embed(self, *, merges: Sequence[Merge], embedder: Embedder) -> Sequence[MergedVector | MergeFailed]:
        """One vector per merge, in order, independent of the merges beside it; a typed failure where there is none."""


class Index(Protocol):
    """A memory made ready for search."""

    def search(self, *, query: Query, k: int) -> Hits:
        """A full ranking of which the first min(k, nodes) are the hits."""


@runtime_checkable
class ExpandingIndex(Index, Protocol):
    """An index that wants other texts than the query's own to be embedded, such as those with a name in place of an id.

    It embeds nothing itself, so that the time of a search is that of the search alone."""

    def texts(self, *, text: str) -> Sequence[str]:
        """The texts whose vectors become `Query.variants`, at least one; `text` alone where there are no others."""


class Retriever(Protocol):
    """Memory -> index."""

    def index(self, *, memory: Memory) -> Index:
        """Takes any memory, before and after any compressor, empty ones too."""


@runtime_checkable
class CuttingRetriever(Retriever, Protocol):
    """A retriever that cuts its rankings itself, such as after the best clips: k is no matter of its `Hits`.

    Its file in conf/ says so too (`traits.ignores: [k]`), since k is then no part of a run's identity.
    """

    cuts: Literal[True]


Search = Callable[[str], Sequence[Hits]]
"""A text -> one hits list per memory of the unit."""


class Answerer(Protocol):
    """Question and search -> answer; the answerer owns the loop."""

    @property
    def context(self) -> str:
        """What its search looks into, one of CONTEXTS; the answerer cannot tell."""

    @property
    def concurrency(self) -> int:
        """How many questions it may work on at once."""

    def answer(self, *, question: Question, search: Search) -> Answer:
        """A typed outcome; failures are returned, not raised. Thread-safe."""


CONTEXTS = ("memory", "history", "nothing", "evidence")
"""memory: the compressed memories by the retriever; history: all turns in order; nothing: no node; evidence: the
evidence turns."""


class Judge(Protocol):
    """Question, gold, answer -> verdict."""

    @property
    def identity(self) -> str:
        """Names rule, model and prompt, as in the name of the metric: equal identities judge alike."""

    @property
    def concurrency(self) -> int:
        """How many answers it may judge at once."""

    def judge(self, *, question: Question, gold: Gold, answer: Answer) -> Verdict:
        """A typed verdict; what cannot be judged is Unscored with a reason. Thread-safe."""
