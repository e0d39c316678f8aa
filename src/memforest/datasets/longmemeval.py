"""LongMemEval: 500 questions, each about a chat history of its own, from files of the official schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from memforest.core.checks import require
from memforest.core.digests import digest, file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.json_files import json_items
from memforest.datasets.longmemeval_schema import TYPES, Instance, parse_instance
from memforest.datasets.parts import require_limit, scope_of

FILES: Mapping[str, str] = {
    "s": "longmemeval_s_cleaned.json",
    "m": "longmemeval_m_cleaned.json",
    "oracle": "longmemeval_oracle.json",
}
"""Official names of the cleaned release, at huggingface.co/datasets/xiaowu0162/longmemeval-cleaned."""

QUESTIONS = 500
_SHOWN = 5


class LongMemEval:
    """The file or folder `path`, or the official file of a `variant` under `data_folder`; the first `limit` questions.

    A file holds a list of instances, or one; of a folder all `*.json` are read, in order of their names.
    """

    def __init__(self, *, variant: str, path: str | None, data_folder: str, limit: int | None) -> None:
        require(variant in FILES, f"dataset.variant={variant} must be one of {', '.join(FILES)}")
        require_limit(limit)
        self._variant = variant
        self._path = Path(path) if path else Path(data_folder) / "longmemeval" / FILES[variant]
        self._limit = limit

    def load(self) -> LoadedDataset:
        """Raises DataError for a missing file, broken JSON, another schema, or a question that comes twice."""
        files = self._files()
        instances = list(islice(_instances(files), self._limit))
        if not instances:
            raise DataError(f"{self._path} holds no question")
        repeated = [name for name, count in Counter(item.question.id for item in instances).items() if count > 1]
        if repeated:
            raise DataError(f"{self._path}: question_id {repeated[0]!r} occurs more than once; ids must be unique")
        scope, notices = scope_of(
            questions=len(instances), whole=QUESTIONS, benchmark=f"LongMemEval-{self._variant.upper()}"
        )
        hashes = [file_digest(file) for file in files]
        return LoadedDataset(
            units=tuple(item.unit for item in instances),
            questions=tuple(item.question for item in instances),
            golds=tuple(item.gold for item in instances),
            categories=TYPES,
            digest=hashes[0] if len(hashes) == 1 else digest(hashes),
            notices=(*notices, *_notices(instances)),
            scope=scope,
        )

    def _files(self) -> list[Path]:
        if self._path.is_dir():
            files = sorted(file for file in self._path.glob("*.json") if file.is_file())
            if not files:
                raise DataError(f"{self._path} is a folder without *.json files")
            return files
        if not self._path.is_file():
            raise DataError(
                f"LongMemEval's file {self._path} does not exist; get {FILES[self._variant]} from "
                "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned and name it, or any file or folder of "
                f"its schema, with dataset.path=PATH, or put it at longmemeval/{FILES[self._variant]} in the folder "
                "that MEMFOREST_DATA names"
            )
        return [self._path]


def _instances(files: list[Path]) -> Iterator[Instance]:
    index = 0
    for file in files:
        for place, raw in enumerate(json_items(file)):
            yield parse_instance(raw, index=index, where=f"{file.name}, item {place}")
            index += 1


def _notices(instances: list[Instance]) -> Iterator[str]:
    """One notice for each kind of oddity, with the ids of the first questions."""
    found: dict[str, list[str]] = {}
    for item in instances:
        for oddity in item.oddities:
            found.setdefault(oddity, []).append(item.question.id)
    for oddity, ids in found.items():
        more = ", ..." if len(ids) > _SHOWN else ""
        yield f"{oddity}: {', '.join(ids[:_SHOWN])}{more} ({len(ids):,} of {len(instances):,} questions)"
