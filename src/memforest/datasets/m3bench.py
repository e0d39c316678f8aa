"""M3-Bench: open questions about videos of a robot and from the web, from the official files of annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from memforest.core.checks import require
from memforest.core.digests import file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.core.types import Unit
from memforest.core.words import yes_or_no
from memforest.datasets.json_files import read_json
from memforest.datasets.m3bench_schema import TYPES, Row, rows
from memforest.datasets.manifest import manifest
from memforest.datasets.parts import require_limit, scope_of

QUESTIONS = {"robot": 1276, "web": 3214}


class M3Bench:
    """A file of annotations at `path`, or the official one of a `part`, robot or web, under `data_folder`.

    A unit is a video, which brings no history: its memory is a graph that a backbone finds. `limit` takes the first
    videos only.
    """

    def __init__(self, *, part: str, path: str | None, data_folder: str, limit: int | None) -> None:
        require(part in QUESTIONS, f"dataset.part must be robot or web, got {part!r}")
        require_limit(limit)
        self._part = part
        self._entry = manifest()[f"m3bench_{part}"]
        self._path = Path(path) if path else Path(data_folder) / self._entry.path
        self._limit = limit

    def load(self) -> LoadedDataset:
        """Raises DataError for a missing file or another schema."""
        if not self._path.is_file():
            raise DataError(
                f"M3-Bench's file {self._path} does not exist; name it with dataset.path=FILE, set MEMFOREST_DATA to "
                f"the folder that holds {self._entry.path}, or get it with: memforest data fetch {self._entry.name}"
            )
        videos = dict(list(rows(read_json(self._path), file=self._path.name))[: self._limit])
        asked = [row for found in videos.values() for row in found]
        _require_unique([row.question.id for row in asked], where=self._path.name)
        if not asked:
            raise DataError(f"{self._path} holds no question")
        digest = file_digest(self._path)
        benchmark = f"M3-Bench-{self._part}"
        scope, notices = scope_of(questions=len(asked), whole=QUESTIONS[self._part], benchmark=benchmark)
        return LoadedDataset(
            units=tuple(
                Unit(id=video, index=index, speakers=(), sessions=(), clock="video")
                for index, video in enumerate(videos)
            ),
            questions=tuple(row.question for row in asked),
            golds=tuple(row.gold for row in asked),
            categories=TYPES,
            digest=digest,
            notices=(*self._entry.notices(self._path, digest), *notices, *_notices(asked)),
            scope=scope,
        )


def _notices(asked: Sequence[Row]) -> Iterator[str]:
    remarks = [row.question.id for row in asked if row.is_remark]
    if remarks:
        yield (
            f"answers that are an annotator's remark in another script than the question: {len(remarks):,} "
            f"({', '.join(remarks)}); they count, and nothing can be right by them"
        )
    timed = [row for row in asked if row.said is not None]
    unbound = sum(row.question.before_clip is None for row in timed)
    if unbound:
        yield f"questions with a time of asking and no `before_clip`, which look at the whole video: {unbound:,}"
    other = [row.question.id for row in timed if row.question.before_clip not in (None, row.said)]
    if other:
        yield (
            f"questions whose `before_clip` is not the last clip that ended before they were asked: {len(other):,}, "
            f"such as {other[0]}; it is taken as it is"
        )
    yield from _chance(asked)


def _chance(asked: Sequence[Row]) -> Iterator[str]:
    found = Counter(word for row in asked if (word := yes_or_no(row.gold.answer or "")) is not None)
    if found:
        word, count = found.most_common(1)[0]
        total = found.total()
        yield (
            f"{total:,} of {len(asked):,} answers are yes or no: always saying {word} is right in "
            f"{100 * count / total:.1f} % of these, {100 * count / len(asked):.1f} % of all"
        )


def _require_unique(ids: Sequence[str], *, where: str) -> None:
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise DataError(f"{where}: question_id {repeated[0]!r:.80} occurs more than once; ids must be unique")
