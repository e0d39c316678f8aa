"""Compress artifacts that differ in nothing but the ratio, incomplete ones too, and the merges that they have made."""

from __future__ import annotations

from collections.abc import Iterator

from memforest.core.errors import StoreError
from memforest.core.merge_log import MergeLog
from memforest.pipeline.known_merges import KnownMerges
from memforest.pipeline.stages import COMPRESS, UnitWork, family_of
from memforest.store.artifacts import ArtifactStore
from memforest.store.merge_format import MERGED_VECTORS, MERGES, load_logs


class Relatives:
    """The merge logs of one unit's compressions at other ratios, and of attempts at this one in which calls failed.

    Each artifact is read once, and only if needed.
    """

    def __init__(self, store: ArtifactStore, work: UnitWork) -> None:
        self._store = store
        keys = store.keys(COMPRESS, prefix=family_of(work.keys[COMPRESS]))
        # The longest log most likely holds all that is asked for.
        self._unread = sorted(keys, key=lambda key: -store.size(COMPRESS, key, MERGES))
        self._read: list[list[MergeLog]] = []

    def known(self, memory: int) -> KnownMerges:
        """What is known about the unit's memory with this number."""
        return KnownMerges(self._logs(memory))

    def _logs(self, memory: int) -> Iterator[MergeLog]:
        number = 0
        while number < len(self._read) or self._read_next():
            yield self._read[number][memory]
            number += 1

    def _read_next(self) -> bool:
        """Read one more artifact. Returns whether there was one."""
        while self._unread:
            key = self._unread.pop(0)
            try:
                files = self._store.load(COMPRESS, key, names=(MERGES, MERGED_VECTORS))
            except StoreError:
                if self._store.has(COMPRESS, key):
                    raise
                # An incomplete artifact whose complete form has taken its place meanwhile.
                continue
            self._read.append(load_logs(files))
            return True
        return False
