"""What option lengths give away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memforest.core.types import Gold, Question
from memforest.metrics.option_length import OptionLength, option_length
from tests.unit.metrics.golds import gold, question

LENGTHS = ("mm", "m", "mmm")


def baseline(
    rows: Sequence[tuple[str, str, str]], *, options: Sequence[str] = LENGTHS, ungradable: Sequence[int] = ()
) -> OptionLength:
    """The baseline of questions given as category, cluster and letter."""
    questions: list[Question] = [question(f"q{place}", options=options) for place in range(len(rows))]
    golds: list[Gold] = [
        replace(gold(category=category, letter=letter), ungradable="twice" if place in ungradable else None)
        for place, (category, _, letter) in enumerate(rows)
    ]
    return option_length(questions, golds, [cluster for _, cluster, _ in rows])


def test_each_category_has_the_rule_that_fits_it_best() -> None:
    found = baseline([("x", "p", "c"), ("x", "q", "c"), ("x", "r", "b"), ("y", "p", "b"), ("y", "q", "b")])
    assert found.rules == {"x": "longest", "y": "shortest"}
    assert (found.fitted, found.questions) == (4, 5)


def test_ties_of_length_go_to_the_first_option() -> None:
    tied = ("mm", "mm", "m", "m")
    assert baseline([("x", "p", "a")], options=tied).fitted == 1
    assert baseline([("x", "p", "b")], options=tied).fitted == 0
    assert baseline([("x", "p", "c")], options=tied).rules == {"x": "shortest"}
    assert baseline([("x", "p", "d")], options=tied).fitted == 0


def test_held_out_rules_are_chosen_on_all_other_clusters() -> None:
    found = baseline([("x", "p", "b"), ("x", "p", "b"), ("x", "p", "b"), ("x", "q", "c"), ("x", "r", "c")])
    assert (found.fitted, found.held_out) == (3, 0)
    agreed = baseline([("x", "p", "b"), ("x", "q", "b")])
    assert (agreed.fitted, agreed.held_out) == (2, 2)


def test_a_category_of_one_cluster_takes_the_first_rule_when_it_is_held_out() -> None:
    assert baseline([("x", "p", "c")]).held_out == 1
    assert baseline([("x", "p", "b")]).held_out == 0


def test_ungradable_questions_are_counted_apart() -> None:
    found = baseline([("x", "p", "c"), ("x", "q", "c")], ungradable=[1])
    assert (found.fitted, found.gradable, found.fitted_gradable, found.held_out_gradable) == (2, 1, 1, 1)


def test_questions_without_a_letter_are_none_of_its_business() -> None:
    assert option_length([question()], [gold()], ["p"]).questions == 0
