"""Published rows, and how they are joined with the questions of a benchmark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memforest.core.errors import DataError
from memforest.exchange.published.benchmark import Benchmark, Item
from memforest.exchange.published.document import Document, is_number

RECALL_ANY = re.compile(r"session_recall_any@(\d{1,6})")
"""Whether any evidence session is among the first k, as LongMemEval's retrieval logs name it."""

_LARGEST = 1e12
"""Figures beyond this count nothing here, and whole numbers of a file can be too large for a float."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a file says about one question. `place` is where; None where the layout has no such field.

    `votes` are the judge's verdicts in order, `retrieved` the ids of sessions, best first, `stored` the numbers that
    the file gives this row, in [0, 1].
    """

    place: str
    item: Item
    question: str | None = None
    category: str | None = None
    gold: str | None = None
    answer: str | None = None
    votes: tuple[bool, ...] = ()
    retrieved: tuple[str, ...] | None = None
    stored: Mapping[str, float] = field(default_factory=dict)

    @property
    def majority(self) -> bool | None:
        """Whether more than half of the votes accept; None without votes."""
        return 2 * sum(self.votes) > len(self.votes) if self.votes else None

    @property
    def mean_vote(self) -> float | None:
        """Share of the votes that accept; None without votes."""
        return sum(self.votes) / len(self.votes) if self.votes else None


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that a file states about itself, beside which `path` in our summary stands."""

    words: str
    stated: float
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """One known form of file. `joined_by` says how rows find their questions.

    `again` names our metric for a stored number of the same definition, `claims` the figures in a file's header.
    """

    name: str
    words: str
    joined_by: str
    fits: Callable[[Any], bool]
    rows: Callable[[Document, Benchmark], Sequence[Row]]
    again: Callable[[str], str | None] = lambda _: None
    claims: Callable[[Any], Sequence[Claim]] = lambda _: ()


def claims_of(record: object, paths: Mapping[Any, tuple[str, ...]], *, scale: int = 1, of: str = "") -> list[Claim]:
    """The numbers that `record` states under the keys of `paths`; what is absent or no number claims nothing."""
    given = record if isinstance(record, dict) else {}
    return [
        Claim(f"{of}{key}", scale * value, path)
        for key, path in paths.items()
        if is_number(value := given.get(key)) and abs(value) < _LARGEST
    ]


def joined(rows: Iterable[Row], *, benchmark: Benchmark) -> tuple[Row, ...]:
    """The rows, each checked against its question. Raises DataError for another text or category, or a question that
    comes twice."""
    checked = tuple(rows)
    for row in checked:
        _require_same(row, benchmark)
    repeated = [name for name, count in Counter(row.item.id for row in checked).items() if count > 1]
    if repeated:
        first, second, *_ = [row.place for row in checked if row.item.id == repeated[0]]
        raise DataError(f"{second}: the question {repeated[0]!r} was answered before, in {first}")
    return checked


def _require_same(row: Row, benchmark: Benchmark) -> None:
    if row.question is not None and row.question.strip() != row.item.text.strip():
        raise DataError(
            f"{row.place}: asks {row.question!r:.300}, but {row.item.id} in {benchmark.file} asks "
            f"{row.item.text!r:.300}; the file belongs to another version of the dataset, or is in another order"
        )
    if row.category is not None and row.category != row.item.category:
        raise DataError(
            f"{row.place}: has category {row.category!r}, but {row.item.id} in {benchmark.file} has "
            f"{row.item.category!r} ({row.item.text!r:.80})"
        )


def by_id(benchmark: Benchmark, identity: str, *, where: str) -> Item:
    """The question of an id. Raises DataError for an unknown one."""
    if identity not in benchmark.by_id:
        example = next(iter(benchmark.by_id), "none")
        raise DataError(
            f"{where}: {benchmark.file} has no question {identity!r:.80} (it has {len(benchmark.items):,}, such as "
            f"{example!r}); give the file that these answers were made on with --path"
        )
    return benchmark.by_id[identity]


def votes_of(value: object, *, where: str) -> tuple[bool, ...]:
    """Verdicts of a judge: true and false, or 1 and 0; null is a vote that was not given. Raises DataError."""
    given = value if isinstance(value, list) else [value]
    known = [vote for vote in given if vote is not None]
    for vote in known:
        if not (isinstance(vote, bool) or (is_number(vote) and vote in (0, 1))):
            raise DataError(f"{where}: a verdict must be true, false, 1, 0 or null, got {vote!r:.80}")
    return tuple(bool(vote) for vote in known)


def first_has(content: object, key: str) -> bool:
    """Whether the first record of a list, or an object alone, has `key`."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and key in first
