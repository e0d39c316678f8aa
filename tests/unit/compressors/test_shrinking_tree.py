"""The incremental choice of pairs against one that computes everything afresh after every merge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.eventtree.method import DEGREES
from memforest.compressors.eventtree.tree import EdgeScore, RandomTree, ShrinkingTree
from memforest.compressors.pool import Pool
from memforest.core.outcomes import MergeFailed
from memforest.core.types import Memory, MemoryNode
from memforest.core.vectors import Vector, on_grid, similarity
from tests.builders import memory as random_memory
from tests.unit.compressors.grids import GRID, gridded, memories, merged
from tests.unit.compressors.test_spanning import kruskal

ETAS = (0.0, 0.5, 0.9, 0.99, 1.0)
PAPER = EdgeScore(eta=0.99, degree="raw", edge_rule="max_tree")


def afresh(
    nodes: Sequence[MemoryNode], refused: set[frozenset[str]], score: EdgeScore
) -> tuple[float, tuple[int, int]] | None:
    """Score and positions of the best pair: all cosines, Kruskal's tree, degrees, then the first maximum of w'."""
    grid = on_grid(np.stack([node.vector for node in nodes]))
    weights = similarity(grid, grid) * (-1 if score.edge_rule == "min_tree" else 1)
    for i, j in combinations(range(len(nodes)), 2):
        if frozenset((nodes[i].id, nodes[j].id)) in refused:
            weights[i, j] = weights[j, i] = -np.inf
    edges = kruskal(weights)
    if not edges:
        return None
    degree = [sum(place in edge for edge in edges) for place in range(len(nodes))]
    sums = [float(degree[i] + degree[j]) for i, j in edges]
    share = {"raw": sums, "max_norm": [each / max(sums) for each in sums], "none": [0.0] * len(sums)}[score.degree]
    eta = 1.0 if score.degree == "none" else score.eta
    scores = [eta * float(weights[edge]) - (1 - eta) * part for edge, part in zip(edges, share, strict=True)]
    return max(scores), edges[scores.index(max(scores))]


def greedy(nodes: Sequence[MemoryNode], refused: set[frozenset[str]]) -> tuple[int, int] | None:
    """The most similar pair that was not refused; the first one wins ties."""
    grid = on_grid(np.stack([node.vector for node in nodes]))
    weights = similarity(grid, grid)
    pairs = [
        (i, j) for i, j in combinations(range(len(nodes)), 2) if frozenset((nodes[i].id, nodes[j].id)) not in refused
    ]
    return max(pairs, key=lambda pair: (weights[pair], -pair[0], -pair[1])) if pairs else None


def follow(memory: Memory, fails: Sequence[bool], score: EdgeScore) -> None:
    """Shrink a memory to one tree; before every step the choice must be the slow one's."""
    pool = Pool(memory.nodes)
    tree = ShrinkingTree(pool, pool.places, edge_score=score)
    refused: set[frozenset[str]] = set()
    for step in range(200):
        places, nodes = pool.places, pool.nodes
        expected = afresh(nodes, refused, score)
        assert tree.best() == (expected and (expected[0], (places[expected[1][0]], places[expected[1][1]])))
        if (score.eta == 1 or score.degree == "none") and score.edge_rule == "max_tree":
            assert (expected and expected[1]) == greedy(nodes, refused)
        if expected is None:
            assert len(pool) == 1 or refused
            return
        first, second = (places[position] for position in expected[1])
        pair = pool.pair(first, second)
        if fails and fails[step % len(fails)]:
            refused.add(frozenset((pair.older.id, pair.newer.id)))
            tree.settle(first, second, MergeFailed("no"))
        else:
            tree.settle(first, second, merged(pair))
        assert len(tree) == len(pool)
    raise AssertionError("the tree did not stop shrinking")


SCORES = st.builds(
    EdgeScore,
    eta=st.sampled_from(ETAS),
    degree=st.sampled_from(DEGREES),
    edge_rule=st.sampled_from(("max_tree", "min_tree")),
)


