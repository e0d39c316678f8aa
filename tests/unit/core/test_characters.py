"""Who is who: characters from equivalences, tags in texts, and the texts that a character's tags stand in for."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from memforest.core.characters import characters_of, named_entities, translated, variants
from memforest.core.graph import Entity, MemoryGraph
from tests.graphs import FACE, OTHER, VOICE, carrying, graph_memory, text_node


def graph(entities: Sequence[Entity], told: Sequence[str], edges: Sequence[tuple[str, str, float]] = ()) -> MemoryGraph:
    """Equivalences 100, 101, ... that say `told`."""
    nodes = [text_node(100 + place, text, clip=0, kind="semantic") for place, text in enumerate(told)]
    found = carrying([], entities=entities, edges=edges, equivalences=nodes).graph
    assert found is not None
    return found


def entities(count: int, *, faces: int = 0) -> list[Entity]:
    """0, 1, ... of which the first are faces."""
    return [Entity(str(number), "face" if number < faces else "voice") for number in range(count)]


def equivalence(*numbers: int) -> str:
    return "Equivalence: " + ", ".join(f"<voice_{number}>" for number in numbers)


def test_what_equivalences_join_is_one_character_and_the_others_follow_alone() -> None:
    found = graph(entities(5), [equivalence(3, 1), equivalence(4, 3)])
    assert characters_of(found) == {
        "character_0": ("3", "1", "4"),
        "character_1": ("0",),
        "character_2": ("2",),
    }


def test_without_equivalences_everyone_is_a_character() -> None:
    assert characters_of(graph([VOICE, FACE], [])) == {"character_0": ("1",), "character_1": ("0",)}
    assert characters_of(graph([], [])) == {}


def test_a_voice_keeps_its_strongest_face_only() -> None:
    told = ["Equivalence: <face_0>, <voice_2>", "Equivalence: <face_1>, <voice_2>"]
    three = entities(3, faces=2)
    stronger = graph(three, told, [("2", "100", 1.0), ("2", "101", 2.0)])
    assert characters_of(stronger) == {"character_0": ("1", "2"), "character_1": ("0",)}
    equal = graph(three, told, [("2", "100", 2.0), ("2", "101", 2.0)])
    assert characters_of(equal) == {"character_0": ("0", "2"), "character_1": ("1",)}
    assert characters_of(graph(three, told, [("2", "101", 1.0)]))["character_0"] == ("1", "2")


def test_a_face_keeps_all_its_voices_and_voices_each_other() -> None:
    assert characters_of(graph_memory(3).graph or graph([], [])) == {"character_0": ("0", "1", "2")}
    told = ["Equivalence: <face_0>, <voice_1>", equivalence(1, 2)]
    assert characters_of(graph([FACE, VOICE, OTHER], told, [("1", "100", 1.0)])) == {"character_0": ("0", "1", "2")}


def test_tags_that_name_nothing_and_characters_in_equivalences_are_ignored() -> None:
    told = ["Equivalence: <voice_1>, <voice_77>", "equivalence: <character_0>, <voice_2>", "Equivalence: nobody"]
    assert characters_of(graph([FACE, VOICE, OTHER], told)) == {
        "character_0": ("0",),
        "character_1": ("1",),
        "character_2": ("2",),
    }


@pytest.mark.parametrize("seed", range(30))
def test_characters_are_the_components_of_what_is_told(seed: int) -> None:
    drawn = random.Random(seed)
    count = drawn.randint(1, 12)
    pairs = [(drawn.randrange(count), drawn.randrange(count)) for _ in range(drawn.randint(0, 12))]
    found = characters_of(graph(entities(count), [equivalence(*pair) for pair in pairs]))
    assert sorted(itertools.chain.from_iterable(found.values()), key=int) == [str(n) for n in range(count)]
    label = list(range(count))
    for _ in range(count):
        for first, second in pairs:
            label[first] = label[second] = min(label[first], label[second])
    together = {frozenset(group) for group in found.values()}
    assert together == {frozenset(str(n) for n in range(count) if label[n] == one) for one in set(label)}


CHARACTERS = {"character_0": ("0", "1"), "character_1": ("30",)}
KNOWN = graph([FACE, VOICE, Entity("30", "voice")], ["Equivalence: <face_0>, <voice_1>"])


def test_tags_are_translated_into_characters_and_nothing_else_is() -> None:
    text = "<face_0> tells <voice_1> and <voice_30> of <face_3>, <character_1> and face_0"
    assert translated(text, CHARACTERS) == (
        "<character_0> tells <character_0> and <character_1> of <face_3>, <character_1> and face_0"
    )
    assert translated("", CHARACTERS) == ""


def test_a_query_names_entities_by_tags_and_by_characters() -> None:
    assert named_entities("<voice_30>, <character_0>, <character_9>, <face_77>", CHARACTERS) == ["30", "0", "1"]
    assert named_entities("Who is Ada?", CHARACTERS) == []
    # The number of a character is not that of an entity.
    assert named_entities("<character_30>", CHARACTERS) == []


def test_a_character_in_a_query_is_each_of_its_tags_in_turn() -> None:
    assert characters_of(KNOWN) == CHARACTERS
    found = variants("<character_0> and <character_1>, <character_0>", graph=KNOWN, characters=CHARACTERS, limit=100)
    assert found == ("<face_0> and <voice_30>, <face_0>", "<voice_1> and <voice_30>, <voice_1>")
    for text in ("Who is Ada?", "<face_0>", "<character_9>", ""):
        assert variants(text, graph=KNOWN, characters=CHARACTERS, limit=100) == (text,)


def test_beyond_the_limit_variants_are_drawn_by_the_text_and_hold_every_tag() -> None:
    told = [equivalence(*range(start, start + 20)) for start in (0, 20, 40)]
    many = graph(entities(60), told)
    characters = characters_of(many)
    text = "<character_0>, <character_1>, <character_2>"
    found = variants(text, graph=many, characters=characters, limit=100)
    assert found == variants(text, graph=many, characters=characters, limit=100)
    assert 90 < len(found) == len(set(found)) <= 100
    for number in range(60):
        assert any(f"<voice_{number}>" in variant for variant in found)
    other = variants(f"{text}?", graph=many, characters=characters, limit=100)
    assert {variant.rstrip("?") for variant in other} != set(found)
