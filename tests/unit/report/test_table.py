"""Tables of text."""

from __future__ import annotations

from memforest.report.table import aligned, markdown

HEADER, ROWS = ["name", "value"], [["a", "1.0"], ["longer name", "10.5"]]


def test_columns_are_padded_and_numbers_stand_to_the_right() -> None:
    assert aligned(HEADER, ROWS).splitlines() == [
        "name         value",
        "-----------  -----",
        "a              1.0",
        "longer name   10.5",
    ]


def test_no_line_ends_in_blanks() -> None:
    assert all(line == line.rstrip() for line in aligned(["name", ""], [["a", ""], ["", "1"]]).splitlines())


def test_markdown_has_a_rule_and_one_row_a_line() -> None:
    assert markdown(HEADER, ROWS).splitlines() == [
        "| name | value |",
        "| --- | ---: |",
        "| a | 1.0 |",
        "| longer name | 10.5 |",
    ]
