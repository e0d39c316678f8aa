"""Forms of published LoCoMo files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memforest.core.errors import DataError
from memforest.datasets.locomo_schema import CATEGORIES
from memforest.exchange.published.benchmark import Benchmark, Item
from memforest.exchange.published.document import Document, field, share_of, text_of
from memforest.exchange.published.rows import Claim, Layout, Row, by_id, claims_of, first_has, votes_of

_CATEGORIES = {str(number): name for number, name in CATEGORIES.items()}
_AUDIT_ID = re.compile(r"locomo_(\d{1,6})_qa(\d{1,6})")
_CONVERSATION = re.compile(r"(?:locomo_exp_user_)?(\d{1,6})")
_VOTE = re.compile(r"judgment_\d{1,6}")
_SESSION = re.compile(r"^session_(\d+)$")
_PREDICTION = "_prediction"
ReadRow = Callable[[Any, Item, str], Row]


def _category(raw: Mapping[str, Any], *, where: str) -> str:
    """LoCoMo's name of a category, which files write as a number or as its text; names differ between projects."""
    value = text_of(raw, "category", where=where)
    if value not in _CATEGORIES:
        raise DataError(f"{where}: unknown category {value!r:.40}; LoCoMo has {', '.join(_CATEGORIES)}")
    return _CATEGORIES[value]


def _shared(raw: Mapping[str, Any], item: Item, *, gold: str, where: str) -> dict[str, Any]:
    """What every layout has: place, question, category, and the gold answer where the row carries one."""
    return {
        "place": where,
        "item": item,
        "question": field(raw, "question", str, where=where),
        "category": _category(raw, where=where),
        "gold": text_of(raw, gold, where=where) if raw.get(gold) is not None else None,
    }


def _judgments(raw: Mapping[str, Any], *, where: str) -> tuple[bool, ...]:
    given = field(raw, "llm_judgments", dict, where=where)
    unknown = [key for key in given if not _VOTE.fullmatch(key)]
    if unknown:
        raise DataError(f"{where}: `llm_judgments` has {unknown[0]!r:.40}; expected judgment_1, judgment_2, ...")
    ordered = sorted(given, key=lambda key: int(key.removeprefix("judgment_")))
    return votes_of([given[key] for key in ordered], where=where)


def _conversation(key: str, benchmark: Benchmark, *, where: str) -> str:
    """The unit that a key such as `locomo_exp_user_3` or `3` means: its place in the benchmark's file."""
    match = _CONVERSATION.fullmatch(key)
    units = benchmark.units
    if not match or int(match[1]) >= len(units):
        raise DataError(f"{where}: {key!r:.80} is no conversation of {benchmark.file}, which has 0 to {len(units) - 1}")
    return units[int(match[1])]


def _in_order(benchmark: Benchmark, unit: str, count: int, *, where: str) -> Sequence[Item]:
    """The questions that `count` rows without ids stand for: all of a conversation, or those of categories 1 to 4.

    Raises DataError for any other count: rows could then be joined with the wrong questions.
    """
    everything = benchmark.by_unit[unit]
    answerable = [item for item in everything if item.answerable]
    if count == len(answerable):
        return answerable
    if count != len(everything):
        raise DataError(
            f"{where}: has {count:,} rows, but {unit} of {benchmark.file} has {len(everything):,} questions, "
            f"{len(answerable):,} of them in categories 1 to 4; rows without ids can only be joined one for one"
        )
    return everything


def _audit_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    results = field(document.content, "detailed_results", dict, where=document.name)
    return [
        _audit_row(raw, benchmark, unit=unit, where=f"{document.name}, {key}[{number}]")
        for key in results
        for unit in [_conversation(key, benchmark, where=document.name)]
        for number, raw in enumerate(field(results, key, list, where=document.name))
    ]


