"""What every backbone that needs no other files must build from the sample."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from memforest.config.folder import options
from memforest.core.protocols import Backbone, LoadedDataset
from memforest.core.types import Memory, Unit
from tests.builders import unit as small_unit
from tests.contracts.support import EMBEDDER, choice, component, content

READY = [option for option in options("backbone") if None not in choice("backbone", option).settings.values()]
every_backbone = pytest.mark.parametrize("option", READY)


@cache
def units() -> tuple[Unit, ...]:
    data: LoadedDataset = component("dataset", "sample").load()
    return data.units


@cache
def built(option: str) -> list[tuple[Unit, Memory]]:
    backbone: Backbone = component("backbone", option)
    return [(unit, memory) for unit in units() for memory in backbone.build(unit=unit, embedder=EMBEDDER)]


def test_there_are_backbones_without_files() -> None:
    assert {"turns", "observations"} <= set(READY)


@every_backbone
def test_every_unit_of_the_sample_is_runnable(option: str) -> None:
    backbone: Backbone = component("backbone", option)
    assert all(isinstance(backbone.inputs(unit=unit), str) for unit in units())
    assert {unit.id for unit, memory in built(option) if len(memory)} == {unit.id for unit in units()}


@every_backbone
def test_ids_of_memories_and_nodes_are_unique(option: str) -> None:
    names = [memory.id for _, memory in built(option)]
    assert len(set(names)) == len(names)
    for _, memory in built(option):
        assert len({node.id for node in memory.nodes}) == len(memory)


@every_backbone
def test_nodes_are_inserted_in_order_of_time(option: str) -> None:
    for _, memory in built(option):
        times = [node.time for node in memory.nodes if node.time is not None]
        assert len(times) == len(memory)
        assert all(first <= second for first, second in pairwise(times))


@every_backbone
def test_sources_name_turns_or_sessions_of_the_unit(option: str) -> None:
    for unit, memory in built(option):
        turns, sessions = {turn.id for turn in unit.turns}, {session.id for session in unit.sessions}
        known = {"turn": turns, "session": sessions}[memory.source_level]
        assert {source for node in memory.nodes for source in node.sources} <= known
        assert all(node.sources for node in memory.nodes)


@every_backbone
def test_a_new_node_stands_for_itself_and_has_its_texts_vector(option: str) -> None:
    for _, memory in built(option):
        assert all(node.members == (node.id,) for node in memory.nodes)
        texts = [node.text for node in memory.nodes]
        assert memory.matrix.tobytes() == EMBEDDER.embed(texts=texts).vectors.tobytes()
        assert all(text.strip() for text in texts)


@every_backbone
def test_building_again_gives_the_same(option: str) -> None:
    backbone: Backbone = component("backbone", option)
    again = [memory for unit in units() for memory in backbone.build(unit=unit, embedder=EMBEDDER)]
    assert [content(memory) for memory in again] == [content(memory) for _, memory in built(option)]


@every_backbone
def test_a_unit_without_history_has_an_empty_memory_or_is_not_runnable(option: str) -> None:
    backbone: Backbone = component("backbone", option)
    nothing = small_unit([])
    if isinstance(backbone.inputs(unit=nothing), str):
        assert [len(memory) for memory in backbone.build(unit=nothing, embedder=EMBEDDER)] == [0]
