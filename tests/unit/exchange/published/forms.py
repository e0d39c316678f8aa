"""Small files of every known form, made here: two conversations, three questions of LongMemEval."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.builders import locomo_unit, question_row

Json = Any

LOCOMO: list[Json] = [
    locomo_unit(
        sample_id="conv-a",
        qa=[
            question_row(question="Which boat?", answer="the red boat", category=1, evidence=["D1:1", "D2:1"]),
            question_row(question="Which cat?", answer=..., adversarial_answer="grey", category=5),
            question_row(question="Which year?", answer=2022, category=2, evidence=[]),
            question_row(question="Which boat?", answer="the red boat", category=4, evidence=["D2:1"]),
        ],
    ),
    locomo_unit(
        sample_id="conv-b",
        qa=[
            question_row(question="Would Ben?", answer="Yes; he likes it", category=3, evidence=["D1:2", "D9:9"]),
            question_row(question="Which dog?", answer="a brown dog", category=4),
            question_row(question="Which owl?", answer="No", adversarial_answer="white", category=5),
        ],
    ),
]
"""A category-5 question stands before others, as in one real conversation, and one text is asked twice."""

LONGMEMEVAL: list[Json] = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many boats?",
        "answer": 3,
        "answer_session_ids": ["s1", "s2"],
    },
    {
        "question_id": "gpt4_q2",
        "question_type": "temporal-reasoning",
        "question": "When was it?",
        "answer": "in May",
        "answer_session_ids": ["s3"],
    },
    {
        "question_id": "q3_abs",
        "question_type": "multi-session",
        "question": "How many owls?",
        "answer": "You did not mention owls.",
        "answer_session_ids": [],
    },
]
INDEX: list[Json] = [
    {
        "id": row["question_id"],
        "query": row["question"],
        "gold_answers": [row["answer"]],
        "gold_ids": [f"{row['question_id']}_{session}" for session in row["answer_session_ids"]],
        "meta": {"question_type": row["question_type"]},
    }
    for row in LONGMEMEVAL
]

ANSWERS = ("a red boat, 1", "none", "in 2022", "red boat", "yes", "a dog.", "not mentioned")
VOTES = ((True, True, False), (), (True, False, False), (True, True, True), (False, True, True), (True, True, True), ())


def _asked() -> list[tuple[int, int, Json]]:
    """Conversation, place and row of all seven questions."""
    return [(place, number, row) for place, unit in enumerate(LOCOMO) for number, row in enumerate(unit["qa"])]


def _judgments(votes: Sequence[bool]) -> dict[str, bool]:
    return {f"judgment_{number}": vote for number, vote in enumerate(votes, 1)}


def audit() -> Json:
    """Ids count in the original list; categories are texts; the header counts one too many."""
    results: dict[str, list[Json]] = {"locomo_exp_user_0": [], "locomo_exp_user_1": []}
    for (place, number, row), answer, votes in zip(_asked(), ANSWERS, VOTES, strict=True):
        if votes:
            results[f"locomo_exp_user_{place}"].append(
                {
                    "question_id": f"locomo_{place}_qa{number}",
                    "question": row["question"],
                    "golden_answer": str(row["answer"]),
                    "generated_answer": answer,
                    "llm_judgments": _judgments(votes),
                    "category": str(row["category"]),
                }
            )
    return {"total_questions": 5, "correct": 5, "accuracy": 11 / 15, "detailed_results": results}


def evermemos() -> Json:
    """No ids, category 5 left out, integer answers stay integers."""
    results: dict[str, list[Json]] = {"locomo_exp_user_0": [], "locomo_exp_user_1": []}
    for (place, _, row), answer, votes in zip(_asked(), ANSWERS, VOTES, strict=True):
        if votes:
            results[f"locomo_exp_user_{place}"].append(
                {
                    "question": row["question"],
                    "answer": answer,
                    "golden_answer": row["answer"],
                    "category": row["category"],
                    "llm_judgments": _judgments(votes),
                    "nlp_metrics": {},
                }
            )
    return results


def mem0() -> Json:
    """Conversations out of order, categories as texts, one verdict, and two metrics."""
    results: dict[str, list[Json]] = {"1": [], "0": []}
    for (place, _, row), answer, votes in zip(_asked(), ANSWERS, VOTES, strict=True):
        if votes:
            results[str(place)].append(
                {
                    "question": row["question"],
                    "answer": str(row["answer"]),
                    "response": answer,
                    "category": str(row["category"]),
                    "bleu_score": 0.5,
                    "f1_score": 2 / 3,
                    "llm_score": int(votes[0]),
                }
            )
    return results


def evaluator() -> Json:
    """LoCoMo's own form: conversations in another order, every question, the lure as the answer of category 5."""
    units: dict[int, Json] = {place: {"sample_id": LOCOMO[place]["sample_id"], "qa": []} for place in (1, 0)}
    for (place, _, row), answer in zip(_asked(), ANSWERS, strict=True):
        filled = {"answer": row.get("adversarial_answer")} | row
        units[place]["qa"].append({**filled, "tool_prediction": answer, "tool_f1": 0.5})
    return list(units.values())


