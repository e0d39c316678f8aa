"""What a reader has to know of a graph is said in sentences; a sound graph has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from memforest.core.video import GraphNode, VideoGraph
from memforest.graphs.check import problems

FACE, VOICE, LATER = GraphNode(0, "img", ()), GraphNode(1, "voice", ()), GraphNode(9, "voice", ())


def text(id: int, content: str, *, clip: int | None = 0, kind: str = "semantic") -> GraphNode:
    return GraphNode(id, kind, (content,), clip)  # type: ignore[arg-type]


def graph(
    texts: Sequence[GraphNode],
    edges: Sequence[tuple[int, int, float]] = (),
    characters: Mapping[str, tuple[str, ...]] | None = None,
) -> VideoGraph:
    return VideoGraph("kitchen", (FACE, VOICE, *texts, LATER), tuple(edges), characters=characters)


SOUND = graph(
    [text(2, "<face_0> sits."), text(3, "Equivalence: <face_0>, <voice_1>"), text(4, "<character_5> waves.", clip=1)],
    [(0, 2, 1.0), (0, 3, 1.0), (1, 3, 1.0)],
    {"character_0": ("face_0", "voice_1"), "character_1": ("voice_9",)},
)


def test_a_sound_graph_has_no_problem() -> None:
    assert problems(SOUND) == []
    assert problems(SOUND, {id: np.ones((1, 2), dtype=np.float32) for id in (2, 3, 4)}) == []


PAIR = text(3, "Equivalence: <face_0>, <voice_1>")
PROBLEMS = {
    "texts without words: 1 (2)": graph([text(2, " ")]),
    "texts without a clip, which have no time: 1 (2)": graph([text(2, "Rain.", clip=None)]),
    "texts that follow one of a later clip: 1": graph([text(2, "a", clip=1), text(3, "b"), text(4, "c", clip=2)]),
    "clips without a text: 299,999,998 (0, 2, 3, ...)": graph([text(2, "a", clip=1), text(3, "b", clip=299_999_999)]),
    f"tags that name no face or voice of the graph: 1 (<face_{'1' * 54})": graph([text(2, f"<face_{'1' * 5000}>")]),
    "tags that name no face or voice of the graph: 1 (<face_00> in 2)": graph([text(2, "<face_00>")]),
    "clips without a text: 2 (0, 2)": graph([text(2, "a", clip=1), text(3, "b", clip=3)]),
    "tags that name no face or voice of the graph: 3 (<face_7> in 2, <dog_0> in 2, <voice_0> in 2)": graph(
        [text(2, "<face_7> <dog_0> <voice_0> <char_1>")], [(1, 2, 1.0)]
    ),
    "texts with a tag and no edge to what it names: 1 (2)": graph([text(2, "<char_0> <speaker_1>")], [(0, 2, 1.0)]),
    "characters that the file has otherwise than its equivalences say: 1 (character_0 of face_0)": graph(
        [PAIR], [(0, 3, 1.0), (1, 3, 1.0)], {"character_0": ("face_0",)}
    ),
}


@pytest.mark.parametrize("told", PROBLEMS)
def test_each_problem_is_a_sentence(told: str) -> None:
    assert problems(PROBLEMS[told]) == [told]


def test_a_text_without_a_vector_is_named_where_vectors_count() -> None:
    assert problems(SOUND, {2: np.ones((1, 2), dtype=np.float32)}) == ["texts without a vector: 2 (3, 4)"]


def test_many_of_a_kind_are_one_sentence() -> None:
    found = graph([text(id, "Rain.", clip=None) for id in range(10, 1510)])
    assert problems(found) == ["texts without a clip, which have no time: 1,500 (10, 11, 12, ...)"]
