"""What the executor does for mergers that write: the clock of a pair, and texts longer than both that they replace."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memforest.core.chat import ChatReply
from memforest.core.merge_log import MergeLog
from memforest.core.protocols import Merger
from memforest.core.types import Clock, Memory
from memforest.embedding.hashing import Hashing
from memforest.mergers.concat import Concat
from memforest.mergers.llm import ModelMerger
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.pipeline.known_merges import KnownMerges
from memforest.pipeline.replay import replay
from memforest.reembedding.text import TextReembedding
from tests.builders import memory, node
from tests.chats import FakeChat, copying
from tests.unit.pipeline.scripted import Scripted, merging

PLACES = ((0, 1), (2, 3), (1, 3))


def store(clock: Clock = "calendar") -> Memory:
    return memory([node(f"n{place}", "two words", time=60.0 * place) for place in range(4)], clock=clock)


def model(chat: FakeChat) -> ModelMerger:
    return ModelMerger(chat=chat, max_words=None, failures_in_a_row=5)


def run(merger: Merger, of: Memory, *, ratio: float = 0.75, logs: Sequence[MergeLog] = ()) -> CompressedMemory:
    (done,) = compress_memories(
        [of],
        compressor=Scripted(merging(*PLACES[: round(4 * ratio)])),
        merger=merger,
        reembedding=TextReembedding(),
        embedder=Hashing(buckets=4),
        ratio=ratio,
        seed=0,
        known=[KnownMerges(logs)],
    )
    return done


@pytest.mark.parametrize(("clock", "said"), [("video", "clip 2 (60 s)"), ("calendar", "1 January 1970")])
def test_a_merger_is_told_the_clock_of_the_memory(clock: Clock, said: str) -> None:
    chat = copying()
    run(model(chat), store(clock))
    assert said in chat.prompts[0]


def test_texts_longer_than_both_that_they_replace_are_counted() -> None:
    lengths = iter([4, 5, 10])
    chat = FakeChat(lambda request: ChatReply("word " * next(lengths)))
    assert run(model(chat), store()).report["overlong_merges"] == 2


def test_what_only_moves_texts_is_never_overlong() -> None:
    assert run(Concat(), store()).report["overlong_merges"] == 0


def test_replayed_merges_are_counted_alike() -> None:
    chat = FakeChat(lambda request: ChatReply("word " * 9))
    first = run(model(chat), store())
    again = run(model(chat), store(), logs=[first.log])
    assert (len(chat.asked), again.replayed) == (3, 3)
    assert again.report == first.report
    assert [item.segments for item in replay(store(), first.log).nodes] == [
        item.segments for item in first.memory.nodes
    ]
