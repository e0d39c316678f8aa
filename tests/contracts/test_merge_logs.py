"""One trace serves every ratio: logs replay to the memory, and known merges change nothing but the work."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product

import pytest

from memforest.core.merge_log import MergeLog
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.protocols import Encode, Merger
from memforest.core.types import Memory, Pair, Segment
from memforest.pipeline.compression import CompressedMemory
from memforest.pipeline.known_merges import KnownMerges
from memforest.pipeline.replay import replay
from memforest.store.merge_format import dump_logs, load_logs
from tests.contracts.support import SHAPES, component, compress, content, marked, shaped, usable, using

RATIOS = (0.3, 0.5, 0.7)


class Rewriting:
    """Writes a text of its own, as a model does, that depends on what was merged before; some pairs fail, always."""

    def __init__(self) -> None:
        self.asked = 0

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """One new segment, of which the older one is dropped where there are many."""
        self.asked += len(pairs)
        return [self._merged(pair) for pair in pairs]

    @staticmethod
    def _merged(pair: Pair) -> MergeResult:
        name = hashlib.sha256(f"{pair.older.text}/{pair.newer.text}".encode()).hexdigest()
        if name.startswith(("0", "1", "2")):
            return MergeFailed("no answer")
        first, *rest = pair.segments
        return MergedSegments((Segment(name[:6], first.sources, first.time), *rest[:2]), dropped=tuple(rest[2:]))


class Counted:
    """Another merger, and how often it was asked."""

    def __init__(self, merger: Merger) -> None:
        self._merger = merger
        self.asked = 0

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """The other's results."""
        self.asked += len(pairs)
        return self._merger.merge(pairs=pairs, encode=encode)


MERGERS: Mapping[str, Callable[[], Merger]] = {
    **{option: lambda option=option: component("merger", option) for option in usable("merger")},  # type: ignore[misc]
    "rewriting": Rewriting,
}
every_merging_compressor = pytest.mark.parametrize("option", marked("compressor", using("merger")))
every_merger = pytest.mark.parametrize("merger", MERGERS)
every_reembedding = pytest.mark.parametrize("reembedding", usable("reembedding"))


def run(
    option: str, of: Memory, merger: Merger | str, reembedding: str, ratio: float, *logs: MergeLog
) -> CompressedMemory:
    """The result with the logs of other runs at hand."""
    made = MERGERS[merger]() if isinstance(merger, str) else merger
    (done,) = compress(option, [of], ratio=ratio, merger=made, reembedding=reembedding, known=[KnownMerges(logs)])
    return done


def everything(done: CompressedMemory) -> tuple[object, ...]:
    """All that is stored of a result."""
    return content(done.memory), done.report, dump_logs([done.log])


@every_reembedding
@every_merger
@every_merging_compressor
def test_a_log_replays_to_the_memory(option: str, merger: str, reembedding: str) -> None:
    for shape, ratio in product(SHAPES, (0.0, 0.5, 0.9)):
        of = shaped(shape, 17)
        done = run(option, of, merger, reembedding, ratio)
        (log,) = load_logs(dump_logs([done.log]))
        assert content(replay(of, log)) == content(done.memory)
        assert len(log.merges) == done.report["merges"]


@every_reembedding
@every_merger
@every_merging_compressor
def test_runs_at_other_ratios_change_no_byte_in_any_order(option: str, merger: str, reembedding: str) -> None:
    of = shaped("plain", 40)
    alone = {ratio: everything(run(option, of, merger, reembedding, ratio)) for ratio in RATIOS}
    for order in permutations(RATIOS):
        logs: list[MergeLog] = []
        for ratio in order:
            done = run(option, of, merger, reembedding, ratio, *logs)
            assert everything(done) == alone[ratio], (order, ratio)
            logs = [*logs, *load_logs(dump_logs([done.log]))]


@every_merger
@every_merging_compressor
def test_the_same_again_asks_for_failures_only(option: str, merger: str) -> None:
    of = shaped("plain", 40)
    first = run(option, of, merger, "text", 0.5)
    counted = Counted(MERGERS[merger]())
    again = run(option, of, counted, "text", 0.5, first.log)
    assert everything(again) == everything(first)
    assert counted.asked == len(first.log.failures)
    assert (first.replayed, again.replayed) == (0, len(first.log.merges))


@pytest.mark.parametrize("merger", ["concat", "rewriting"])
def test_what_is_known_is_not_asked_for_again(merger: str) -> None:
    of = shaped("plain", 60)
    longest = run("memforest", of, merger, "text", 0.7)
    counted = Counted(MERGERS[merger]())
    done = run("memforest", of, counted, "text", 0.5, longest.log)
    assert done.replayed == len(done.log.merges) + len(done.log.failures) - counted.asked > 0


@every_merging_compressor
def test_a_log_does_not_depend_on_what_is_compressed_beside_it(option: str) -> None:
    memories = [shaped(shape, count) for shape, count in (("plain", 17), ("no times", 60), ("plain", 0))]
    together = compress(option, memories, ratio=0.7)
    for of, beside in zip(memories, together, strict=True):
        (alone,) = compress(option, [of], ratio=0.7)
        assert dump_logs([alone.log]) == dump_logs([beside.log])
