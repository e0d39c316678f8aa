"""`memforest import`: words, JSON, files, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main
from memforest.exchange.published.answers import StoredAnswer, read_answers, read_hypotheses
from tests.unit.exchange.published.forms import FORMS, LINES, dataset, form, write

Typed = Callable[..., str]


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    """What the command prints for one form, with any options."""

    def run(name: str, *options: str, file: Path | None = None) -> str:
        kind = FORMS[name][0]
        source = file or write(tmp_path / "in.json.gz", form(name), lines=name in LINES)
        main(["import", str(source), "--dataset", kind, "--path", str(dataset(tmp_path, kind)), *options])
        return capsys.readouterr().out

    return run


def refused(typed: Typed, capsys: pytest.CaptureFixture[str], name: str, *options: str) -> str:
    with pytest.raises(SystemExit) as caught:
        typed(name, *options)
    assert caught.value.code == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("name", FORMS)
def test_json_is_one_object_with_both_accuracies(typed: Typed, name: str) -> None:
    found = json.loads(typed(name, "--json"))
    assert {"accuracy_majority", "accuracy_mean_of_votes", "questions", "by_category", "file", "dataset"} <= set(found)


def test_words_say_the_join_the_accuracies_and_what_the_header_says_otherwise(typed: Typed) -> None:
    lines = typed("audit").splitlines()
    assert lines[:3] == [
        "in.json.gz (audit), joined with locomo.json",
        "5 questions joined by id, the place in the original list; texts of 5 compared, all equal; 5 with votes",
        "of 7 questions, 2 are not in it: adversarial 2",
    ]
    (every,) = [line for line in lines if line.startswith("all ")]
    assert every.split()[:6] == ["all", "5", "5", "80.00", "[66.7,", "100.0]"]
    assert lines[-2:] == [
        "of 3 figures that the file states, 1 differ from its rows",
        "  correct: stated 5, majority_correct is 4",
    ]


def test_words_of_longmemeval_have_the_mean_of_types_and_abstention(typed: Typed) -> None:
    lines = typed("hypotheses").splitlines()
    assert "it holds no texts of questions to compare" in lines[1]
    assert [line.split()[3] for line in lines if line.startswith("mean of types")] == ["50.00"]
    assert any(line.startswith("abstention (inside types)") for line in lines)


def test_words_show_by_type_what_judges_say_that_only_the_file_knows(typed: Typed) -> None:
    lines = typed("labels").splitlines()
    assert "no votes of a judge" in lines[1]
    rows = {line.split("  ")[0]: line.split()[-2:] for line in lines}
    assert rows["percent"] == ["strict_label", "open_label"]
    assert (rows["all"], rows["temporal-reasoning"]) == (["50.00", "66.67"], ["0.00", "100.00"])


@pytest.mark.parametrize("name", ["audit", "evermemos", "mem0", "locomo_evaluator", "hypotheses", "memory_arena"])
def test_answers_are_kept_with_votes_and_source_and_can_be_imported_again(
    typed: Typed, tmp_path: Path, name: str
) -> None:
    first = json.loads(typed(name, "--json", "--out", str(tmp_path / "answers.jsonl")))
    answers = read_answers(tmp_path / "answers.jsonl")
    assert len(answers) == first["answers"]
    again = json.loads(typed(name, "--json", file=tmp_path / "answers.jsonl"))
    assert again["file"]["layout"] == "answers"
    for key in ("accuracy_majority", "accuracy_mean_of_votes", "accuracy_by_vote"):
        assert again[key] == first[key]
    if name != "memory_arena":
        assert again["metrics"] == first["metrics"]


def test_a_stored_answer_says_where_it_came_from(typed: Typed, tmp_path: Path) -> None:
    typed("mem0", "--out", str(tmp_path / "answers.jsonl"))
    first = read_answers(tmp_path / "answers.jsonl")[0]
    sha256 = first.source["sha256"]
    source = {"file": "in.json.gz", "sha256": sha256, "row": "1[0]"}
    assert first == StoredAnswer("conv-b/qa0", "yes", (False,), source)
    assert len(sha256) == 64


def test_longmemevals_own_form_is_written(typed: Typed, tmp_path: Path) -> None:
    typed("hypotheses", "--hypotheses", str(tmp_path / "h.jsonl"), "--out", str(tmp_path / "a.jsonl"))
    assert read_hypotheses(tmp_path / "h.jsonl") == (
        ("q1", "three boats"),
        ("gpt4_q2", "in May"),
        ("q3_abs", "I do not know"),
    )
    assert set(json.loads((tmp_path / "h.jsonl").read_text().splitlines()[0])) == {"question_id", "hypothesis"}


def test_a_file_without_answers_writes_none(typed: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "answers.jsonl"
    assert "holds no answers" in refused(typed, capsys, "session_retrieval", "--out", str(out))
    assert not out.exists()


def test_locomo_has_no_hypotheses(typed: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "LongMemEval's own form" in refused(typed, capsys, "mem0", "--hypotheses", str(tmp_path / "h.jsonl"))


def test_no_file_is_overwritten_unless_forced_and_an_input_never(
    typed: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "answers.jsonl"
    out.write_text("a user's own")
    assert "exists; name another file" in refused(typed, capsys, "mem0", "--out", str(out))
    assert out.read_text() == "a user's own"
    typed("mem0", "--out", str(out), "--force")
    assert len(read_answers(out)) == 5
    for source in ("in.json.gz", "locomo.json"):
        before = (tmp_path / source).read_bytes()
        error = refused(typed, capsys, "mem0", "--out", str(tmp_path / source), "--force")
        assert "is the input, which is never overwritten" in error
        assert (tmp_path / source).read_bytes() == before
    twice = ("--out", str(tmp_path / "x"), "--hypotheses", str(tmp_path / "x"))
    assert "cannot hold both forms" in refused(typed, capsys, "hypotheses", *twice)


def test_an_error_leaves_no_file_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content: Any = form("mem0")
    content["1"][0]["question"] = "Another?"
    file, out = write(tmp_path / "in.json", content), tmp_path / "out.jsonl"
    arguments = ["import", str(file), "--dataset", "locomo", "--path", str(dataset(tmp_path, "locomo"))]
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--out", str(out)])
    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith("error: in.json, 1[0]: asks 'Another?', but conv-b/qa0 in locomo.json")
    assert not out.exists()


@pytest.mark.parametrize("extra", [["ratio=1"], ["--alpha", "1"], ["--dataset", "personamem"]])
def test_words_that_mean_nothing_here_are_usage_errors(typed: Typed, extra: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        typed("mem0", *extra)
    assert caught.value.code == 2
