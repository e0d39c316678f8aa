"""Annotated facts as nodes."""

from __future__ import annotations

from memforest.backbones.observations import Observations
from memforest.core.protocols import NotRunnable
from memforest.core.types import Observation, Unit
from memforest.datasets.locomo_schema import parse_units
from memforest.embedding.hashing import Hashing
from tests.builders import locomo_unit, session, unit

EMBEDDER = Hashing(buckets=16)


def annotated() -> Unit:
    raw = locomo_unit(sessions=12, turns=3)
    raw["observation"] = {
        "session_10_observation": {"Ben": [["tenth, b", "D10:3"]], "Ada": [["tenth, a", ["D10:1", "D10:2"]]]},
        "session_9_observation": {"Ada": [["ninth, late", "D9:2"], ["ninth, early", "D9:1"], ["ninth, again", "D9:1"]]},
    }
    return parse_units([raw], file="file.json").units[0]


def test_insertion_order_is_session_number_first_cited_turn_file_order() -> None:
    (memory,) = Observations().build(unit=annotated(), embedder=EMBEDDER)
    texts = [node.text for node in memory.nodes]
    assert texts == ["ninth, early", "ninth, again", "ninth, late", "tenth, a", "tenth, b"]


def test_a_fact_has_its_cited_turns_as_sources_and_the_time_of_its_session() -> None:
    made = annotated()
    (memory,) = Observations().build(unit=made, embedder=EMBEDDER)
    node = memory.nodes[3]
    assert node.sources == ("D10:1", "D10:2")
    assert node.time == made.sessions[9].time
    assert node.metadata == {"speaker": "Ada"}
    assert memory.source_level == "turn"


def test_equal_facts_are_distinct_nodes() -> None:
    facts = [Observation(text="same", speaker="Ada", session_id="D1", turn_ids=("D1:1",))] * 2
    (memory,) = Observations().build(unit=unit([session(1)], observations=facts), embedder=EMBEDDER)
    assert len({node.id for node in memory.nodes}) == 2


def test_a_unit_without_annotations_is_not_runnable_and_says_what_to_use() -> None:
    found = Observations().inputs(unit=unit(id="u7"))
    assert isinstance(found, NotRunnable)
    assert found.unit_id == "u7"
    assert "backbone=turns" in found.reason


def test_an_annotated_unit_needs_nothing_else() -> None:
    assert Observations().inputs(unit=annotated()) == ""
