"""Figures beside their goals."""

from __future__ import annotations

from memforest.bench.figures import Figure, as_json, as_lines


def test_a_goal_is_a_bound() -> None:
    assert Figure("a", 20, "x", "", at_least=20).met is True
    assert Figure("a", 19.9, "x", "", at_least=20).met is False
    assert Figure("a", 3, "x", "", at_most=3).met is True
    assert Figure("a", 3.1, "x", "", at_most=3).met is False
    assert Figure("a", 3, "x", "").met is None


def test_every_figure_has_a_line_that_says_whether_it_was_reached() -> None:
    lines = as_lines(
        [Figure("speed", 12.5, "x", "how fast", at_least=20), Figure("seconds", 1.0, "s", "how long")], small=False
    )
    assert [line.split() for line in lines] == [
        ["speed", "12.50", "x", "at", "least", "20", "NO", "how", "fast"],
        ["seconds", "1.00", "s", "how", "long"],
    ]


def test_json_holds_value_goal_and_outcome() -> None:
    made = as_json([Figure("speed", 30.0, "x", "how fast", at_least=20)], small=False)
    (figure,) = made["figures"]
    assert made["small"] is False
    assert (figure["name"], figure["value"], figure["at_least"], figure["met"]) == ("speed", 30.0, 20, True)


def test_a_goal_is_not_held_against_little_data() -> None:
    figure = Figure("speed", 1.0, "x", "how fast", at_least=20)
    assert as_json([figure], small=True)["figures"][0]["met"] is None
    assert "NO" not in as_lines([figure], small=True)[0]
