"""Merges are found by history, from as few logs as will do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from memforest.core.merge_log import LoggedMerge, MergeLog, Ref
from memforest.core.types import Segment
from memforest.pipeline.known_merges import KnownMerges


def merge(older: Ref, newer: Ref, text: str = "") -> LoggedMerge:
    kept = (Segment(text, ()),) if text else None
    return LoggedMerge(older, newer, 0, kept, (), np.ones(1, dtype=np.float32), False)


def log(*merges: LoggedMerge) -> MergeLog:
    return MergeLog("m", merges, (), ())


def test_a_merge_is_found_by_the_history_of_both_nodes() -> None:
    known = KnownMerges([log(merge("a", "b"), merge("c", "d"), merge(0, "e"), merge(2, 1))])
    first = known.find("a", "b")
    second = known.find(first, "e")
    assert known.find(second, known.find("c", "d")) is not None
    assert known.find("b", "a") is None
    assert known.find(first, "d") is None
    assert known.find(None, "e") is None


def test_the_same_members_in_another_order_are_another_merge() -> None:
    known = KnownMerges([log(merge("a", "b", "ab"), merge(0, "c", "abc"))])
    assert known.find("b", "c") is None
    assert known.find("a", known.find("b", "c")) is None


def test_numbers_of_different_logs_do_not_mix() -> None:
    known = KnownMerges([log(merge("a", "b", "ab")), log(merge("c", "d", "cd"), merge(0, "e", "cde"))])
    number = known.find(known.find("c", "d"), "e")
    assert number is not None
    assert known[number].kept == (Segment("cde", ()),)
    assert known.find(known.find("a", "b"), "e") is None


def test_where_logs_disagree_the_first_stands_with_what_followed_from_it() -> None:
    known = KnownMerges(
        [
            log(merge("a", "b", "one answer"), merge(0, "c", "and more")),
            log(merge("a", "b", "another answer"), merge(0, "d", "made of another"), merge("x", "y", "unrelated")),
        ]
    )
    assert known.find("x", "y") is not None
    first = known.find("a", "b")
    assert first is not None and known[first].kept == (Segment("one answer", ()),)
    assert known.find(first, "c") is not None
    assert known.find(first, "d") is None


def test_a_log_is_read_only_when_it_is_needed() -> None:
    read: list[int] = []

    def logs() -> Iterator[MergeLog]:
        for number, made in enumerate((log(merge("a", "b")), log(merge("c", "d")))):
            read.append(number)
            yield made

    known = KnownMerges(logs())
    assert read == []
    known.find("a", "b")
    assert read == [0]
    known.find("c", "d")
    assert read == [0, 1]
    assert known.find("e", "f") is None
