"""The search of a video: what is searched, and that the released search finds the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.bench import video_search
from memforest.bench.released_search import ReleasedSearch
from memforest.bench.worlds import robot_like
from memforest.core.errors import MethodError
from memforest.core.types import clip_of
from memforest.retrieval.topk import TopK
from tests.unit.retrieval.test_m3_agent import retriever
from tests.unit.retrieval.videos import asked
from tests.unit.retrieval.videos import video as small_video


def test_the_memory_is_like_that_of_a_robots_video() -> None:
    memory = robot_like(480, dimension=16)
    graph = memory.graph
    assert graph is not None
    assert (len(memory), len(graph.equivalences), memory.matrix.shape[1]) == (470, 10, 16)
    assert [clip_of(node) for node in memory.nodes] == sorted(clip_of(node) or 0 for node in memory.nodes)
    assert len({clip_of(node) for node in memory.nodes}) == 16
    linked = sum(bool(graph.of(node)) for node in memory.nodes)
    assert 0.5 < linked / len(memory) < 0.8
    assert memory.matrix.tobytes() == robot_like(480, dimension=16).matrix.tobytes()


@pytest.mark.parametrize("seed", range(10))
def test_the_released_search_finds_what_ours_does(seed: int) -> None:
    memory, query = small_video(80, clips=12, told=3, seed=seed), asked(seed=seed)
    for clips, threshold in ((2, 0.5), (3, 0.9)):
        ours = retriever(clips=clips, threshold=threshold).index(memory=memory).search(query=query, k=10)
        found = ReleasedSearch(memory, clips=clips, threshold=threshold).search(query)
        assert {node.id for node in found} == {node.id for node in ours.nodes}
        assert [clip_of(node) for node in found] == sorted(clip_of(node) or 0 for node in found)


def test_searches_that_find_other_nodes_are_not_compared() -> None:
    memory = small_video(80, clips=12)
    released = ReleasedSearch(memory, clips=2, threshold=-1.0)
    query = replace(asked(), text="")
    index = retriever(threshold=-1.0).index(memory=memory)
    assert video_search._timed(released, query, index) > 0
    with pytest.raises(MethodError, match="found different nodes"):
        video_search._timed(released, query, TopK(index="exact").index(memory=memory))
