"""Merges that were made before, found by history."""

from __future__ import annotations

from collections.abc import Iterable

from memforest.core.merge_log import LoggedMerge, MergeLog, Ref


class KnownMerges:
    """What other runs of the same method and merger made of one memory.

    A merge is found by the two nodes that merge, and a node by its history: an original node by its id, a merged one
    by its number here. The members alone would not do: a merger that loses text makes another node of the same members
    in another order. Logs are read when one is needed for the first time, so the one with the most merges comes first.
    """

    def __init__(self, logs: Iterable[MergeLog]) -> None:
        self._unread = iter(logs)
        self._numbers: dict[tuple[Ref, Ref], int] = {}
        self._merges: list[LoggedMerge] = []

    def __getitem__(self, number: int) -> LoggedMerge:
        return self._merges[number]

    def find(self, older: Ref | None, newer: Ref | None) -> int | None:
        """The number of the merge of two nodes; None when it is not known, or a node is not (None)."""
        if older is None or newer is None:
            return None
        while (number := self._numbers.get((older, newer))) is None:
            log = next(self._unread, None)
            if log is None:
                return None
            self._add(log)
        return number

    def _add(self, log: MergeLog) -> None:
        """Number the merges of a log. Where it disagrees with an earlier log on a merge, as two answers of a model can,
        the earlier one stands, and what the log made of its own answer is left out."""
        ours: list[int | None] = []
        for merge in log.merges:
            older, newer = (ref if isinstance(ref, str) else ours[ref] for ref in (merge.older, merge.newer))
            ours.append(None if older is None or newer is None else self._numbered(older, newer, merge))

    def _numbered(self, older: Ref, newer: Ref, merge: LoggedMerge) -> int | None:
        number = self._numbers.setdefault((older, newer), len(self._merges))
        if number == len(self._merges):
            self._merges.append(merge)
        return number if self._merges[number].made_the_same(merge) else None
