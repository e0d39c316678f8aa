"""All known forms of published files, and which of them a file has."""

from __future__ import annotations

from memforest.core.errors import DataError
from memforest.exchange.published import locomo, longmemeval
from memforest.exchange.published.answers import records_of, stored_answer
from memforest.exchange.published.benchmark import Benchmark, Name
from memforest.exchange.published.document import Document
from memforest.exchange.published.rows import Layout, Row, by_id, first_has


def _stored_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    return [_stored_row(raw, benchmark, where) for raw, where in records_of(document)]


def _stored_row(raw: object, benchmark: Benchmark, where: str) -> Row:
    stored = stored_answer(raw, where=where)
    item = by_id(benchmark, stored.question_id, where=where)
    return Row(place=where, item=item, answer=stored.answer, votes=stored.votes)


STORED = Layout(
    name="answers",
    words="one `question_id`, `answer` (and `votes`) a line, as --out writes",
    joined_by="id",
    fits=lambda content: first_has(content, "answer") and first_has(content, "question_id"),
    rows=_stored_rows,
)
LAYOUTS: dict[Name, tuple[Layout, ...]] = {
    "locomo": (*locomo.LAYOUTS, STORED),
    "longmemeval": (*longmemeval.LAYOUTS, STORED),
}


def layout_of(document: Document, dataset: Name) -> Layout:
    """The first layout that a file has. Raises DataError that lists those of the dataset."""
    for layout in LAYOUTS[dataset]:
        if layout.fits(document.content):
            return layout
    known = "; ".join(f"{layout.name}: {layout.words}" for layout in LAYOUTS[dataset])
    raise DataError(f"{document.name} has none of the forms known for {dataset} ({known})")
