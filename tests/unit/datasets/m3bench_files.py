"""A small file of M3-Bench's schema. No text of the benchmark stands here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def row(identity: str, **changes: Any) -> dict[str, Any]:
    """A question of the robot's part, asked when two clips had ended; a change to `...` removes the key."""
    found = {
        "question": "Where is the blue cup?",
        "answer": "On the shelf.",
        "question_id": identity,
        "reasoning": "It was put there.",
        "timestamp": "01:05",
        "type": ["Multi-Detail Reasoning"],
        "before_clip": 1,
    } | changes
    return {key: value for key, value in found.items() if value is not ...}


def web_row(identity: str, **changes: Any) -> dict[str, Any]:
    """A question of the web's part, which has no time."""
    return row(identity, **({"timestamp": ..., "before_clip": ..., "type": ["Multi-Evidence Reasoning"]} | changes))


def written(path: Path, videos: Mapping[str, Sequence[dict[str, Any]]]) -> Path:
    """A file of annotations."""
    raw = {
        video: {"video_path": f"{video}.mp4", "mem_path": f"{video}.pkl", "qa_list": list(rows)}
        for video, rows in videos.items()
    }
    path.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    return path
