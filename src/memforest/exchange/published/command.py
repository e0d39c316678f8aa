"""`memforest import`: a published file in, its accuracies out, and its answers in a form that judges read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memforest.core.errors import ConfigError, DataError
from memforest.exchange.places import require_free
from memforest.exchange.published.answers import StoredAnswer, write_answers, write_hypotheses
from memforest.exchange.published.arena import is_arena_summary, summarise_arena
from memforest.exchange.published.benchmark import Name, read_benchmark
from memforest.exchange.published.document import Document, read_document
from memforest.exchange.published.layouts import layout_of
from memforest.exchange.published.rows import Row, joined
from memforest.exchange.published.summary import summarise


def import_file(
    file: Path, *, dataset: Name, path: Path, out: Path | None, hypotheses: Path | None, replace: bool
) -> dict[str, Any]:
    """Read `file`, join it with the questions of `path`, and measure it; see `summary.summarise` for what is returned.

    `out` gets the answers in our form, `hypotheses` in LongMemEval's. Raises DataError for whatever does not fit, and
    ConfigError for a place that cannot be written; then nothing is written.
    """
    _require_places(file, path, dataset=dataset, out=out, hypotheses=hypotheses, replace=replace)
    document, benchmark = read_document(file), read_benchmark(dataset, path)
    if dataset == "longmemeval" and is_arena_summary(document):
        _require_none(document.name, out, hypotheses)
        return summarise_arena(document, path=file, benchmark=benchmark)
    layout = layout_of(document, dataset)
    rows = joined(layout.rows(document, benchmark), benchmark=benchmark)
    if not rows:
        raise DataError(f"{document.name} has no rows")
    found = summarise(rows, document=document, layout=layout, benchmark=benchmark)
    answers = [_stored(row, document) for row in rows if row.answer is not None]
    if not answers:
        _require_none(document.name, out, hypotheses)
    if out is not None:
        write_answers(out, answers)
    if hypotheses is not None:
        write_hypotheses(hypotheses, [(answer.question_id, answer.answer) for answer in answers])
    return found


def _stored(row: Row, document: Document) -> StoredAnswer:
    source = {"file": document.name, "sha256": document.digest, "row": row.place.removeprefix(f"{document.name}, ")}
    return StoredAnswer(question_id=row.item.id, answer=row.answer or "", votes=row.votes, source=source)


def _require_places(
    file: Path, path: Path, *, dataset: Name, out: Path | None, hypotheses: Path | None, replace: bool
) -> None:
    if hypotheses is not None and dataset != "longmemeval":
        raise ConfigError("--hypotheses writes LongMemEval's own form; use --out for the answers of another dataset")
    places = [place for place in (out, hypotheses) if place is not None]
    for place in places:
        for source in (file, path):
            require_free(place, source=source, replace=replace)
    if len({place.resolve() for place in places}) < len(places):
        raise ConfigError(f"{out} cannot hold both forms; name two files")


def _require_none(name: str, *places: Path | None) -> None:
    if any(place is not None for place in places):
        raise DataError(f"{name} holds no answers, so there is nothing to write; leave --out and --hypotheses out")