def _audit_row(raw: Any, benchmark: Benchmark, *, unit: str, where: str) -> Row:
    item = _audit_item(field(raw, "question_id", str, where=where), benchmark, unit=unit, where=where)
    shared = _shared(raw, item, gold="golden_answer", where=where)
    return Row(**shared, answer=text_of(raw, "generated_answer", where=where), votes=_judgments(raw, where=where))


def _audit_item(identity: str, benchmark: Benchmark, *, unit: str, where: str) -> Item:
    """`locomo_1_qa81` is question 81 of conversation 1, counted in the original list, category 5 included."""
    match = _AUDIT_ID.fullmatch(identity)
    if not match or _conversation(match[1], benchmark, where=where) != unit:
        raise DataError(f"{where}: the id {identity!r:.80} is not locomo_<conversation>_qa<number> of {unit}")
    return by_id(benchmark, f"{unit}/qa{int(match[2])}", where=where)


def _audit_claims(content: Mapping[str, Any]) -> list[Claim]:
    metadata = content.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    runs, categories = about.get("run_scores"), about.get("category_accuracies")
    by_vote = dict(enumerate(runs)) if isinstance(runs, list) else {}
    return [
        *claims_of(content, {"total_questions": ("questions",), "correct": ("majority_correct",)}),
        *claims_of(content, {"accuracy": ("accuracy_mean_of_votes",)}, scale=100),
        *claims_of(about, {"mean_accuracy": ("accuracy_mean_of_votes",)}, scale=100),
        *claims_of(about, {"majority_vote_accuracy": ("accuracy_majority",)}, scale=100),
        *claims_of(by_vote, {run: ("accuracy_by_vote", str(run)) for run in by_vote}, scale=100, of="run_scores "),
        *(claim for key in _CATEGORIES for claim in _category_claims(categories, key)),
    ]


def _category_claims(categories: object, key: str) -> list[Claim]:
    stated = categories.get(key) if isinstance(categories, dict) else None
    path = ("by_category", _CATEGORIES[key])
    return [
        *claims_of(stated, {"mean": (*path, "accuracy_mean_of_votes")}, scale=100, of=f"category {key}, "),
        *claims_of(stated, {"total": (*path, "questions")}, of=f"category {key}, "),
    ]


def _evermemos_row(raw: Any, item: Item, where: str) -> Row:
    shared = _shared(raw, item, gold="golden_answer", where=where)
    return Row(**shared, answer=text_of(raw, "answer", where=where), votes=_judgments(raw, where=where))


def _mem0_row(raw: Any, item: Item, where: str) -> Row:
    shared = _shared(raw, item, gold="answer", where=where)
    return Row(
        **shared,
        answer=text_of(raw, "response", where=where),
        votes=votes_of(raw.get("llm_score"), where=where),
        stored={key: share_of(raw, key, where=where) for key in ("f1_score", "bleu_score") if key in raw},
    )


def _ordered(read: ReadRow) -> Callable[[Document, Benchmark], list[Row]]:
    """Rows without ids in an object of conversations, in whatever order the conversations come."""

    def rows(document: Document, benchmark: Benchmark) -> list[Row]:
        found: list[Row] = []
        for key in document.content:
            place = f"{document.name}, {key}"
            unit = _conversation(key, benchmark, where=document.name)
            found += _zipped(field(document.content, key, list, where=document.name), benchmark, unit, place, read)
        return found

    return rows


def _zipped(raws: list[Any], benchmark: Benchmark, unit: str, place: str, read: ReadRow) -> list[Row]:
    items = _in_order(benchmark, unit, len(raws), where=place)
    return [read(raw, item, f"{place}[{number}]") for number, (raw, item) in enumerate(zip(raws, items, strict=True))]


def _evaluator_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    """What LoCoMo's own evaluator writes: the benchmark's `qa` with `<model>_prediction` and `<model>_f1`."""
    found: list[Row] = []
    for index, raw in enumerate(document.content):
        unit = _unit(raw, benchmark, where=document.place(index))
        place = f"{document.name}, {unit}"
        found += _zipped(field(raw, "qa", list, where=place), benchmark, unit, place, _evaluator_row)
    return found


