"""What every merging compressor must do when merges fail: keep both nodes, go on with the next best pair, stop."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

import pytest

from memforest.core.order import in_time_order
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.protocols import Encode
from memforest.core.types import Pair
from memforest.pipeline.compression import CompressedMemory
from tests.contracts.support import compress, compressed, goal, plain, using

Refuses = Callable[[Pair], bool]


class Stubborn:
    """Joins segments, but not of pairs for which `refuses` holds. Remembers what it was asked and what it refused."""

    def __init__(self, refuses: Refuses) -> None:
        self._refuses = refuses
        self.asked: list[frozenset[str]] = []
        self.refused = 0

    def merge(self, *, pairs: Sequence[Pair], encode: Encode) -> Sequence[MergeResult]:
        """A result or a failure per pair."""
        return [self._merged(pair) for pair in pairs]

    def _merged(self, pair: Pair) -> MergeResult:
        self.asked.append(frozenset((pair.older.id, pair.newer.id)))
        if self._refuses(pair):
            self.refused += 1
            return MergeFailed("refused")
        return MergedSegments((*pair.older.segments, *pair.newer.segments))


def _holds(name: str) -> Refuses:
    return lambda pair: name in (*pair.older.members, *pair.newer.members)


def _odd(members: Sequence[str]) -> bool:
    return int(members[0][1:]) % 2 == 1


def _coin(pair: Pair) -> bool:
    members = " ".join(sorted((*pair.older.members, *pair.newer.members)))
    return hashlib.sha256(members.encode()).digest()[0] % 2 == 0


RULES: Mapping[str, Refuses] = {
    "all": lambda pair: True,
    "one node with all": _holds("n0"),
    "two camps": lambda pair: _odd(pair.older.members) != _odd(pair.newer.members),
    "same camp": lambda pair: _odd(pair.older.members) == _odd(pair.newer.members),
    "every other pair": _coin,
    "originals with each other": lambda pair: len(pair.older.members) == len(pair.newer.members) == 1,
    "groups of more than two": lambda pair: len(pair.older.members) + len(pair.newer.members) > 2,
}
COUNTS = (2, 3, 6, 17)
every_merging_compressor = pytest.mark.parametrize("option", using("merger"))
every_rule = pytest.mark.parametrize("rule", RULES)
every_ratio = pytest.mark.parametrize("ratio", [0.5, 0.9])


def stubborn(option: str, count: int, ratio: float, refuses: Refuses) -> tuple[CompressedMemory, Stubborn]:
    merger = Stubborn(refuses)
    (done,) = compress(option, [plain(count)], ratio=ratio, merger=merger)
    return done, merger


def dropped_nodes(done: CompressedMemory) -> list[str]:
    """Ids of what the method dropped on purpose."""
    dropped = done.report["dropped_nodes"]
    assert isinstance(dropped, list)
    return dropped


@every_ratio
@every_rule
@every_merging_compressor
def test_a_failed_merge_loses_nothing(option: str, rule: str, ratio: float) -> None:
    for count in COUNTS:
        done, _ = stubborn(option, count, ratio, RULES[rule])
        members = [member for node in done.memory.nodes for member in node.members]
        dropped = dropped_nodes(done)
        assert sorted([*members, *dropped]) == sorted(node.id for node in plain(count).nodes)
        assert dropped == dropped_nodes(compressed(option, "plain", count, ratio))


@every_ratio
@every_rule
@every_merging_compressor
def test_failures_and_shortfall_are_reported(option: str, rule: str, ratio: float) -> None:
    for count in COUNTS:
        done, merger = stubborn(option, count, ratio, RULES[rule])
        assert done.report["failed_merges"] == ({"refused": merger.refused} if merger.refused else {})
        assert done.report["shortfall"] == len(done.memory) - goal(option, done.report, count=count, ratio=ratio) >= 0
        assert done.report["merges"] == count - len(dropped_nodes(done)) - len(done.memory)


@every_rule
@every_merging_compressor
def test_m_is_reached_unless_no_pair_is_left_that_can_merge(option: str, rule: str) -> None:
    for count, ratio in product(COUNTS, (0.5, 0.9)):
        done, _ = stubborn(option, count, ratio, RULES[rule])
        if len(done.memory) > goal(option, done.report, count=count, ratio=ratio):
            assert all(RULES[rule](in_time_order(*pair)) for pair in combinations(done.memory.nodes, 2)), (count, ratio)


@every_rule
@every_merging_compressor
def test_a_refused_pair_is_not_asked_for_again(option: str, rule: str) -> None:
    for count in COUNTS:
        _, merger = stubborn(option, count, 0.9, RULES[rule])
        assert len(merger.asked) == len(set(merger.asked)), count


@every_merging_compressor
def test_a_merger_that_fails_once_for_every_pair_ends_with_all_nodes_that_it_was_given(option: str) -> None:
    seen: set[frozenset[str]] = set()

    def first_time(pair: Pair) -> bool:
        ids = frozenset((pair.older.id, pair.newer.id))
        return ids not in seen and not seen.add(ids)  # type: ignore[func-returns-value]

    done, _ = stubborn(option, 6, 0.5, first_time)
    dropped = dropped_nodes(done)
    assert [node.id for node in done.memory.nodes] == [n.id for n in plain(6).nodes if n.id not in dropped]


@every_merging_compressor
def test_failures_in_one_memory_leave_its_neighbours_alone(option: str) -> None:
    sick, healthy = plain(17, id="sick"), plain(17, id="healthy")
    ours = {id(node) for node in sick.nodes}
    merger = Stubborn(lambda pair: id(pair.older) in ours)
    _, beside = compress(option, [sick, healthy], ratio=0.5, merger=merger)
    (alone,) = compress(option, [healthy], ratio=0.5)
    assert beside.report == alone.report
    assert [node.id for node in beside.memory.nodes] == [node.id for node in alone.memory.nodes]
    assert merger.refused
