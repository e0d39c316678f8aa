"""Which hits a model is shown, against a slow version of the rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.answering.shown import NOTHING, Shown, shown
from memforest.core.characters import characters_of, translated
from memforest.core.types import Hits, Memory, Question
from tests.builders import DAY, START, memory, node
from tests.graphs import graph_memory

QUESTION = Question(id="u/qa0", unit_id="u", text="What?")
Times = Sequence[float | None]


def store(texts: Sequence[str], times: Times | None = None, *, id: str = "u") -> Memory:
    given_times = [START + DAY * place for place in range(len(texts))] if times is None else times
    return memory(
        [node(f"n{place}", text, time=time) for place, (text, time) in enumerate(zip(texts, given_times, strict=True))],
        id=id,
    )


def hits(of: Memory, order: Sequence[int], *, k: int = 10, scores: Sequence[float] | None = None) -> Hits:
    return Hits(of, tuple(order), tuple(scores or [1.0 - rank / 100 for rank in range(len(order))]), k)


def pick(*rankings: Hits, order: str = "rank", max_words: int | None = None, latest: bool = False) -> Shown:
    return shown(rankings, question=QUESTION, order=order, max_words=max_words, latest=latest)


def texts(found: Shown) -> list[str]:
    return [entry.node.text for entry in found.entries]


def test_by_rank_the_k_hits_of_each_memory_one_after_the_other() -> None:
    first, second = store(["a", "b", "c"], id="u/Ada"), store(["d", "e"], id="u/Ben")
    assert texts(pick(hits(first, [2, 0, 1], k=2), hits(second, [1, 0], k=2))) == ["c", "a", "e", "d"]


def test_by_time_on_one_timeline_and_equal_times_in_order_of_memories_and_insertion() -> None:
    first, second = store(["a", "b"], [START + 5, START], id="u/Ada"), store(["c", "d"], [START, START], id="u/Ben")
    assert texts(pick(hits(first, [0, 1]), hits(second, [1, 0]), order="time")) == ["b", "c", "d", "a"]


def test_a_node_without_a_time_stands_where_its_memory_has_it() -> None:
    of = store(["a", "b", "c"], [START, None, START + DAY])
    assert texts(pick(hits(of, [2, 1, 0]), order="time")) == ["a", "b", "c"]
    assert texts(pick(hits(store(["a", "b", "c"], [None] * 3), [1, 2, 0]), order="time")) == ["a", "b", "c"]


def test_entries_are_one_line_with_their_date_and_none_without_one() -> None:
    of = store(["one\n- two", "three"], [START, None], id="elsewhere")
    assert pick(hits(of, [0, 1])).as_one_list() == "- Tuesday 14 November 2023, 10:13 pm: one - two\n- three"


def test_faces_and_voices_are_written_as_characters_where_the_memory_knows_them() -> None:
    of = graph_memory(3)
    assert of.graph is not None
    characters = characters_of(of.graph)
    lines = pick(hits(of, [0, 1, 2])).as_one_list().splitlines()
    assert lines == [f"- clip 0 (0 s): {translated(node.text, characters)}" for node in of.nodes]
    assert "<character_0> does thing 0" in lines[0]
    without = replace(of, graph=None)
    assert "<face_0> does thing 0" in pick(hits(without, [0])).as_one_list()


def test_a_list_has_the_name_of_its_speaker() -> None:
    first, second = store(["a"], [None], id="u/Ada / B"), store(["b"], [START], id="u/Ben\nx")
    found = pick(hits(first, [0]), hits(second, [0]))
    date = "Tuesday 14 November 2023, 10:13 pm"
    assert found.as_list_per_memory() == f"Memories of Ada / B:\n- a\n\nMemories of Ben x:\n- {date}: b"
    assert found.as_one_list() == f"- Ada / B: a\n- {date}, Ben x: b"
    assert pick(hits(store(["a"], [None]), [0])).as_list_per_memory() == "- a"


def test_nothing_is_said_to_be_nothing() -> None:
    empty = Memory(id="u", nodes=())
    for found in (pick(), pick(hits(empty, []))):
        assert (found.as_one_list(), found.as_list_per_memory(), found.left_out) == (NOTHING, NOTHING, 0)


@pytest.mark.parametrize(("latest", "kept"), [(False, ["a a", "c"]), (True, ["b b", "c"])])
def test_what_does_not_fit_is_left_out_and_counted(latest: bool, kept: list[str]) -> None:
    found = pick(hits(store(["a a", "b b", "c"]), [0, 1, 2]), max_words=3, latest=latest)
    assert (texts(found), found.left_out) == (kept, 1)


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 3)), max_size=6), min_size=1, max_size=3),
    st.integers(1, 20),
    st.booleans(),
)
def test_the_best_or_latest_fit_first(content: list[list[tuple[int, int]]], max_words: int, latest: bool) -> None:
    rankings = [
        hits(
            store(
                [" ".join(["w"] * words) for words, _ in rows], [START + DAY * day for _, day in rows], id=f"u/{name}"
            ),
            range(len(rows)),
            scores=[float(-rank // 2) for rank in range(len(rows))],
        )
        for name, rows in enumerate(content)
    ]
    found = pick(*rankings, max_words=max_words, latest=latest)
    wanted = [
        (place, number, rank, words, day)
        for place, (number, rank, words, day) in enumerate(
            (number, rank, *row) for number, rows in enumerate(content) for rank, row in enumerate(rows)
        )
    ]
    if latest:
        wanted.sort(key=lambda item: (-item[4], -item[1], -item[2]))
    else:
        wanted.sort(key=lambda item: (-float(-item[2] // 2), item[1], item[2]))
    left, kept = max_words, []
    for place, number, rank, words, _ in wanted:
        if words <= left:
            left -= words
            kept.append((place, number, rank))
    assert [(entry.memory, entry.rank) for entry in found.entries] == [item[1:] for item in sorted(kept)]
    assert found.left_out == len(wanted) - len(kept)
