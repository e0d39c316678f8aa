"""Every turn a node."""

from __future__ import annotations

import dataclasses

import pytest

from memforest.backbones.turns import Turns
from memforest.core.types import Memory, Unit
from memforest.embedding.hashing import Hashing
from tests.builders import session, unit

EMBEDDER = Hashing(buckets=16)


def build(made: Unit, *, include_captions: bool = True) -> Memory:
    (memory,) = Turns(include_captions=include_captions).build(unit=made, embedder=EMBEDDER)
    return memory


def captioned() -> Unit:
    first = session(1, ["look"])
    return unit([dataclasses.replace(first, turns=(dataclasses.replace(first.turns[0], caption="a red boat"),))])


def test_turns_stand_in_the_order_of_the_conversation_with_the_time_of_their_session() -> None:
    made = unit([session(number) for number in range(1, 13)])
    nodes = build(made).nodes
    assert [node.id for node in nodes] == [f"D{number}:{turn}" for number in range(1, 13) for turn in (1, 2)]
    assert [node.time for node in nodes[::2]] == [item.time for item in made.sessions]


def test_a_turn_is_its_own_source_and_carries_its_speaker() -> None:
    node = build(unit()).nodes[1]
    assert (node.id, node.sources, node.members, node.text) == ("D1:2", ("D1:2",), ("D1:2",), "Ben: second line")
    assert node.metadata == {"speaker": "Ben"}


@pytest.mark.parametrize(("include", "text"), [(True, "Ada: look [shared an image: a red boat]"), (False, "Ada: look")])
def test_captions_are_added_when_asked_for(include: bool, text: str) -> None:
    assert build(captioned(), include_captions=include).nodes[0].text == text


def test_sources_are_at_the_level_of_turns() -> None:
    assert build(unit()).source_level == "turn"


def test_a_unit_without_sessions_is_an_empty_memory() -> None:
    assert len(build(unit([]))) == 0
