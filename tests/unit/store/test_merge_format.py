"""Merge logs as bytes and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.merge_log import LoggedFailure, LoggedMerge, MergeLog
from memforest.core.types import Segment
from memforest.store.merge_format import MERGED_VECTORS, MERGES, dump_logs, load_logs

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
refs = text | st.integers(0, 100)
pieces = st.lists(
    st.integers(0, 9) | st.builds(Segment, text, st.lists(text, max_size=2).map(tuple), st.none() | st.floats(0, 9)),
    max_size=3,
).map(tuple)
vectors = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(lambda row: np.array(row, dtype=np.float32))
merges = st.builds(
    LoggedMerge,
    older=refs,
    newer=refs,
    wave=st.integers(0, 9),
    kept=st.none() | pieces,
    dropped=pieces,
    vector=vectors,
    truncated=st.booleans(),
)
failures = st.builds(LoggedFailure, refs, refs, st.integers(0, 9), text, retry=st.booleans())
logs = st.lists(
    st.builds(
        MergeLog,
        memory=text,
        merges=st.lists(merges, max_size=3).map(tuple),
        failures=st.lists(failures, max_size=2).map(tuple),
        pruned=st.lists(refs, max_size=2).map(tuple),
    ),
    max_size=3,
)


def facts(log: MergeLog) -> tuple[object, ...]:
    """All that a log holds, comparable."""
    rows = [(m.older, m.newer, m.wave, m.kept, m.dropped, m.vector.tobytes(), m.truncated) for m in log.merges]
    return log.memory, rows, log.failures, log.pruned


@given(logs)
def test_logs_come_back_as_they_were(made: list[MergeLog]) -> None:
    files = dump_logs(made)
    back = load_logs(files)
    assert list(map(facts, back)) == list(map(facts, made))
    assert dump_logs(back) == files


def test_a_merge_that_keeps_everything_in_order_is_a_short_line() -> None:
    merge = LoggedMerge("a", 0, 3, None, (), np.ones(2, dtype=np.float32), False)
    files = dump_logs([MergeLog("m", (merge,), (LoggedFailure("b", "c", 0, "timeout"),), ("d",))])
    assert files[MERGES].decode().splitlines() == [
        '{"memory":"m","merges":1,"failures":1,"pruned":["d"]}',
        '{"number":0,"older":"a","newer":0,"wave":3}',
        '{"older":"b","newer":"c","wave":0,"failed":"timeout"}',
    ]
    assert len(files[MERGED_VECTORS]) == 128 + 2 * 4
