"""M3-Bench's files of annotations: videos with their questions, each of one type or of several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memforest.core.errors import DataError
from memforest.core.types import CLIP_SECONDS, Gold, Question
from memforest.datasets.schema import Schema, valid

TYPES = (
    "Multi-Evidence Reasoning",
    "Multi-Hop Reasoning",
    "Cross-Modal Reasoning",
    "Person Understanding",
    "General Knowledge Extraction",
)
ALIASES: Mapping[str, str] = {
    "Multi-Detail Reasoning": "Multi-Evidence Reasoning",
    "Human Understanding": "Person Understanding",
}
"""What other files call a type: that for the robot and that for the web disagree, and so do older ones."""

_SCHEMA = Schema("M3-Bench")
_field, _optional = _SCHEMA.field, _SCHEMA.optional
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)")
_LATEST = 2**31
"""No clip is that late, and all before it are exact as floats."""

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its gold. `said` is the clip that the time of asking gives, where the file has one."""

    question: Question
    gold: Gold
    said: int | None

    @property
    def is_remark(self) -> bool:
        """Whether the answer is written in another script than the question: a remark to colleagues, and no answer."""
        return bool(_IDEOGRAPH.search(self.gold.answer or "")) and not _IDEOGRAPH.search(self.question.text)


def rows(raw: object, *, file: str) -> Iterator[tuple[str, list[Row]]]:
    """Videos with their questions, in the order of the file. Raises DataError for another schema."""
    for video, fields in valid(raw, dict, where=file).items():
        where = f"{file}, {video:.40}"
        listed = _field(fields, "qa_list", list, where=where)
        yield (
            valid(video, str, where=where),
            [_row(item, video=video, where=f"{where}, qa_list[{place}]") for place, item in enumerate(listed)],
        )


def _row(item: object, *, video: str, where: str) -> Row:
    identity = _words(item, "question_id", where=where)
    timestamp = _optional(item, "timestamp", str, where=where)
    asked = None if timestamp is None else _seconds(timestamp, where=f"{where}: `timestamp`")
    category, *more = _types(_field(item, "type", list, where=where), where=f"{where}: `type`")
    before_clip = _optional(item, "before_clip", int, where=where)
    if before_clip is not None and not -1 <= before_clip < _LATEST:
        got = f"{before_clip!s:.20}"
        raise DataError(f"{where}: `before_clip` must be a clip, or -1 where none had ended, got {got}")
    answer = _words(item, "answer", where=where)
    return Row(
        question=Question(
            id=identity,
            unit_id=video,
            text=_words(item, "question", where=where),
            time=asked,
            before_clip=before_clip,
        ),
        gold=Gold(
            question_id=identity,
            category=category,
            answerable=True,
            answer=answer,
            adversarial_answer=None,
            evidence=(),
            more_categories=tuple(more),
        ),
        said=None if asked is None else int(asked // CLIP_SECONDS) - 1,
    )


def _words(item: object, key: str, *, where: str) -> str:
    """A text that is not empty."""
    found = _field(item, key, str, where=where)
    if not found.strip():
        raise DataError(f"{where}: `{key}` is empty")
    return found


def _types(raw: list[object], *, where: str) -> list[str]:
    """Types by the one name that each has here, once."""
    named = [valid(name, str, where=where) for name in raw]
    found = list(dict.fromkeys(ALIASES.get(name, name) for name in named))
    unknown = [name for name in found if name not in TYPES]
    if unknown or not found:
        what = f"unknown type {unknown[0]!r:.80}" if unknown else "no type"
        raise DataError(f"{where}: {what}; M3-Bench has {', '.join(TYPES)}")
    return found


def _seconds(text: str, *, where: str) -> float:
    """Seconds from the start of a video of MM:SS or H:MM:SS."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        raise DataError(f"{where}: cannot read the time {text!r:.40}; M3-Bench writes MM:SS")
    return float(int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3]))
