"""Generated videos with graphs as M3-Agent makes them, and questions that know which texts answer them."""

from __future__ import annotations

from dataclasses import asdict
from random import Random

from memforest.core.checks import require, require_count_or_null
from memforest.core.digests import digest
from memforest.core.protocols import LoadedDataset
from memforest.core.types import CLIP_SECONDS, Gold, Question, Unit
from memforest.datasets.m3bench_schema import TYPES
from memforest.datasets.video_questions import Asked, questions
from memforest.datasets.video_story import SIZES, story

_SIXTY_FOUR = 2**64


class M3Generated:
    """Videos of a `style`, each of `clips` clips (null: as many as videos of the style have); equal for equal settings.

    A robot is asked at a moment of the video and knows what had happened by then (`before_clip`); of a video from the
    web questions look at the whole, so they are asked only of what stays right to its end.
    """

    def __init__(
        self, *, style: str, videos: int, clips: int | None, questions_per_video: int, generator_seed: int
    ) -> None:
        require(style in SIZES, f"dataset.style must be one of {', '.join(SIZES)}, got {style!r}")
        require(videos >= 1, f"dataset.videos must be at least 1, got {videos}")
        require_count_or_null("dataset.clips", clips)
        require(questions_per_video >= 0, f"dataset.questions_per_video must be at least 0, got {questions_per_video}")
        require(0 <= generator_seed < _SIXTY_FOUR, f"dataset.generator_seed must be at least 0, got {generator_seed}")
        self._style = style
        self._videos = videos
        self._clips = clips
        self._questions = questions_per_video
        self._seed = generator_seed

    def load(self) -> LoadedDataset:
        """Generates; video i does not depend on how many there are."""
        loaded = [self._video(index) for index in range(self._videos)]
        items = [(question, gold) for _, asked in loaded for question, gold in asked]
        units = tuple(unit for unit, _ in loaded)
        return LoadedDataset(
            units=units,
            questions=tuple(question for question, _ in items),
            golds=tuple(gold for _, gold in items),
            categories=TYPES,
            digest=digest([asdict(one) for one in (*units, *(part for item in items for part in item))]),
        )

    def _video(self, index: int) -> tuple[Unit, list[tuple[Question, Gold]]]:
        name = f"{self._style}_{index:02d}"
        told = story(video=name, style=self._style, clips=self._clips, seed=self._seed)
        random = Random(f"questions:{name}:{self._seed}")
        moment = self._style == "robot"
        asked = questions(told, self._questions, random=random, to_the_end=not moment)
        unit = Unit(id=name, index=index, speakers=(), sessions=(), clock="video", graph=told.graph)
        return unit, [
            _item(f"{name}_Q{number:02d}", name, one, clip=one.before_clip(random) if moment else None, random=random)
            for number, one in enumerate(asked, 1)
        ]


def _item(id: str, video: str, asked: Asked, *, clip: int | None, random: Random) -> tuple[Question, Gold]:
    """The question, asked some seconds into the clip after the last that had ended."""
    time = None if clip is None else (clip + 1) * CLIP_SECONDS + random.randrange(int(CLIP_SECONDS))
    category, *more = asked.types
    return (
        Question(id=id, unit_id=video, text=asked.text, time=time, before_clip=clip),
        Gold(
            question_id=id,
            category=category,
            answerable=True,
            answer=asked.answer,
            adversarial_answer=None,
            evidence=tuple(map(str, asked.evidence)),
            more_categories=tuple(more),
        ),
    )
