"""How many calls a run will make of language models, and about how long they are: known once memories are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memforest.core.types import Memory, Question, target_count

TOKENS_PER_WORD = 1.4
PROMPT_TOKENS = {"merge": 250, "answer": 300, "judge": 300}
REPLY_TOKENS = {"answer": 20, "judge": 20}


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """Calls in one role; tokens of all of them together."""

    role: str
    calls: int
    input_tokens: int
    output_tokens: int


def merge_calls(memories: Sequence[Memory], *, ratio: float) -> CallEstimate:
    """One call per merge if none fails and none is known; a merged text is as long as both."""
    merges = sum(len(memory) - target_count(count=len(memory), ratio=ratio) for memory in memories)
    words = 2 * _words_per_node(memories)
    tokens = round(merges * TOKENS_PER_WORD * words)
    return CallEstimate("merge", merges, tokens + merges * PROMPT_TOKENS["merge"], tokens)


def answer_calls(questions: Sequence[Question], *, words_shown: float) -> CallEstimate:
    """One call per question, with the words that its search shows."""
    return _short("answer", len(questions), words=words_shown)


def judge_calls(questions: Sequence[Question], *, votes: int) -> CallEstimate:
    """`votes` calls per question."""
    return _short("judge", len(questions) * votes, words=0)


def shown_words(memories: Sequence[Memory], *, k: int, ratio: float) -> float:
    """Words of k hits of each of a unit's memories, if merging keeps all words and hits are of average length."""
    kept = (min(k, target_count(count=len(memory), ratio=ratio)) for memory in memories)
    return sum(
        hits * sum(node.words for node in memory.nodes) / max(1, target_count(count=len(memory), ratio=ratio))
        for hits, memory in zip(kept, memories, strict=True)
    )


def _short(role: str, calls: int, *, words: float) -> CallEstimate:
    tokens = round(calls * (PROMPT_TOKENS[role] + TOKENS_PER_WORD * words))
    return CallEstimate(role, calls, tokens, calls * REPLY_TOKENS[role])


def _words_per_node(memories: Sequence[Memory]) -> float:
    nodes = [node for memory in memories for node in memory.nodes]
    return sum(node.words for node in nodes) / len(nodes) if nodes else 0.0