@settings(max_examples=150, deadline=None)
@given(memories(), SCORES)
def test_every_choice_of_a_whole_sequence_is_the_slow_one(memory: Memory, score: EdgeScore) -> None:
    follow(memory, [], score)


@settings(max_examples=100, deadline=None)
@given(memories(largest=7), SCORES, st.lists(st.booleans(), min_size=1, max_size=6))
def test_every_choice_is_the_slow_one_when_merges_fail(memory: Memory, score: EdgeScore, fails: list[bool]) -> None:
    follow(memory, fails, score)


@pytest.mark.parametrize("score", [PAPER, EdgeScore(eta=0.9, degree="max_norm", edge_rule="max_tree")])
def test_every_choice_is_the_slow_one_without_ties(score: EdgeScore) -> None:
    follow(random_memory(40), [], score)


@settings(max_examples=40, deadline=None)
@given(memories(smallest=3, largest=8), st.data())
def test_a_new_tree_knows_what_was_refused(memory: Memory, data: st.DataObject) -> None:
    pool = Pool(memory.nodes)
    every = list(combinations(pool.places, 2))
    refused = set()
    for first, second in data.draw(st.sets(st.sampled_from(every))):
        refused.add(frozenset((pool[first].id, pool[second].id)))
        pool.settle(first, second, MergeFailed("no"))
    assert ShrinkingTree(pool, pool.places, edge_score=PAPER).best() == afresh(pool.nodes, refused, PAPER)


def test_the_lowest_similarity_merges_first_in_a_minimum_tree_without_degrees() -> None:
    of = random_memory(30)
    pool = Pool(of.nodes)
    score = EdgeScore(eta=0.5, degree="none", edge_rule="min_tree")
    best = ShrinkingTree(pool, pool.places, edge_score=score).best()
    cosines = similarity(of.grid, of.grid)
    assert best is not None
    assert cosines[best[1]] == cosines.min()


@settings(max_examples=60, deadline=None)
@given(memories(smallest=2), st.lists(st.booleans(), min_size=1, max_size=6), st.integers(0, 3))
def test_random_pairs_end_at_one_node_or_when_all_pairs_were_refused(
    memory: Memory, fails: list[bool], seed: int
) -> None:
    pool = Pool(memory.nodes)
    tree = RandomTree(pool, pool.places, random=np.random.default_rng(seed))
    step = 0
    while best := tree.best():
        pair = pool.pair(*best[1])
        assert not pool.refused(*best[1])
        tree.settle(*best[1], MergeFailed("no") if fails[step % len(fails)] else merged(pair))
        step += 1
        assert len(tree) == len(pool)
    assert len(pool) == 1 or not pool.allowed_pairs()


def test_every_pair_can_be_drawn() -> None:
    pool = Pool(random_memory(5).nodes)
    tree = RandomTree(pool, pool.places, random=np.random.default_rng(0))
    drawn = {best[1] for _ in range(300) if (best := tree.best())}
    assert drawn == set(combinations(range(5), 2))


def _tilted(angle: float, turn: float) -> Vector:
    """A unit vector `angle` away from the pole, in the direction `turn`."""
    return np.array(
        [np.cos(angle), np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn)],
        dtype=np.float32,
    )


def test_hubs_merge_late() -> None:
    star = [_tilted(0, 0), *(_tilted(0.3, turn) for turn in (0.0, 2.1, 4.2))]
    pool = Pool(gridded([*star, _tilted(2.0, 0), _tilted(2.32, 0)], [None] * 6).nodes)
    assert 0 in (_first_pair(pool, eta=1.0))
    assert _first_pair(pool, eta=0.9) == (4, 5)


def _first_pair(pool: Pool, *, eta: float) -> tuple[int, int]:
    best = ShrinkingTree(pool, pool.places, edge_score=EdgeScore(eta, "raw", "max_tree")).best()
    assert best is not None
    return best[1]


def test_a_single_node_has_no_pair() -> None:
    pool = Pool(gridded([GRID[0]], [None]).nodes)
    assert ShrinkingTree(pool, [0], edge_score=PAPER).best() is None
    assert RandomTree(pool, [0], random=np.random.default_rng(0)).best() is None
