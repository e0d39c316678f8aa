"""What a run is expected to ask of language models."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.config.compose import compose_spec
from memforest.core.types import target_count
from memforest.pipeline.estimate import PROMPT_TOKENS, UnitLoad, estimate_lines, merge_calls, shown_words, unit_load
from tests.builders import memory, node, unit

TEN_WORDS = " ".join(["word"] * 10)
NODES = memory([node(f"n{place}", TEN_WORDS) for place in range(20)])
LOAD = unit_load(unit(), [NODES], merges=True, questions=4)
(MEMORY,) = LOAD.memories


def lines(*overrides: str, load: UnitLoad = LOAD, context: str = "memory") -> list[str]:
    chosen = ["compressor=tome", "ratio=0.5", "merger=llm", "answerer=mem0", "judge=eventtree", "llm=gpt_4o_mini"]
    return estimate_lines(compose_spec([*chosen, *overrides]), [load], context=context)


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.5, 0.9])
def test_there_is_a_call_for_each_merge(ratio: float) -> None:
    assert merge_calls([MEMORY, MEMORY], ratio=ratio).calls == 2 * (20 - target_count(count=20, ratio=ratio))


def test_roles_are_told_with_calls_model_and_cost() -> None:
    merge, answer, judge = lines()
    assert merge.startswith("merge: at most 10 calls of gpt-4o-mini")
    assert answer.startswith("answer: at most 4 calls") and judge.startswith("judge: at most 4 calls")
    assert all(", $0." in line for line in (merge, answer, judge))


def test_a_model_without_a_price_costs_what_is_not_known() -> None:
    assert all(
        line.endswith("price not known") for line in lines("llm=endpoint", "llm.base_url=http://x", "llm.model=m")
    )


def test_votes_multiply_verdicts_and_cached_merges_are_not_asked() -> None:
    assert lines("judge.votes=3")[2].startswith("judge: at most 12 calls")
    assert lines(load=replace(LOAD, merges=False))[0].startswith("merge: at most 0 calls")


def test_a_loop_asks_as_often_as_it_has_rounds_and_reads_again_what_it_found() -> None:
    def answer(*overrides: str) -> tuple[int, int]:
        line = lines("answerer=m3_agent", *overrides)[1]
        return int(line.split("at most ")[1].split()[0]), int(line.split("about ")[1].split()[0].replace(",", ""))

    assert [answer(f"answerer.rounds={rounds}")[0] for rounds in (1, 2, 5)] == [4, 8, 20]
    read = [answer(f"answerer.rounds={rounds}")[1] - 4 * rounds * PROMPT_TOKENS["answer"] for rounds in (1, 2, 3, 4, 5)]
    assert read == [read[0], read[0], 3 * read[0], 6 * read[0], 10 * read[0]]


def test_roles_that_nobody_has_are_not_told() -> None:
    assert [line.split(":")[0] for line in lines("merger=concat", "judge=none")] == ["answer"]


def test_merged_hits_are_longer() -> None:
    assert shown_words([MEMORY], k=5, ratio=0.0) == 50
    assert shown_words([MEMORY], k=5, ratio=0.5) == 100
    assert shown_words([MEMORY], k=50, ratio=0.5) == 200


def test_a_whole_history_costs_its_words() -> None:
    tokens = {
        context: int(lines(context=context)[1].split("about ")[1].split(" ")[0].replace(",", ""))
        for context in ("nothing", "history", "memory")
    }
    assert tokens["nothing"] < tokens["history"] < tokens["memory"]
