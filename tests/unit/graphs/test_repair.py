"""What cannot stand in a graph is left out and told; what can is kept as it is."""

from __future__ import annotations

import numpy as np
import pytest

from memforest.graphs.raw import RawGraph, Row
from memforest.graphs.repair import Found, repaired
from tests.unit.graphs.videos import raw_graph, raw_node, vector

FACE = raw_node(0, "img", vectors=())
TEXT, OTHER, FACT = raw_node(2), raw_node(3), raw_node(4, "semantic")
NODES = (FACE, TEXT, OTHER, FACT)


def row(*values: float) -> Row:
    return np.array(values, dtype=np.float32)


def made(raw: RawGraph) -> Found:
    return repaired(raw, video="kitchen")


def test_a_sound_graph_stays_as_it_is() -> None:
    found = made(raw_graph(NODES, [(0, 2, 1.0), (4, 0, 2.5), (2, 4, 1.0)]))
    assert found.repairs == ()
    assert found.graph.edges == ((0, 2, 1.0), (0, 4, 2.5), (2, 4, 1.0))
    assert [node.id for node in found.graph.nodes] == [0, 2, 3, 4]
    assert sorted(found.vectors) == [2, 3, 4]


@pytest.mark.parametrize(
    ("edge", "told"),
    [
        ((2, 9, 1.0), "edges to a node that is not there, left out: 1 (2-9)"),
        ((2, 2, 1.0), "edges of a node to itself, left out: 1 (2-2)"),
        ((0, 2, 0.0), "edges whose weight is no number above 0, left out: 1 (0-2)"),
        ((0, 2, -1.0), "edges whose weight is no number above 0, left out: 1 (0-2)"),
        ((0, 2, float("nan")), "edges whose weight is no number above 0, left out: 1 (0-2)"),
        ((3, 2, 1.0), "edges between texts of one type, which M3-Agent does not make, left out: 1 (2-3)"),
    ],
)
def test_an_edge_that_cannot_be_is_left_out(edge: tuple[int, int, float], told: str) -> None:
    found = made(raw_graph(NODES, [(0, 3, 1.0), edge]))
    assert found.repairs == (told,)
    assert found.graph.edges == ((0, 3, 1.0),)


def test_edges_that_differ_by_direction_are_told_and_kept() -> None:
    edges = [(0, 2, 1.0), (3, 0, 1.0), (0, 4, 2.0), (4, 0, 5.0)]
    found = made(raw_graph(NODES, edges, both_ways=True))
    assert found.repairs == (
        "edges that are stored in one direction only, kept: 2 (0-2, 0-3)",
        "edges with unequal weights in both directions, of which that from the lower id is kept: 1 (0-4)",
    )
    assert found.graph.edges == ((0, 2, 1.0), (0, 3, 1.0), (0, 4, 2.0))


def test_an_unknown_type_and_a_repeated_id_are_left_out() -> None:
    again = raw_node(2, text="another text")
    found = made(raw_graph([FACE, TEXT, again, raw_node(7, "video")], [(0, 7, 1.0)]))
    assert found.repairs == (
        "nodes of a type that is none of img, voice, episodic, semantic, left out: 1 (7 'video')",
        "ids that occur more than once, of which the first node is kept: 1 (2)",
        "edges to a node that is not there, left out: 1 (0-7)",
    )
    assert [node.text for node in found.graph.texts] == ["some words"]


def test_a_vector_that_fits_no_others_is_left_out_and_its_node_kept() -> None:
    stand_in = raw_node(5, vectors=(row(0),))
    broken = raw_node(6, vectors=(row(1, 2, 3, float("nan")), row(*vector(6))))
    empty = raw_node(7, vectors=(row(0, 0, 0, 0),))
    found = made(raw_graph([TEXT, OTHER, stand_in, broken, empty]))
    assert found.repairs == (
        "vectors of another length than most of their kind, left out: 1 (5 of 1)",
        "vectors of zeros, or with NaN or infinity, left out: 2 (6, 7)",
    )
    assert sorted(found.vectors) == [2, 3, 6]
    assert found.vectors[6].shape == (1, 4)
    assert [node.id for node in found.graph.nodes] == [2, 3, 5, 6, 7]


def test_faces_voices_and_texts_have_vectors_of_their_own_lengths() -> None:
    voice = raw_node(1, "voice", vectors=(row(1, 2), row(2, 1)))
    found = made(raw_graph([raw_node(0, "img", vectors=(row(1, 2, 3),)), voice, TEXT]))
    assert {id: rows.shape for id, rows in found.vectors.items()} == {0: (1, 3), 1: (2, 2), 2: (1, 4)}


def test_a_clip_below_0_is_none() -> None:
    found = made(raw_graph([raw_node(2, clip=-1), raw_node(0, "img", clip=None)]))
    assert found.repairs == ("texts with a clip below 0, which then have none: 1 (2)",)
    assert [node.clip for node in found.graph.nodes] == [None, None]


def test_an_index_that_contradicts_the_nodes_is_told() -> None:
    found = made(
        raw_graph(
            [FACE, TEXT, raw_node(3, clip=1), FACT],
            order=(2, 3, 9),
            by_clip={0: (2, 3), 5: (0,)},
            events_by_clip={0: (2, 4), 1: (3,)},
        )
    )
    assert found.repairs == (
        "ids in text_nodes that are no text: 1 (9)",
        "texts that text_nodes does not list: 1 (4)",
        "ids in text_nodes_by_clip that are none of its nodes: 1 (0)",
        "nodes that text_nodes_by_clip has in another clip than they say, which is kept: 1 (3 in 0, not 1)",
        "nodes that text_nodes_by_clip does not list: 1 (4)",
        "ids in event_sequence_by_clip that are none of its nodes: 1 (4)",
    )
    assert [node.clip for node in found.graph.texts] == [0, 1, 0]


def test_another_order_of_texts_is_told() -> None:
    assert made(raw_graph(NODES, order=(3, 2, 4))).repairs == (
        "text_nodes has another order than the nodes, which is kept",
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**5000], ids=["nan", "inf", "long"])
def test_a_parameter_that_no_file_can_hold_is_left_out(value: float) -> None:
    found = made(raw_graph(NODES, parameters={"limit": 10, "odd": value}))
    assert found.graph.parameters == {"limit": 10}
    assert found.repairs == ("parameters that are no finite number, left out: 1 (odd)",)
