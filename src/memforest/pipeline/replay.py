"""A compressed memory from its original and the log, without compressor, merger and embedder."""

from __future__ import annotations

from memforest.core.errors import StoreError
from memforest.core.merge_log import MergeLog, Ref
from memforest.core.outcomes import MergeFailed
from memforest.core.protocols import Reduction, Waves
from memforest.core.types import Memory, MemoryNode, Pair
from memforest.pipeline.attempt import Attempt
from memforest.pipeline.job import Job
from memforest.pipeline.known_merges import KnownMerges


def replay(memory: Memory, log: MergeLog) -> Memory:
    """What the compression that wrote `log` made of `memory`, equal to the last bit.

    Raises StoreError when the log is not one of this memory.
    """
    job = Job(memory, _as_logged(memory, log), KnownMerges([log]))
    job.advance(None)
    while job.reduction is None:
        job.advance([Attempt(job, pair).settle() for pair in job.pending])
    return job.smaller()


def _as_logged(memory: Memory, log: MergeLog) -> Waves:
    """The merges of a log, one after the other."""
    live: dict[Ref, MemoryNode] = {node.id: node for node in memory.nodes}
    places: dict[Ref, int] = {node.id: place for place, node in enumerate(memory.nodes)}
    for number, merge in enumerate(log.merges):
        if merge.older not in live or merge.newer not in live:
            raise StoreError(f"the log of {log.memory} merges a node that {memory.id} does not have")
        pair = Pair(live.pop(merge.older), live.pop(merge.newer))
        (node,) = yield (pair,)
        assert not isinstance(node, MergeFailed)
        live[number], places[number] = node, places[merge.newer]
    kept = live.keys() - set(log.pruned)
    return Reduction(nodes=tuple(live[ref] for ref in sorted(kept, key=places.__getitem__)))
