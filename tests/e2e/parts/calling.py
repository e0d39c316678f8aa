"""A merger that waits, as one with a served model does, and can be told to take long or to fail.

CALLS names a file that gets a line per call. SECONDS is how long a call takes. While the file OUTAGE exists, a third of
the pairs fail; the file holds `retry` or `final`. STALL_AT=merge:N stops a call as `stalling` says.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from stalling import stall  # type: ignore[import-not-found]

from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.types import Pair
from memforest.mergers.concat import Concat


class Calling(Concat):
    """Joins both segments, call by call."""

    concurrency = 4
    failures_in_a_row = 1000

    def merge_one(self, *, pair: Pair) -> MergeResult:
        """All segments, or a failure."""
        name = hashlib.sha256(f"{pair.older.text}/{pair.newer.text}".encode()).hexdigest()
        with Path(os.environ["CALLS"]).open("a") as calls:
            calls.write(f"{name}\n")
        time.sleep(float(os.environ.get("SECONDS", "0")))
        stall("merge")
        outage = Path(os.environ.get("OUTAGE", "never"))
        if outage.exists() and int(name[:8], 16) % 3 == 0:
            return MergeFailed("timeout", retry=outage.read_text() == "retry")
        return MergedSegments(segments=pair.segments)
