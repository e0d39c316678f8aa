"""Answers as files: what is written is read again, whole, and by LongMemEval's own reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.exchange.published.answers import (
    StoredAnswer,
    read_answers,
    read_hypotheses,
    write_answers,
    write_hypotheses,
)

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
ANSWERS = st.lists(
    st.builds(
        StoredAnswer,
        question_id=TEXT,
        answer=TEXT,
        votes=st.lists(st.booleans(), max_size=3).map(tuple),
        source=st.dictionaries(TEXT, TEXT, max_size=2),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda answer: answer.question_id,
)


@given(ANSWERS)
def test_answers_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, answers: list[StoredAnswer]) -> None:
    path = tmp_path_factory.mktemp("d") / "answers.jsonl"
    assert write_answers(path, answers) == len(answers)
    assert list(read_answers(path)) == answers


@given(st.dictionaries(TEXT, TEXT, min_size=1, max_size=4))
def test_hypotheses_come_back_as_they_were_and_as_the_official_script_reads_them(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, str]
) -> None:
    path = tmp_path_factory.mktemp("d") / "hypotheses.jsonl"
    assert write_hypotheses(path, answers.items()) == len(answers)
    assert dict(read_hypotheses(path)) == answers
    with path.open(encoding="utf-8") as lines:
        official = [json.loads(line) for line in lines]
    assert official == [{"question_id": name, "hypothesis": answer} for name, answer in answers.items()]


def test_votes_and_source_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"question_id": "q", "answer": 5}\n')
    assert read_answers(path) == (StoredAnswer("q", "5", (), {}),)


def test_other_keys_and_a_json_list_are_read_as_hypotheses(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text('[{"question_id": "q", "hypothesis": "x", "autoeval_label": {"label": true}}]')
    assert read_hypotheses(path) == (("q", "x"),)


def test_a_question_has_one_answer_in_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    with pytest.raises(DataError, match="'q' stands twice"):
        write_hypotheses(path, [("q", "x"), ("q", "y")])
    assert not path.exists()
    path.write_text('{"question_id": "q", "hypothesis": "x"}\n' * 2)
    with pytest.raises(DataError, match="'q' stands twice"):
        read_hypotheses(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("5", "expected"),
        ('{"question_id": "q"}', "`hypothesis` is missing"),
        ('{"question_id": "q", "hypothesis": null}', "`hypothesis` must be a text, got null"),
        ('{"question_id": 5, "hypothesis": "x"}', "`question_id` must be a text"),
    ],
)
def test_a_line_without_an_answer_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "h.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(DataError, match=r"h\.jsonl") as caught:
        read_hypotheses(path)
    assert words in str(caught.value)
