"""Answers that were given, as files: our form, which judges read again, and LongMemEval's official one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memforest.core.errors import DataError
from memforest.core.files import json_line, write_atomically
from memforest.exchange.published.document import Document, field, read_document, text_of
from memforest.exchange.published.rows import votes_of


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer with the verdicts that it came with; `source` is where it came from (`file`, `sha256`, `row`)."""

    question_id: str
    answer: str
    votes: tuple[bool, ...]
    source: Mapping[str, str]


def write_answers(path: Path, answers: Iterable[StoredAnswer]) -> int:
    """One JSON object a line with `question_id`, `answer`, `votes`, `source`; returns the number of lines.

    Written beside and renamed. Raises DataError when a question comes twice.
    """
    rows = [
        {"question_id": a.question_id, "answer": a.answer, "votes": list(a.votes), "source": dict(a.source)}
        for a in answers
    ]
    return _write(path, rows)


def read_answers(path: Path) -> tuple[StoredAnswer, ...]:
    """What `write_answers` wrote, or lines of that form. Raises DataError with file and line."""
    document = read_document(path)
    found = tuple(stored_answer(raw, where=where) for raw, where in records_of(document))
    _require_unique([answer.question_id for answer in found], path.name)
    return found


def stored_answer(raw: object, *, where: str) -> StoredAnswer:
    """One parsed line. Raises DataError."""
    source = field(raw, "source", dict, where=where) if isinstance(raw, dict) and "source" in raw else {}
    return StoredAnswer(
        question_id=field(raw, "question_id", str, where=where),
        answer=text_of(raw, "answer", where=where),
        votes=votes_of(raw["votes"] if isinstance(raw, dict) and "votes" in raw else [], where=where),
        source={str(key): str(value) for key, value in source.items()},
    )


def write_hypotheses(path: Path, answers: Iterable[tuple[str, str]]) -> int:
    """Pairs of question id and answer as LongMemEval's own scripts read them: `question_id`, `hypothesis` a line.

    Questions that were not answered are left out. Returns the number of lines. Raises DataError when one comes twice.
    """
    return _write(path, [{"question_id": name, "hypothesis": answer} for name, answer in answers])


def read_hypotheses(path: Path) -> tuple[tuple[str, str], ...]:
    """Question id and answer of each line of an official file, JSONL or a JSON list; other keys are ignored.

    Raises DataError with file and line.
    """
    document = read_document(path)
    found = tuple(hypothesis(raw, where=where) for raw, where in records_of(document))
    _require_unique([name for name, _ in found], path.name)
    return found


def hypothesis(raw: object, *, where: str) -> tuple[str, str]:
    """Question id and answer of one parsed line. Raises DataError, for a null answer too."""
    return field(raw, "question_id", str, where=where), text_of(raw, "hypothesis", where=where)


def records_of(document: Document) -> list[tuple[object, str]]:
    """The objects of a JSONL file or a JSON list, each with its place; one object alone is a file of one line."""
    if isinstance(document.content, dict):
        return [(document.content, f"{document.name}, line 1")]
    if not isinstance(document.content, list):
        raise DataError(f"{document.name}: expected one JSON object a line")
    return [(raw, document.place(index)) for index, raw in enumerate(document.content)]


def _write(path: Path, rows: list[dict[str, Any]]) -> int:
    _require_unique([row["question_id"] for row in rows], path.name)
    write_atomically(path, "".join(json_line(row) + "\n" for row in rows).encode())
    return len(rows)


def _require_unique(names: list[str], file: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{file}: the question {name!r} stands twice; an answer file has one line for each")
        seen.add(name)
