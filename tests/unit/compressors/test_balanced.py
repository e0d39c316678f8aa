"""Rounds of independent best pairs against versions that compute everything afresh; which nodes are dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.compressors.balanced import matching
from memforest.compressors.balanced.matching import Matching, _best_columns
from memforest.compressors.balanced.method import Balanced
from memforest.compressors.pool import Pool
from memforest.core.errors import ConfigError
from memforest.core.outcomes import MergeFailed, MergeOutcome
from memforest.core.protocols import Wave
from memforest.core.types import Memory, MemoryNode, Pair, Segment, target_count
from memforest.core.vectors import on_grid, similarity
from tests.builders import memory, node
from tests.unit.compressors.grids import GRID, gridded, memories, merged

PENALTIES = (0.0, 0.1, 1.0)
SHARES = (0.1, 0.5, 1.0)
Refused = set[frozenset[str]]


def worded(of: Memory, words: Sequence[int]) -> Memory:
    """The same nodes with texts of so many words."""
    return memory(
        [
            replace(item, segments=(Segment(" ".join(["word"] * count), (item.id,), item.time),))
            for item, count in zip(of.nodes, words, strict=True)
        ]
    )


@st.composite
def texts(draw: st.DrawFn, *, largest: int = 12) -> Memory:
    """Grid vectors and texts of none to four words, so that equal scores are common."""
    of = draw(memories(largest=largest))
    return worded(of, draw(st.lists(st.integers(0, 4), min_size=len(of), max_size=len(of))))


def joined(pair: Pair) -> MemoryNode:
    """A merged node with the text of both."""
    return replace(merged(pair), segments=(*pair.older.segments, *pair.newer.segments))


def cosine(first: MemoryNode, second: MemoryNode) -> float:
    return float(similarity(on_grid(first.vector)[None], on_grid(second.vector))[0])


def slow_pairs(
    nodes: Sequence[MemoryNode], refused: Refused, *, cost_per_word: float, limit: int
) -> list[tuple[int, int]]:
    """All pairs of positions by score, then by position; each is taken unless one of its nodes is."""

    def key(pair: tuple[int, int]) -> tuple[float, int, int]:
        first, second = nodes[pair[0]], nodes[pair[1]]
        return cost_per_word * (first.words + second.words) - cosine(first, second), *pair

    taken: list[tuple[int, int]] = []
    for low, high in sorted(combinations(range(len(nodes)), 2), key=key):
        allowed = frozenset((nodes[low].id, nodes[high].id)) not in refused
        if allowed and len(taken) < limit and not {low, high} & {place for pair in taken for place in pair}:
            taken.append((low, high))
    return taken


def slow_waves(of: Memory, fails: Sequence[bool], *, ratio: float, penalty: float, share: float) -> list[list[str]]:
    """Ids of what each round merges, by recomputing all of it in every round."""
    words = sum(item.words for item in of.nodes)
    cost_per_word = penalty * len(of) / words if words else 0.0
    target, pool, refused, asked = target_count(count=len(of), ratio=ratio), Pool(of.nodes), set[frozenset[str]](), 0
    waves = []
    while len(pool) > target:
        limit = math.ceil(share * (len(pool) - target))
        places = pool.places
        chosen = slow_pairs(pool.nodes, refused, cost_per_word=cost_per_word, limit=limit)
        if not chosen:
            break
        waves.append([f"{pool[places[low]].id}+{pool[places[high]].id}" for low, high in chosen])
        for first, second in [(places[low], places[high]) for low, high in chosen]:
            pair, failed = pool.pair(first, second), bool(fails) and fails[asked % len(fails)]
            if failed:
                refused.add(frozenset((pair.older.id, pair.newer.id)))
            pool.settle(first, second, MergeFailed("no") if failed else joined(pair))
            asked += 1
    return waves


def waves_of(compressor: Balanced, of: Memory, fails: Sequence[bool], *, ratio: float) -> list[list[str]]:
    """Ids of what each round merges, in the order of places."""
    place = {item.id: number for number, item in enumerate(of.nodes)}
    asked = 0
    waves: list[list[str]] = []

    def outcome(pair: Pair) -> MergeOutcome:
        nonlocal asked
        asked += 1
        if fails and fails[(asked - 1) % len(fails)]:
            return MergeFailed("no")
        made = joined(pair)
        place[made.id] = place[pair.newer.id]
        return made

    def ids(wave: Wave) -> list[str]:
        sides = [sorted((pair.older.id, pair.newer.id), key=place.__getitem__) for pair in wave]
        return ["+".join(side) for side in sides]

    generator = compressor.compress(memory=of, ratio=ratio, seed=0)
    try:
        wave = next(generator)
        while True:
            waves.append(ids(wave))
            wave = generator.send([outcome(pair) for pair in wave])
    except StopIteration:
        return waves


def left(compressor: Balanced, of: Memory, ratio: float) -> tuple[MemoryNode, ...]:
    """What a compressor leaves when no merge fails."""
    generator = compressor.compress(memory=of, ratio=ratio, seed=0)
    try:
        wave = next(generator)
        while True:
            wave = generator.send([joined(pair) for pair in wave])
    except StopIteration as stop:
        nodes: tuple[MemoryNode, ...] = stop.value.nodes
        return nodes


@pytest.fixture(autouse=True, params=[1, 2, 16])
def _partners(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short lists run out often; the result must not show it."""
    monkeypatch.setattr(matching, "PARTNERS", request.param)


