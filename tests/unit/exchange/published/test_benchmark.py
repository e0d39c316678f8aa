"""The dataset's own files, as the questions that published rows are joined with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memforest.core.errors import DataError
from memforest.exchange.published.benchmark import read_benchmark
from tests.unit.exchange.published.forms import INDEX, LOCOMO, LONGMEMEVAL, write


def test_locomo_keeps_its_order_its_ids_and_its_categories(tmp_path: Path) -> None:
    found = read_benchmark("locomo", write(tmp_path / "f.json.gz", LOCOMO))
    assert list(found.by_unit) == ["conv-a", "conv-b"]
    assert [item.id for item in found.by_unit["conv-b"]] == ["conv-b/qa0", "conv-b/qa1", "conv-b/qa2"]
    assert found.categories == ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")
    year = found.by_id["conv-a/qa2"]
    assert (year.answer, year.answerable, year.sessions) == ("2022", True, frozenset())
    assert found.by_id["conv-a/qa0"].sessions == {"D1", "D2"}
    assert found.by_id["conv-a/qa1"].answer is None
    assert found.by_id["conv-b/qa0"].sessions == {"D1", "names no turn: D9:9"}


@pytest.mark.parametrize("content", [LONGMEMEVAL, INDEX])
def test_longmemeval_is_read_from_instances_and_from_an_index(tmp_path: Path, content: Any) -> None:
    found = read_benchmark("longmemeval", write(tmp_path / "f.json", content))
    assert [(item.id, item.unit, item.answer, item.answerable) for item in found.items] == [
        ("q1", "q1", "3", True),
        ("gpt4_q2", "gpt4_q2", "in May", True),
        ("q3_abs", "q3_abs", "You did not mention owls.", False),
    ]
    assert [set(item.sessions) for item in found.items] == [{"s1", "s2"}, {"s3"}, set()]
    assert found.categories == ("multi-session", "temporal-reasoning")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "no list of LongMemEval questions"),
        ({}, "no list of LongMemEval questions"),
        ([5], "record 0: expected an object with `id`"),
        ([LONGMEMEVAL[0], LONGMEMEVAL[0]], "the question id 'q1' occurs twice"),
        ([{**LONGMEMEVAL[0], "answer": None}], "record 0: `answer` must be a text, got null"),
        ([{**INDEX[0], "gold_answers": [[]]}], "`gold_answers` must be a text, got a list"),
        ([{**INDEX[0], "meta": 5}], "`meta` must be an object"),
    ],
)
def test_another_file_is_no_longmemeval(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(DataError, match=r"f\.json") as caught:
        read_benchmark("longmemeval", write(tmp_path / "f.json", content))
    assert words in str(caught.value)
