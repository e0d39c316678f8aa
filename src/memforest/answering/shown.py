"""What a model is shown of the hits: which, in which order, and how an entry is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memforest.core.characters import characters_of, translated
from memforest.core.checks import require, require_count_or_null
from memforest.core.order import filled_times
from memforest.core.outcomes import ShownNode
from memforest.core.prompts import one_line
from memforest.core.protocols import CONTEXTS
from memforest.core.times import written_time
from memforest.core.types import Clock, Hits, MemoryNode, Question

ORDERS = {"rank": "the most fitting first", "time": "from the oldest to the newest"}
"""How hits can be listed, and how a prompt says so."""

NOTHING = "(no entries)"


def require_showing(*, context: str, order: str, max_context_words: int | None) -> None:
    """Raises ConfigError unless an answerer's settings say where to look, and in which order how much is shown."""
    require(context in CONTEXTS, f"answerer.context must be one of {', '.join(CONTEXTS)}, got {context!r}")
    require(order in ORDERS, f"answerer.order must be one of {', '.join(ORDERS)}, got {order!r}")
    require_count_or_null("answerer.max_context_words", max_context_words)


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """A hit on its way to a prompt: whose memory it is from, and where it stands by rank and on the timeline.

    `text` is the node's, with characters in place of faces and voices where its memory knows them.
    """

    node: MemoryNode
    text: str
    memory_id: str
    memory: int
    speaker: str | None
    clock: Clock
    score: float
    rank: int
    time: float
    place: int

    def line(self, *, named: bool) -> str:
        """`- time: text` in one line, with the speaker after the time if `named`; no time where the node has none."""
        parts = [written_time(self.node.time, clock=self.clock), self.speaker if named else None]
        head = ", ".join(part for part in parts if part)
        return f"- {head}: {one_line(self.text)}" if head else f"- {one_line(self.text)}"


@dataclass(frozen=True, eq=False)
class Shown:
    """The entries that a model is shown, in `order`; `left_out` counts those for which there was no room."""

    entries: tuple[Entry, ...]
    order: str
    left_out: int

    @property
    def nodes(self) -> tuple[ShownNode, ...]:
        """The ids of memory and node of each entry."""
        return tuple((entry.memory_id, entry.node.id) for entry in self.entries)

    def as_one_list(self) -> str:
        """All entries in one list."""
        return "\n".join(entry.line(named=True) for entry in self.entries) or NOTHING

    def as_list_per_memory(self) -> str:
        """One list for each memory, under the name of its speaker where it has one."""
        memories = dict.fromkeys(entry.memory for entry in sorted(self.entries, key=lambda entry: entry.memory))
        lists = [[entry for entry in self.entries if entry.memory == memory] for memory in memories]
        return "\n\n".join(_list_of(entries) for entries in lists) or NOTHING


def shown(rankings: Sequence[Hits], *, question: Question, order: str, max_words: int | None, latest: bool) -> Shown:
    """The k hits of each memory: by rank, memory after memory, or on one timeline.

    Of more than `max_words` words, whole hits stay while they fit, the best first (the latest first if `latest`); one
    that does not fit is skipped. Scores decide between memories, then the memory, then the rank. A node without a
    time stands where its memory has it: after the latest time before it.
    """
    entries = [entry for memory, hits in enumerate(rankings) for entry in _entries(hits, memory, question)]
    kept = entries if max_words is None else _fitting(entries, max_words, latest=latest)
    if order == "time":
        kept = sorted(kept, key=_on_the_timeline)
    return Shown(tuple(kept), order, left_out=len(entries) - len(kept))


def _entries(hits: Hits, memory: int, question: Question) -> Iterable[Entry]:
    prefix = f"{question.unit_id}/"
    name = hits.memory.id.removeprefix(prefix) if hits.memory.id.startswith(prefix) else ""
    times = filled_times([node.time for node in hits.memory.nodes]).tolist() if hits.order else []
    characters = {} if hits.memory.graph is None else characters_of(hits.memory.graph)
    for rank, (place, score) in enumerate(zip(hits.order[: hits.k], hits.scores[: hits.k], strict=True)):
        node = hits.memory.nodes[place]
        yield Entry(
            node=node,
            text=translated(node.text, characters),
            memory_id=hits.memory.id,
            memory=memory,
            speaker=one_line(name) or None,
            clock=hits.memory.clock,
            score=score,
            rank=rank,
            time=times[place],
            place=place,
        )


def _fitting(entries: Sequence[Entry], max_words: int, *, latest: bool) -> list[Entry]:
    """Those that fit, in the order that they came in."""
    by_score = sorted(entries, key=lambda entry: (-entry.score, entry.memory, entry.rank))
    wanted = sorted(entries, key=_on_the_timeline, reverse=True) if latest else by_score
    kept: set[tuple[int, int]] = set()
    left = max_words
    for entry in wanted:
        if entry.node.words <= left:
            kept.add((entry.memory, entry.rank))
            left -= entry.node.words
    return [entry for entry in entries if (entry.memory, entry.rank) in kept]


def _on_the_timeline(entry: Entry) -> tuple[float, int, int]:
    return (entry.time, entry.memory, entry.place)


def _list_of(entries: Sequence[Entry]) -> str:
    speaker = entries[0].speaker
    heading = [f"Memories of {speaker}:"] if speaker else []
    return "\n".join([*heading, *(entry.line(named=False) for entry in entries)])
