"""A small pair of files in PersonaMem's schema. No text of the benchmark stands here."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memforest.core.protocols import LoadedDataset
from memforest.datasets.personamem import PersonaMem

OPTIONS = ("likes kites", "likes boats a lot", "likes drums", "is tired")
CHAT = (
    ("system", "Current user persona: Ada, a pilot."),
    ("user", "User: I like kites."),
    ("user", "User: And wind."),
    ("assistant", "Assistant: Kites are fun."),
    ("system", "Current user persona: Ada, a pilot."),
    ("user", "Therapist: How are you?"),
    ("assistant", "Assistant: Fine, User: Ada."),
)


def lettered(options: Sequence[str] = OPTIONS) -> list[str]:
    """Options with their letters."""
    return [f"({letter}) {text}" for letter, text in zip("abcdefghij", options, strict=False)]


def row(id: str = "q1", **changes: str) -> dict[str, str]:
    """A row about the whole chat `c1` of persona 0; the correct option is (a)."""
    return {
        "persona_id": "0",
        "question_id": id,
        "question_type": "recall_user_shared_facts",
        "topic": "kites",
        "user_question_or_message": "What does Ada like?",
        "correct_answer": "(a)",
        "all_options": json.dumps(lettered()),
        "shared_context_id": "c1",
        "end_index_in_shared_context": str(len(CHAT)),
    } | changes


def messages(chat: Sequence[tuple[str, str]] = CHAT) -> list[dict[str, str]]:
    """Messages as the file holds them."""
    return [{"role": role, "content": text} for role, text in chat]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, fieldnames=list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def written(
    folder: Path, rows: Sequence[Mapping[str, Any]], contexts: Mapping[str, Any] | None = None, *, size: str = "32k"
) -> Path:
    """The folder with both files, a context a line."""
    write_rows(folder / f"questions_{size}.csv", rows)
    given = {"c1": messages()} if contexts is None else contexts
    lines = [json.dumps({context: chat}, ensure_ascii=False) for context, chat in given.items()]
    (folder / f"shared_contexts_{size}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def load(folder: Path, *, size: str = "32k", limit: int | None = None) -> LoadedDataset:
    """The dataset of a folder."""
    return PersonaMem(size=size, path=str(folder), data_folder="nowhere", limit=limit).load()
