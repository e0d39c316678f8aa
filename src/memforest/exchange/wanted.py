"""What a person asks of his own memories: the compression of `memforest compress`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memforest.compression import Compressed, compress
from memforest.exchange.records import MemoryRecord
from memforest.llm.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Wanted:
    """Arguments of `memforest.compress`, which explains them."""

    method: str
    ratio: float
    merger: str | None
    reembedding: str | None
    seed: int | None
    embedder: str | None
    settings: Mapping[str, Any]

    def of(self, records: Sequence[MemoryRecord], *, ledger: Ledger | None = None) -> Compressed:
        """These memories, compressed so."""
        return compress(
            records,
            method=self.method,
            ratio=self.ratio,
            merger=self.merger,
            reembedding=self.reembedding,
            seed=self.seed,
            embedder=self.embedder,
            settings=self.settings,
            ledger=ledger,
        )
