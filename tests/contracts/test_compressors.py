"""What every compressor in conf/compressor must do, for every shape of memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from threadpoolctl import threadpool_limits

from memforest.core.types import Memory, Segment, target_count
from memforest.pipeline.compression import CompressedMemory
from tests.contracts.support import (
    COUNTS,
    RATIOS,
    SHAPES,
    compress,
    compressed,
    content,
    dropping,
    goal,
    marked,
    plain,
    shaped,
    usable,
    using,
    without_model,
)

every_compressor = pytest.mark.parametrize("option", marked("compressor", usable("compressor")))
every_shape = pytest.mark.parametrize("shape", SHAPES)


def results(option: str, shape: str, merger: str = "concat") -> Iterator[tuple[Memory, float, CompressedMemory]]:
    """Input, ratio and result for every count and ratio."""
    for count, ratio in product(COUNTS, RATIOS):
        yield shaped(shape, count), ratio, compressed(option, shape, count, ratio, merger)


def members(memory: Memory) -> list[str]:
    return [member for node in memory.nodes for member in node.members]


@every_shape
@every_compressor
def test_exactly_m_nodes_remain(option: str, shape: str) -> None:
    for memory, ratio, done in results(option, shape):
        assert len(done.memory) == goal(option, done.report, count=len(memory), ratio=ratio), ratio


@every_shape
@every_compressor
def test_members_are_disjoint_and_all_from_the_memory(option: str, shape: str) -> None:
    for memory, _, done in results(option, shape):
        kept = members(done.memory)
        assert len(kept) == len(set(kept))
        assert set(kept) <= {node.id for node in memory.nodes}


@every_shape
@pytest.mark.parametrize("option", marked("compressor", using("merger")))
def test_merging_compressors_lose_only_nodes_that_they_list_and_with_concat_no_text(option: str, shape: str) -> None:
    for memory, _, done in results(option, shape):
        by_id = {node.id: node for node in memory.nodes}
        dropped = done.report["dropped_nodes"]
        assert isinstance(dropped, list)
        assert not dropped or option in dropping()
        assert sorted([*members(done.memory), *dropped]) == sorted(by_id)
        for node in done.memory.nodes:
            originals = [segment for member in node.members for segment in by_id[member].segments]
            assert Counter(node.segments) == Counter(originals)


@every_shape
@pytest.mark.parametrize("option", [name for name in usable("compressor") if name not in using("merger")])
def test_pruning_compressors_keep_nodes_as_they_are(option: str, shape: str) -> None:
    for memory, _, done in results(option, shape):
        assert set(content(done.memory)) <= set(content(memory))


@every_shape
@every_compressor
def test_nodes_stay_in_insertion_order(option: str, shape: str) -> None:
    for memory, _, done in results(option, shape):
        when = {node.id: (node.time or 0.0, place) for place, node in enumerate(memory.nodes)}
        places = [max(when[member] for member in node.members)[1] for node in done.memory.nodes]
        assert places == sorted(places)


@every_shape
@every_compressor
def test_a_node_has_the_latest_time_of_its_members(option: str, shape: str) -> None:
    for memory, _, done in results(option, shape):
        time = {node.id: node.time for node in memory.nodes}
        for node in done.memory.nodes:
            times = [known for member in node.members if (known := time[member]) is not None]
            unknown = memory.clock == "video" and len(times) < len(node.members)
            assert node.time == (None if unknown else max(times, default=None))


@every_shape
@every_compressor
def test_ratio_0_is_the_identity(option: str, shape: str) -> None:
    for count in COUNTS:
        assert content(compressed(option, shape, count, 0.0).memory) == content(shaped(shape, count))


@every_shape
@every_compressor
@pytest.mark.parametrize("merger", without_model("merger"))
def test_sources_cover_only_text_that_survives(option: str, merger: str, shape: str) -> None:
    for count, ratio in product((3, 17), (0.5, 0.9)):
        by_id = {node.id: node for node in shaped(shape, count).nodes}
        for node in compressed(option, shape, count, ratio, merger).memory.nodes:
            originals = [segment for member in node.members for segment in by_id[member].segments]
            assert set(node.segments) <= set(originals)
            assert node.sources == tuple(
                dict.fromkeys(source for segment in node.segments for source in segment.sources)
            )


@every_shape
@every_compressor
@pytest.mark.parametrize("merger", without_model("merger"))
def test_the_report_accounts_for_every_node_and_segment(option: str, merger: str, shape: str) -> None:
    for count, ratio in product((0, 1, 17), (0.3, 0.9)):
        memory, done = shaped(shape, count), compressed(option, shape, count, ratio, merger)
        report = done.report
        gone = {node.id for node in memory.nodes} - set(members(done.memory))
        assert report["dropped_nodes"] == [node.id for node in memory.nodes if node.id in gone]
        assert _all_segments(memory) == _all_segments(done.memory) + _dropped_segments(memory, report)
        assert (report["memory"], report["target"]) == (memory.id, target_count(count=count, ratio=ratio))
        assert report["method_target"] == goal(option, report, count=count, ratio=ratio)
        assert (report["shortfall"], report["failed_merges"]) == (0, {})
        assert report["merges"] == count - len(gone) - len(done.memory)
        assert _size(report, "before") == (count, sum(node.words for node in memory.nodes), count * 16 * 4)
        assert _size(report, "after")[0] == len(done.memory)


def _all_segments(memory: Memory) -> Counter[tuple[str, tuple[str, ...]]]:
    return Counter((segment.text, segment.sources) for node in memory.nodes for segment in node.segments)


def _dropped_segments(memory: Memory, report: object) -> Counter[tuple[str, tuple[str, ...]]]:
    """Segments of dropped nodes, and those that the merger gave up."""
    assert isinstance(report, dict)
    dropped = [segment for node in memory.nodes if node.id in report["dropped_nodes"] for segment in node.segments]
    given_up = [
        Segment(entry["text"], tuple(entry["sources"]))
        for entries in report["dropped_segments"].values()
        for entry in entries
    ]
    return Counter((segment.text, segment.sources) for segment in [*dropped, *given_up])


def _size(report: object, side: str) -> tuple[int, int, int]:
    assert isinstance(report, dict)
    return report[side]["nodes"], report[side]["words"], report[side]["vector_bytes"]


@every_shape
@every_compressor
def test_the_same_again_for_one_and_two_threads(option: str, shape: str) -> None:
    for count, ratio in ((17, 0.5), (60, 0.7)):
        expected = content(compressed(option, shape, count, ratio).memory)
        for threads in (1, 2):
            with threadpool_limits(limits=threads):
                (again,) = compress(option, [SHAPES[shape](count)], ratio=ratio)
            assert content(again.memory) == expected


@every_compressor
@pytest.mark.parametrize("ratio", [0.3, 0.9])
def test_a_memory_comes_out_the_same_whatever_stands_beside_it(option: str, ratio: float) -> None:
    memories = [plain(count, id=name) for name, count in {"a": 17, "b": 60, "c": 0, "d": 17, "e": 1}.items()]
    together = compress(option, memories, ratio=ratio)
    backwards = compress(option, memories[::-1], ratio=ratio)[::-1]
    for memory, beside, turned in zip(memories, together, backwards, strict=True):
        (alone,) = compress(option, [memory], ratio=ratio)
        assert content(alone.memory) == content(beside.memory) == content(turned.memory)
        assert alone.report == beside.report == turned.report


@every_compressor
def test_the_input_memory_is_not_changed(option: str) -> None:
    memory, untouched = plain(60), plain(60)
    matrix = memory.matrix.copy()
    compress(option, [memory], ratio=0.7)
    assert content(memory) == content(untouched)
    assert memory.matrix.tobytes() == matrix.tobytes()


def _outcomes(option: str, vary: Callable[[int], tuple[float, int]]) -> list[list[tuple[object, ...]]]:
    """Results for five settings of ratio and seed; of nodes in many sessions, and of nodes in one."""
    memories = [shaped("plain", 60), shaped("equal times", 60)]
    settings = [vary(number) for number in range(5)]
    return [
        [node for done in compress(option, memories, ratio=ratio, seed=seed) for node in content(done.memory)]
        for ratio, seed in settings
    ]


@every_compressor
def test_the_seed_matters_exactly_where_the_yaml_says_so(option: str) -> None:
    first, *others = _outcomes(option, lambda number: (0.7, number))
    assert any(other != first for other in others) == (option in using("seed"))


@every_compressor
def test_the_ratio_matters_exactly_where_the_yaml_says_so(option: str) -> None:
    first, *others = _outcomes(option, lambda number: (number / 5, 0))
    assert any(other != first for other in others) == (option in using("ratio"))


@every_compressor
def test_the_merger_matters_exactly_where_the_yaml_says_so(option: str) -> None:
    whole, shortened = (
        content(compress(option, [shaped("plain", 60)], ratio=0.95, merger=merger)[0].memory)
        for merger in ("concat", "extractive")
    )
    assert (whole != shortened) == (option in using("merger"))