def session_retrieval() -> Json:
    """A flat list with the sessions found; a question without evidence is given full recall."""
    return [
        {
            "sample_id": LOCOMO[place]["sample_id"],
            "question": row["question"],
            "answer": row.get("answer", row.get("adversarial_answer")),
            "category": row["category"],
            "evidence": row["evidence"],
            "retrieved_ids": ["session_1"],
            "recall": 1.0 if not row["evidence"] else 0.5,
        }
        for place, _, row in _asked()
    ]


def hypotheses() -> Json:
    """The official form after judging."""
    rows = zip(LONGMEMEVAL, ("three boats", "in May", "I do not know"), (True, False, True), strict=True)
    return [
        {"question_id": row["question_id"], "hypothesis": answer, "autoeval_label": {"model": "m", "label": label}}
        for row, answer, label in rows
    ]


def retrieval_log() -> Json:
    """The official retrieval log, of one question."""
    metrics = {"session": {"recall_any@1": 0.0, "recall_any@2": 1.0, "ndcg_any@2": 0.6}, "turn": {"recall_any@1": 1.0}}
    ranked = [{"corpus_id": name, "text": "x", "timestamp": "t"} for name in ("s9", "s2", "s1")]
    return [
        {
            "question_id": "q1",
            "question_type": "multi-session",
            "question": "How many boats?",
            "answer": 3,
            "retrieval_results": {"query": "How many boats?", "ranked_items": ranked, "metrics": metrics},
        }
    ]


def labels() -> Json:
    """A table of two judges, one of whom did not judge everything."""
    rows = zip(LONGMEMEVAL, ("CORRECT", "WRONG", ""), ("CORRECT", "CORRECT", "WRONG"), strict=True)
    return [
        {"qid": row["question_id"], "question_type": row["question_type"], "strict_label": strict, "open_label": open_}
        for row, strict, open_ in rows
    ]


def arena(*, score: float = 0.8) -> Json:
    """memory-arena: scores of a judge, not verdicts, and a failed question."""
    ir = {"k": 2, "session_recall_at_k": 0.5}
    row = {"supporting_session_ids": ["s1", "s9", "s2"], "ir": ir, "recall_at_k_measurable": True, "error": False}
    return {
        "strategy": "x",
        "accuracy": (score + 0.2) / 2,
        "questions_evaluated": 2,
        "mean_session_recall_at_k": 0.5,
        "recall_records": [
            {**row, "question_id": "q1", "answer": "three", "score": {"accuracy": score}},
            {**row, "question_id": "gpt4_q2", "answer": "", "score": {"accuracy": 0.2}, "error": True},
        ],
    }


def stored_answers() -> Json:
    """Our own form."""
    return [
        {"question_id": "conv-a/qa0", "answer": "red boat", "votes": [True], "source": {"file": "f"}},
        {"question_id": "conv-b/qa1", "answer": "a dog", "votes": [], "source": {}},
    ]


FORMS: dict[str, tuple[str, Callable[[], Json]]] = {
    "audit": ("locomo", audit),
    "evermemos": ("locomo", evermemos),
    "mem0": ("locomo", mem0),
    "locomo_evaluator": ("locomo", evaluator),
    "session_retrieval": ("locomo", session_retrieval),
    "answers": ("locomo", stored_answers),
    "hypotheses": ("longmemeval", hypotheses),
    "retrieval_log": ("longmemeval", retrieval_log),
    "labels": ("longmemeval", labels),
    "memory_arena": ("longmemeval", arena),
}
LINES = ("answers", "hypotheses", "retrieval_log")
"""Forms that are JSONL."""


def form(name: str) -> Json:
    """One form's content, of which no two parts are the same object."""
    return json.loads(json.dumps(FORMS[name][1]()))


def write(path: Path, content: Json, *, lines: bool = False) -> Path:
    """The content as a file: JSON or JSONL, gzip where the name ends in .gz."""
    text = "".join(json.dumps(row) + "\n" for row in content) if lines else json.dumps(content)
    raw = text.encode()
    path.write_bytes(gzip.compress(raw, mtime=0) if path.suffix == ".gz" else raw)
    return path


def dataset(folder: Path, name: str) -> Path:
    """The dataset's file in `folder`."""
    return write(folder / f"{name}.json", LOCOMO if name == "locomo" else LONGMEMEVAL)