def _evaluator_row(raw: Any, item: Item, where: str) -> Row:
    shared = _shared(raw, item, gold="answer", where=where)
    models = [key.removesuffix(_PREDICTION) for key in raw if key.endswith(_PREDICTION)]
    if len(models) != 1:
        raise DataError(f"{where}: expected one `<model>{_PREDICTION}`, got {len(models)}; keep one model in the file")
    score = f"{models[0]}_f1"
    return Row(
        **shared,
        answer=text_of(raw, f"{models[0]}{_PREDICTION}", where=where),
        stored={score: share_of(raw, score, where=where)} if score in raw else {},
    )


def _retrieval_rows(document: Document, benchmark: Benchmark) -> list[Row]:
    """A flat list: each conversation's rows follow each other in the order of its questions."""
    units = [_unit(raw, benchmark, where=document.place(index)) for index, raw in enumerate(document.content)]
    found: list[Row] = []
    for unit in dict.fromkeys(units):
        raws = [raw for raw, its in zip(document.content, units, strict=True) if its == unit]
        found += _zipped(raws, benchmark, unit, f"{document.name}, {unit}", _retrieval_row)
    return found


def _retrieval_row(raw: Any, item: Item, where: str) -> Row:
    shared = _shared(raw, item, gold="answer", where=where)
    names = field(raw, "retrieved_ids", list, where=where)
    return Row(
        **shared,
        retrieved=tuple(_SESSION.sub(r"D\1", str(name)) for name in names),
        stored={"recall": share_of(raw, "recall", where=where)} if "recall" in raw else {},
    )


def _unit(raw: object, benchmark: Benchmark, *, where: str) -> str:
    unit = field(raw, "sample_id", str, where=where)
    if unit not in benchmark.by_unit:
        raise DataError(f"{where}: {benchmark.file} has no conversation {unit!r:.80}")
    return unit


def _is_conversations(key: str) -> Callable[[Any], bool]:
    """Whether something is an object of lists whose rows have `key`."""

    def fits(content: Any) -> bool:
        lists = list(content.values()) if isinstance(content, dict) else []
        return all(isinstance(rows, list) for rows in lists) and any(first_has(rows, key) for rows in lists)

    return fits


LAYOUTS = (
    Layout(
        name="audit",
        words="an object with `detailed_results` of conversations, with `llm_judgments`",
        joined_by="id, the place in the original list",
        fits=lambda content: isinstance(content, dict) and "detailed_results" in content,
        rows=_audit_rows,
        claims=_audit_claims,
    ),
    Layout(
        name="evermemos",
        words="an object of conversations whose rows have `llm_judgments`",
        joined_by="order in each conversation",
        fits=_is_conversations("llm_judgments"),
        rows=_ordered(_evermemos_row),
    ),
    Layout(
        name="mem0",
        words="an object of conversations whose rows have `response` (and `llm_score`, `f1_score`, `bleu_score`)",
        joined_by="order in each conversation",
        fits=_is_conversations("response"),
        rows=_ordered(_mem0_row),
        again={"f1_score": "set_f1", "bleu_score": "bleu_1"}.get,
    ),
    Layout(
        name="locomo_evaluator",
        words="LoCoMo's list of conversations with `<model>_prediction` in `qa`",
        joined_by="order in each conversation",
        fits=lambda content: isinstance(content, list) and first_has(content, "qa"),
        rows=_evaluator_rows,
        again=lambda stored: "locomo_f1" if stored.endswith("_f1") else None,
    ),
    Layout(
        name="session_retrieval",
        words="a list of questions with `retrieved_ids`",
        joined_by="order in each conversation",
        fits=lambda content: isinstance(content, list) and first_has(content, "retrieved_ids"),
        rows=_retrieval_rows,
        again={"recall": "session_recall"}.get,
    ),
)
