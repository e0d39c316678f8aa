"""Places, refusals and the order of a pool's nodes."""

from __future__ import annotations

import pytest

from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeFailed
from tests.unit.compressors.grids import GRID, gridded, merged


def pool(*times: float | None) -> Pool:
    return Pool(gridded([GRID[0]] * len(times), list(times)).nodes)


@pytest.mark.parametrize(
    ("times", "older", "newer"),
    [
        ((1.0, 2.0), "n00", "n01"),
        ((2.0, 1.0), "n01", "n00"),
        ((1.0, 1.0), "n00", "n01"),
        ((None, 1.0), "n00", "n01"),
        ((5.0, None), "n00", "n01"),
        ((None, None), "n00", "n01"),
    ],
)
@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_a_pair_is_in_order_of_time_then_of_insertion(
    times: tuple[float | None, ...], older: str, newer: str, places: tuple[int, int]
) -> None:
    pair = pool(*times).pair(*places)
    assert (pair.older.id, pair.newer.id) == (older, newer)


@pytest.mark.parametrize(("times", "place"), [((1.0, 3.0, 2.0), 2), ((1.0, 2.0, 3.0), 2), ((3.0, 2.0, 1.0), 0)])
def test_a_merged_node_takes_the_place_of_its_newer_part(times: tuple[float, ...], place: int) -> None:
    nodes = pool(*times)
    assert nodes.settle(0, 2, merged(nodes.pair(0, 2))) == place
    assert nodes.places == sorted({1, place})
    assert nodes[place].members == ("n00", "n02")
    assert [node.id for node in nodes.nodes] == [nodes[live].id for live in nodes.places]
    assert len(nodes) == 2


def test_a_failed_merge_keeps_both_and_is_remembered_either_way_round() -> None:
    nodes = pool(1.0, 2.0, 3.0)
    assert nodes.settle(2, 0, MergeFailed("no")) is None
    assert nodes.places == [0, 1, 2]
    assert nodes.refused(0, 2)
    assert nodes.refused(2, 0)
    assert not nodes.refused(0, 1)
    assert nodes.refusals == 1


def test_a_merged_node_is_a_new_one_that_nothing_was_refused_of() -> None:
    nodes = pool(1.0, 2.0, 3.0)
    nodes.settle(0, 2, MergeFailed("no"))
    nodes.settle(0, 1, merged(nodes.pair(0, 1)))
    assert not nodes.refused(1, 2)
