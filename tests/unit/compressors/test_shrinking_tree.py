"""The incremental choice of pairs against one that computes everything afresh after every merge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.eventtree.tree import ShrinkingTree
from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeFailed
from memforest.core.types import Memory, MemoryNode
from memforest.core.vectors import Vector, on_grid, similarity
from tests.unit.compressors.grids import GRID, gridded, memories, merged
from tests.unit.compressors.test_spanning import kruskal

ETAS = (0.0, 0.5, 0.9, 0.99, 1.0)


def afresh(nodes: Sequence[MemoryNode], refused: set[frozenset[str]], eta: float) -> tuple[int, int] | None:
    """The best pair of positions: all cosines, Kruskal's tree, degrees, then the first maximum of w'."""
    grid = on_grid(np.stack([node.vector for node in nodes]))
    weights = similarity(grid, grid)
    for i, j in combinations(range(len(nodes)), 2):
        if frozenset((nodes[i].id, nodes[j].id)) in refused:
            weights[i, j] = weights[j, i] = -np.inf
    edges = kruskal(weights)
    degree = [sum(place in edge for edge in edges) for place in range(len(nodes))]
    scores = [eta * float(weights[i, j]) - (1 - eta) * (degree[i] + degree[j]) for i, j in edges]
    return edges[scores.index(max(scores))] if edges else None


def greedy(nodes: Sequence[MemoryNode], refused: set[frozenset[str]]) -> tuple[int, int] | None:
    """The most similar pair that was not refused; the first one wins ties."""
    grid = on_grid(np.stack([node.vector for node in nodes]))
    weights = similarity(grid, grid)
    pairs = [
        (i, j) for i, j in combinations(range(len(nodes)), 2) if frozenset((nodes[i].id, nodes[j].id)) not in refused
    ]
    return max(pairs, key=lambda pair: (weights[pair], -pair[0], -pair[1])) if pairs else None


def follow(memory: Memory, fails: Sequence[bool], eta: float) -> None:
    """Shrink a memory to one tree; before every step the choice must be the slow one's."""
    pool = Pool(memory.nodes)
    tree = ShrinkingTree(pool, pool.places, eta=eta)
    refused: set[frozenset[str]] = set()
    for step in range(200):
        places, nodes = pool.places, pool.nodes
        expected = afresh(nodes, refused, eta)
        assert tree.best_pair() == (expected and (places[expected[0]], places[expected[1]]))
        if eta == 1:
            assert expected == greedy(nodes, refused)
        if expected is None:
            assert len(pool) == 1 or refused
            return
        first, second = places[expected[0]], places[expected[1]]
        pair = tree.pair((first, second))
        if fails and fails[step % len(fails)]:
            refused.add(frozenset((pair.older.id, pair.newer.id)))
            tree.settle(first, second, MergeFailed("no"))
        else:
            tree.settle(first, second, merged(pair))
        assert len(tree) == len(pool)
    raise AssertionError("the tree did not stop shrinking")


@settings(max_examples=60, deadline=None)
@given(memories(), st.sampled_from(ETAS))
def test_every_choice_of_a_whole_sequence_is_the_slow_one(memory: Memory, eta: float) -> None:
    follow(memory, [], eta)


@settings(max_examples=60, deadline=None)
@given(memories(largest=7), st.sampled_from(ETAS), st.lists(st.booleans(), min_size=1, max_size=6))
def test_every_choice_is_the_slow_one_when_merges_fail(memory: Memory, eta: float, fails: list[bool]) -> None:
    follow(memory, fails, eta)


@settings(max_examples=40, deadline=None)
@given(memories(smallest=3, largest=8), st.data())
def test_a_new_tree_knows_what_was_refused(memory: Memory, data: st.DataObject) -> None:
    pool = Pool(memory.nodes)
    every = list(combinations(pool.places, 2))
    refused = set()
    for first, second in data.draw(st.sets(st.sampled_from(every))):
        refused.add(frozenset((pool[first].id, pool[second].id)))
        pool.settle(first, second, MergeFailed("no"))
    assert ShrinkingTree(pool, pool.places, eta=0.9).best_pair() == afresh(pool.nodes, refused, 0.9)


def _tilted(angle: float, turn: float) -> Vector:
    """A unit vector `angle` away from the pole, in the direction `turn`."""
    return np.array(
        [np.cos(angle), np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn)],
        dtype=np.float32,
    )


def test_hubs_merge_late() -> None:
    star = [_tilted(0, 0), *(_tilted(0.3, turn) for turn in (0.0, 2.1, 4.2))]
    pool = Pool(gridded([*star, _tilted(2.0, 0), _tilted(2.32, 0)], [None] * 6).nodes)
    assert 0 in (ShrinkingTree(pool, pool.places, eta=1.0).best_pair() or ())
    assert ShrinkingTree(pool, pool.places, eta=0.9).best_pair() == (4, 5)


@pytest.mark.parametrize("eta", ETAS)
def test_a_single_node_has_no_pair(eta: float) -> None:
    pool = Pool(gridded([GRID[0]], [None]).nodes)
    assert ShrinkingTree(pool, [0], eta=eta).best_pair() is None
