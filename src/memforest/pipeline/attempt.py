"""One pair of a wave on its way to an outcome."""

from __future__ import annotations

from memforest.core.errors import MethodError
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeOutcome, MergeResult
from memforest.core.protocols import Carried, MergedVector, Merger
from memforest.core.types import Pair
from memforest.pipeline.job import Job


class Attempt:
    """A pair, what the merger and then the embedder made of it. Where the merge is known, both are there already."""

    def __init__(self, job: Job, pair: Pair) -> None:
        self.job = job
        self.pair = pair
        self.carried: Carried = None
        self.result: MergeResult | None = None
        self.vector: MergedVector | MergeFailed | None = None
        self.known = job.known(pair)
        if self.known is not None:
            logged = job.remembered(self.known)
            self.result, self.vector = logged.result(pair), MergedVector(logged.vector, logged.truncated)

    def receive(self, result: MergeResult, merger: Merger) -> None:
        """Take in what the merger returned. Raises MethodError when that is no result."""
        if not isinstance(result, MergedSegments | MergeFailed):
            raise MethodError(f"merger {type(merger).__name__} returned a {type(result).__name__} for a pair")
        self.result = result

    def settle(self) -> MergeOutcome:
        """The merged node, or why there is none."""
        for outcome in (self.result, self.vector):
            if isinstance(outcome, MergeFailed):
                self.job.failed(self.pair, outcome)
                return outcome
        assert isinstance(self.result, MergedSegments) and isinstance(self.vector, MergedVector)
        return self.job.merged(self.pair, self.result, self.vector, carried=self.carried, known=self.known)