@settings(max_examples=100, deadline=None)
@given(
    texts(),
    st.lists(st.booleans(), max_size=6),
    st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9]),
    st.sampled_from(PENALTIES),
    st.sampled_from(SHARES),
)
def test_every_round_is_the_slow_one(of: Memory, fails: list[bool], ratio: float, penalty: float, share: float) -> None:
    compressor = Balanced(size_penalty=penalty, round_share=share, drop=0.0)
    expected = slow_waves(of, fails, ratio=ratio, penalty=penalty, share=share)
    assert waves_of(compressor, of, fails, ratio=ratio) == expected


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fails", [[], [False, False, True]])
def test_rounds_of_a_larger_memory_are_the_slow_ones(seed: int, fails: list[bool]) -> None:
    of = memory(60, seed=seed)
    compressor = Balanced(size_penalty=0.1, round_share=0.5, drop=0.0)
    expected = slow_waves(of, fails, ratio=0.7, penalty=0.1, share=0.5)
    assert waves_of(compressor, of, fails, ratio=0.7) == expected


def test_scores_in_blocks_are_the_scores_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    of = memory(60)
    compressor = Balanced(size_penalty=0.1, round_share=0.5, drop=0.0)
    at_once = waves_of(compressor, of, [], ratio=0.7)
    monkeypatch.setattr(matching, "BLOCK", 100)
    assert waves_of(compressor, of, [], ratio=0.7) == at_once


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=4), st.integers(1, 7))
def test_the_best_columns_are_those_of_a_stable_sort(rows: list[list[int]], count: int) -> None:
    scores = np.where(np.array(rows) == 0, -np.inf, np.array(rows, dtype=np.float64))
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    assert _best_columns(scores, count).tolist() == expected.tolist()


@pytest.mark.parametrize(("share", "sizes"), [(1.0, [4]), (0.5, [2, 1, 1]), (0.01, [1, 1, 1, 1])])
def test_a_round_merges_its_share_of_what_is_left_to_remove(share: float, sizes: list[int]) -> None:
    compressor = Balanced(size_penalty=0.1, round_share=share, drop=0.0)
    assert [len(wave) for wave in waves_of(compressor, memory(8), [], ratio=0.5)] == sizes


def test_half_of_what_is_left_each_round_needs_few_rounds() -> None:
    compressor = Balanced(size_penalty=0.1, round_share=0.5, drop=0.0)
    assert len(waves_of(compressor, memory(300), [], ratio=0.5)) == 8


@pytest.mark.parametrize(("penalty", "pair"), [(0.0, "n00+n01"), (1.0, "n02+n03")])
def test_long_nodes_merge_late(penalty: float, pair: str) -> None:
    of = worded(gridded([GRID[row] for row in (0, 0, 2, 4)], [None] * 4), [9, 9, 1, 1])
    compressor = Balanced(size_penalty=penalty, round_share=1.0, drop=0.0)
    assert waves_of(compressor, of, [], ratio=0.25) == [[pair]]


def test_the_penalty_has_no_unit() -> None:
    of = memory(40)
    longer = worded(of, [7 * item.words for item in of.nodes])
    compressor = Balanced(size_penalty=0.3, round_share=0.5, drop=0.0)
    assert waves_of(compressor, longer, [], ratio=0.7) == waves_of(compressor, of, [], ratio=0.7)


def test_many_words_cannot_make_one_node_swallow_the_others() -> None:
    of = gridded([GRID[0]] * 32, [None] * 32)
    for share in SHARES:
        compressor = Balanced(size_penalty=0.1, round_share=share, drop=0.0)
        assert max(len(item.members) for item in left(compressor, of, 0.5)) == 2


def test_nothing_is_left_to_choose_when_every_pair_was_refused() -> None:
    pool = Pool(gridded([GRID[0], GRID[1], GRID[2]], [None] * 3).nodes)
    chooser = Matching(pool, cost_per_word=0.0)
    for _ in range(3):
        (pair,) = chooser.best_pairs(limit=1)
        chooser.settle([pair], [MergeFailed("no")])
    assert chooser.best_pairs(limit=1) == []


@settings(max_examples=60, deadline=None)
@given(texts(), st.sampled_from([0.3, 0.5, 0.9]), st.sampled_from([0.0, 0.3, 1.0]))
def test_dropped_nodes_are_those_most_similar_to_the_memory(of: Memory, ratio: float, drop: float) -> None:
    compressor = Balanced(size_penalty=0.1, round_share=0.5, drop=drop)
    removed = len(of) - target_count(count=len(of), ratio=ratio)
    kept = {member for item in left(compressor, of, ratio) for member in item.members}
    likeness = {item.id: sum(cosine(item, other) for other in of.nodes) / len(of) for item in of.nodes}
    gone = [item.id for item in of.nodes if item.id not in kept]
    assert len(gone) == round(drop * removed)
    assert all(likeness[lost] > likeness[stays] - 1e-6 for lost in gone for stays in kept)


def test_of_equally_similar_nodes_the_older_ones_are_dropped() -> None:
    of = memory([node(f"n{place}", vector=GRID[0]) for place in range(6)])
    compressor = Balanced(size_penalty=0.1, round_share=0.5, drop=1.0)
    assert [item.id for item in left(compressor, of, 0.5)] == ["n3", "n4", "n5"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [("size_penalty", -0.1), ("round_share", 0.0), ("round_share", 1.1), ("drop", -0.1), ("drop", 1.1)],
)
def test_a_value_out_of_range_is_named(setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"compressor.{setting}"):
        Balanced(**{"size_penalty": 0.1, "round_share": 0.5, "drop": 0.0} | {setting: value})
