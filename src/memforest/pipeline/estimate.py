"""How many calls a run will make of language models, and about how long they are: known once memories are built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memforest.config.spec import RunSpec
from memforest.core.types import Memory, Unit, target_count
from memforest.llm.prices import estimate

TOKENS_PER_WORD = 1.4
PROMPT_TOKENS = {"merge": 250, "answer": 300, "judge": 300}
REPLY_TOKENS = 20
EVIDENCE_WORDS = 50


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """Calls in one role; tokens of all of them together."""

    role: str
    calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class MemorySize:
    """What counts of a memory here, so that the memories of all units need not be held at once."""

    nodes: int
    words: int


@dataclass(frozen=True, slots=True)
class UnitLoad:
    """What of one unit is to be done: its memories, whether they are to be merged, how many questions are asked, and
    the words of its history."""

    memories: tuple[MemorySize, ...]
    merges: bool
    questions: int
    history_words: int


def unit_load(unit: Unit, memories: Sequence[Memory], *, merges: bool, questions: int) -> UnitLoad:
    """The load of one unit."""
    return UnitLoad(
        memories=tuple(MemorySize(len(memory), sum(node.words for node in memory.nodes)) for memory in memories),
        merges=merges,
        questions=questions,
        history_words=sum(len(turn.text.split()) for turn in unit.turns),
    )


def estimate_lines(spec: RunSpec, loads: Sequence[UnitLoad], *, context: str | None) -> list[str]:
    """What is expected of each role, at most, with its cost where the price is known."""
    lines = []
    for expected in _expected(spec, loads, context):
        settings = spec.model(expected.role)
        found = estimate(
            settings,
            calls=expected.calls,
            input_tokens=expected.input_tokens,
            output_tokens=expected.output_tokens,
        )
        cost = "price not known" if found.cost is None else f"${found.cost:.2f}"
        lines.append(
            f"{expected.role}: at most {expected.calls:,} calls of {settings.name}, about {expected.input_tokens:,} "
            f"tokens to read and {expected.output_tokens:,} to write, {cost}"
        )
    return lines


def _expected(spec: RunSpec, loads: Sequence[UnitLoad], context: str | None) -> Iterator[CallEstimate]:
    if "merge" in spec.roles:
        merging = [memory for load in loads if load.merges for memory in load.memories]
        yield merge_calls(merging, ratio=spec.effective_ratio)
    if "answer" in spec.roles:
        rounds = spec["answerer"].settings.get("rounds", 1)
        words = sum(load.questions * _shown(load, spec, context) for load in loads)
        yield _short("answer", rounds * sum(load.questions for load in loads), words=_readings(rounds) * words)
    if "judge" in spec.roles:
        yield _short("judge", sum(load.questions for load in loads) * spec["judge"].settings.get("votes", 1), words=0)


def _readings(rounds: int) -> int:
    """How often the words of one search are read: in a loop, by every call that follows the search."""
    return rounds * (rounds - 1) // 2 if rounds > 1 else 1


def _shown(load: UnitLoad, spec: RunSpec, context: str | None) -> float:
    """Words that one question is shown."""
    if context == "history":
        return load.history_words
    if context == "memory":
        return shown_words(load.memories, k=spec.k, ratio=spec.effective_ratio)
    return EVIDENCE_WORDS if context == "evidence" else 0


def merge_calls(memories: Sequence[MemorySize], *, ratio: float) -> CallEstimate:
    """One call per merge if none fails and none is known; a merged text is as long as both."""
    merges = sum(memory.nodes - target_count(count=memory.nodes, ratio=ratio) for memory in memories)
    nodes = sum(memory.nodes for memory in memories)
    words_per_node = sum(memory.words for memory in memories) / nodes if nodes else 0.0
    tokens = round(merges * TOKENS_PER_WORD * 2 * words_per_node)
    return CallEstimate("merge", merges, tokens + merges * PROMPT_TOKENS["merge"], tokens)


def shown_words(memories: Sequence[MemorySize], *, k: int, ratio: float) -> float:
    """Words of k hits of each of a unit's memories, if merging keeps all words and hits are of average length."""
    left = [target_count(count=memory.nodes, ratio=ratio) for memory in memories]
    return sum(min(k, count) * memory.words / max(1, count) for memory, count in zip(memories, left, strict=True))


def _short(role: str, calls: int, *, words: float) -> CallEstimate:
    """Calls with short replies; `words` are those of all of them."""
    return CallEstimate(role, calls, round(calls * PROMPT_TOKENS[role] + TOKENS_PER_WORD * words), calls * REPLY_TOKENS)
