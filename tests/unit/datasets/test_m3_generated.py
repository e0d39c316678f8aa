"""Generated videos: graphs of the sizes of released ones, and questions that a reader of the texts would answer so."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memforest.core.characters import characters_of
from memforest.core.errors import ConfigError
from memforest.core.graph import TAG
from memforest.core.protocols import LoadedDataset
from memforest.core.types import Gold, Question, Unit
from memforest.core.video import GraphNode, VideoGraph
from memforest.datasets.m3_generated import M3Generated
from memforest.datasets.video_story import story
from memforest.graphs.check import problems
from memforest.graphs.memory import told_graph

USUAL: dict[str, Any] = {
    "style": "robot",
    "videos": 1,
    "clips": 12,
    "questions_per_video": 16,
    "generator_seed": 0,
}
SIDES = "on|under|beside|behind|in front of|to the left of|to the right of|close to"
PUT = re.compile(rf"<\w+> puts the (.+?) ((?:{SIDES}) the .*)\.|<\w+> picks the (.+?) up and leaves it (.*)\.")


@cache
def generated(**changes: Any) -> LoadedDataset:
    return M3Generated(**USUAL | changes).load()


def graph_of(unit: Unit) -> VideoGraph:
    assert unit.graph is not None
    return unit.graph


def asked(data: LoadedDataset) -> list[tuple[Question, Gold, VideoGraph]]:
    graphs = {unit.id: graph_of(unit) for unit in data.units}
    return [
        (question, gold, graphs[question.unit_id]) for question, gold in zip(data.questions, data.golds, strict=True)
    ]


def known(question: Question, graph: VideoGraph) -> list[GraphNode]:
    """Texts that were there when the question was asked."""
    end = question.before_clip
    return [node for node in graph.texts if end is None or (node.clip is not None and node.clip <= end)]


def place_of(thing: str, texts: list[GraphNode]) -> str | None:
    """Where a reader would look for a thing: where it was put last."""
    found = None
    for node in texts:
        match = PUT.fullmatch(node.text)
        if match and (match[1] or match[3]) == thing:
            found = match[2] or match[4]
    return found


@pytest.mark.parametrize("style", ["robot", "web"])
def test_a_graph_is_sound(style: str) -> None:
    for unit in generated(style=style, videos=3).units:
        graph = graph_of(unit)
        assert problems(graph) == []
        assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
        assert list(graph.edges) == sorted(graph.edges)
        types = {node.id: node.type for node in graph.nodes}
        assert all(low < high and {types[low], types[high]} & {"img", "voice"} for low, high, _ in graph.edges)
        assert {node.clip for node in graph.texts} == set(range(12))


def test_a_robots_graph_has_the_sizes_of_released_ones() -> None:
    for index in range(4):
        graph = story(video=f"v{index}", style="robot", clips=None, seed=1).graph
        texts, types = graph.texts, [node.type for node in graph.nodes]
        clips = 1 + max(node.clip or 0 for node in texts)
        equivalences = sum(node.is_equivalence for node in texts)
        plain = {kind: [len(n.text) for n in texts if n.type == kind and not n.is_equivalence] for kind in set(types)}
        assert 33 <= clips <= 82
        assert 27 <= len(texts) / clips <= 37
        assert (0 <= types.count("img") <= 3, 28 <= types.count("voice") <= 79) == (True, True)
        assert 15 <= equivalences <= 95
        assert 9 <= len(texts) - len({node.text for node in texts}) <= 200
        assert 55 <= sum(plain["episodic"]) / len(plain["episodic"]) <= 70
        assert 98 <= sum(plain["semantic"]) / len(plain["semantic"]) <= 112
        assert 0.35 <= len(graph.edges) / len(texts) <= 0.75


def test_split_voices_are_joined_by_equivalences() -> None:
    graph = story(video="v", style="robot", clips=None, seed=1).graph
    entities = sum(not node.is_text for node in graph.nodes)
    assert len(characters_of(told_graph(graph))) < entities


def test_equal_settings_give_equal_videos_and_others_do_not_matter() -> None:
    first, more = generated(), M3Generated(**USUAL | {"videos": 3}).load()
    assert more.units[0] == first.units[0]
    assert more.questions[:16] == first.questions
    assert more.golds[:16] == first.golds
    assert M3Generated(**USUAL).load() == first
    assert generated(generator_seed=1).digest != first.digest
    assert graph_of(generated(generator_seed=1).units[0]) != graph_of(first.units[0])


@examples(max_examples=15)
@given(seed=st.integers(0, 10**6), clips=st.integers(1, 20), style=st.sampled_from(["robot", "web"]))
def test_evidence_was_there_and_holds_the_answer(seed: int, clips: int, style: str) -> None:
    data = M3Generated(**USUAL | {"generator_seed": seed, "clips": clips, "style": style}).load()
    for question, gold, graph in asked(data):
        texts = {str(node.id): node for node in known(question, graph)}
        assert gold.evidence
        assert set(gold.evidence) <= set(texts), "evidence was there when it was asked"
        shown = " ".join(texts[id].text for id in gold.evidence)
        if gold.answer not in ("Yes.", "No."):
            assert all(part in shown for part in (gold.answer or "").split(", "))
        assert (question.before_clip is None) == (style == "web")
        if question.before_clip is not None:
            assert question.time is not None
            assert int(question.time // 30) - 1 == question.before_clip < clips


@examples(max_examples=15)
@given(seed=st.integers(0, 10**6), style=st.sampled_from(["robot", "web"]))
def test_the_answer_is_what_was_told_last(seed: int, style: str) -> None:
    data = M3Generated(**USUAL | {"generator_seed": seed, "style": style, "questions_per_video": 40}).load()
    for question, gold, graph in asked(data):
        texts = known(question, graph)
        if match := re.fullmatch(r"Where is the (.+)\?", question.text):
            assert place_of(match[1], texts) == gold.answer
        if match := re.fullmatch(rf"Is the (.+?) ((?:{SIDES}) the .+)\?", question.text):
            assert (place_of(match[1], texts) == match[2]) == (gold.answer == "Yes.")


@examples(max_examples=15)
@given(seed=st.integers(0, 10**6), style=st.sampled_from(["robot", "web"]))
def test_who_the_evidence_is_about_could_be_known(seed: int, style: str) -> None:
    data = M3Generated(**USUAL | {"generator_seed": seed, "style": style, "questions_per_video": 40}).load()
    for question, gold, graph in asked(data):
        texts = {str(node.id): node for node in known(question, graph)}
        early = VideoGraph(graph.id, tuple(n for n in graph.nodes if not n.is_text or str(n.id) in texts), ())
        owner = {id: name for name, ids in characters_of(told_graph(early)).items() for id in ids}
        people = [tag[0] for id in gold.evidence if (tag := TAG.findall(texts[id].text))]
        assert len({owner[number] for _, number in people}) <= 1


@examples(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_all_that_somebody_brought_until_then_is_in_the_answer(seed: int) -> None:
    data = M3Generated(**USUAL | {"generator_seed": seed, "questions_per_video": 40}).load()
    for question, gold, graph in asked(data):
        if question.text.startswith("Which things"):
            people = characters(graph, seed)
            person = next(name for name, tags in people.items() if name in question.text)
            brought = [
                match[2]
                for node in known(question, graph)
                if (match := re.match(r"<(\w+)> brings a (.+?) along", node.text)) and match[1] in people[person]
            ]
            assert gold.answer == ", ".join(brought)


def characters(graph: VideoGraph, seed: int) -> dict[str, set[str]]:
    """Names with all tags of the person: a tag names whoever it was made for."""
    told = story(video=graph.id, style="robot", clips=12, seed=seed)
    return {name: {tag.strip("<>") for tag in tags} for name, tags in zip(told.names, told.tags, strict=True)}


def test_questions_are_of_every_type_and_come_again_where_facts_are_few() -> None:
    data = generated(questions_per_video=40)
    assert {category for gold in data.golds for category in gold.categories} == set(data.categories)
    few = generated(clips=1, questions_per_video=200)
    assert len(few.questions) == 200
    assert len({question.id for question in few.questions}) == 200
    assert generated(questions_per_video=0).questions == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"style": "film"}, r"dataset\.style"),
        ({"videos": 0}, r"dataset\.videos"),
        ({"clips": 0}, r"dataset\.clips"),
        ({"questions_per_video": -1}, r"dataset\.questions_per_video"),
        ({"generator_seed": -1}, r"dataset\.generator_seed"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        M3Generated(**USUAL | changes)
