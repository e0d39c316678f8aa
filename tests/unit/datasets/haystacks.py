"""Small instances in LongMemEval's file schema, and what writes them. No text of the benchmark stands here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memforest.core.protocols import LoadedDataset
from memforest.datasets.longmemeval import LongMemEval


def said(role: str, text: str, *, mark: bool | None = None) -> dict[str, Any]:
    """A turn; without `has_answer` unless given."""
    return {"role": role, "content": text, **({} if mark is None else {"has_answer": mark})}


def talk(topic: str, *, mark: bool | None = None) -> list[dict[str, Any]]:
    """A session of two turns, the first marked as given and then the second as false."""
    return [
        said("user", f"I talked about {topic}.", mark=mark),
        said("assistant", f"How nice, {topic}.", mark=None if mark is None else False),
    ]


def instance(id: str = "0a1b2c3d", **changes: Any) -> dict[str, Any]:
    """Three sessions of three days, the second one evidence; a change to `...` removes the key."""
    raw = {
        "question_id": id,
        "question_type": "single-session-user",
        "question": "What did I talk about?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": "kites",
        "answer_session_ids": ["answer_kites"],
        "haystack_dates": ["2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 10:00", "2023/05/03 (Wed) 10:00"],
        "haystack_session_ids": ["aa11", "answer_kites", "sharegpt_zz"],
        "haystack_sessions": [talk("boats"), talk("kites", mark=True), talk("drums")],
    } | changes
    return {key: value for key, value in raw.items() if value is not ...}


def written(path: Path, raw: Any) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


def load(path: Path, *, limit: int | None = None, variant: str = "s") -> LoadedDataset:
    """The dataset at a path."""
    return LongMemEval(variant=variant, path=str(path), data_folder="nowhere", limit=limit).load()


def loaded(folder: Path, instances: Sequence[Any]) -> LoadedDataset:
    """The dataset of a file that holds these instances."""
    return load(written(folder / "file.json", list(instances)))
