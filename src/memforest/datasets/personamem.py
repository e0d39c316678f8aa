"""PersonaMem: multiple-choice questions about chats with 20 personas, from the official pair of files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memforest.core.checks import require
from memforest.core.digests import digest, file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.core.types import Unit
from memforest.datasets.leakage import question_ids_in
from memforest.datasets.manifest import manifest
from memforest.datasets.parts import require_limit, scope_of
from memforest.datasets.personamem_schema import TYPES, Message, Row, chat_unit, read_contexts, read_rows

QUESTIONS = 589


class PersonaMem:
    """The folder `path`, or `personamem` under `data_folder`, that holds the two files of a context `size`.

    A unit is a chat up to where its questions are asked: `shared_contexts_<size>.jsonl` up to an end index; those of
    one persona are one cluster. `limit` takes the first units only, in the order of `questions_<size>.csv`.
    """

    def __init__(self, *, size: str, path: str | None, data_folder: str, limit: int | None) -> None:
        require(re.fullmatch(r"\w+", size) is not None, f"dataset.size={size} must be a word such as 32k")
        require_limit(limit)
        self._folder = Path(path) if path else Path(data_folder) / "personamem"
        self._files = tuple(self._folder / name for name in (f"questions_{size}.csv", f"shared_contexts_{size}.jsonl"))
        self._benchmark = f"PersonaMem-{size}"
        self._limit = limit

    def load(self) -> LoadedDataset:
        """Raises DataError for missing files, another schema, or a question that fits no context."""
        self._require_files()
        questions_file, contexts_file = self._files
        rows = list(read_rows(questions_file))
        _require_unique([row.question.id for row in rows], "question_id", where=questions_file.name)
        chats = list(dict.fromkeys(row.chat for row in rows))[: self._limit]
        kept = [row for row in rows if row.chat in set(chats)]
        if not kept:
            raise DataError(f"{questions_file} holds no question")
        contexts = read_contexts(contexts_file)
        hashes = [file_digest(file) for file in self._files]
        scope, notices = scope_of(questions=len(kept), whole=QUESTIONS, benchmark=self._benchmark)
        return LoadedDataset(
            units=tuple(_units(chats, kept, contexts, file=questions_file.name)),
            questions=tuple(row.question for row in kept),
            golds=tuple(row.gold for row in kept),
            categories=TYPES,
            digest=digest(hashes),
            notices=(*_versions(self._files, hashes), *notices, *_notices(kept, contexts)),
            scope=scope,
        )

    def _require_files(self) -> None:
        missing = [file for file in self._files if not file.is_file()]
        if missing:
            raise DataError(
                f"PersonaMem's file {missing[0]} does not exist; name the folder that holds "
                f"{' and '.join(file.name for file in self._files)} with dataset.path=FOLDER, set MEMFOREST_DATA to "
                "the folder above it, or get both with: memforest data fetch personamem_32k"
            )


def _units(
    chats: Sequence[tuple[str, int]], rows: Sequence[Row], contexts: Mapping[str, Sequence[Message]], *, file: str
) -> Iterator[Unit]:
    first = {row.chat: row for row in reversed(rows)}
    for index, chat in enumerate(chats):
        row = first[chat]
        where = f"{file}, question {row.question.id}"
        if row.context not in contexts:
            raise DataError(f"{where}: there is no context {row.context!r:.80} in the file of contexts")
        yield chat_unit(row, contexts[row.context], index=index, where=where)


def _versions(files: Sequence[Path], hashes: Sequence[str]) -> Iterator[str]:
    """Notices on files that are not those of the manifest, for the sizes that it knows."""
    known = {Path(entry.path).name: entry for entry in manifest().values()}
    for file, found in zip(files, hashes, strict=True):
        if file.name in known:
            yield from known[file.name].notices(file, found)


def _notices(rows: Sequence[Row], contexts: Mapping[str, Sequence[Message]]) -> Iterator[str]:
    ungradable = [row.question.id for row in rows if row.gold.ungradable]
    if ungradable:
        yield f"{len(ungradable)} questions that no letter can grade: the correct option's text occurs twice"
    used = {row.context for row in rows}
    texts = (message.text for context in used for message in contexts[context])
    leaked = question_ids_in(texts, [row.question for row in rows])
    if leaked:
        yield (
            f"the contexts hold the ids of {len(leaked)} questions, such as {leaked[0]}: gold may have been ingested, "
            "and no number of such a run counts"
        )


def _require_unique(ids: Sequence[str], key: str, *, where: str) -> None:
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise DataError(f"{where}: {key} {repeated[0]!r:.80} occurs more than once; ids must be unique")
