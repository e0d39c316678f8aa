"""A few names are named; of many the first."""

from __future__ import annotations

import pytest

from memforest.core.listing import listed


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, ""), (1, "n0"), (3, "n0, n1, n2"), (4, "n0, n1, n2 and 1 more"), (1003, "n0, n1, n2 and 1,000 more")],
)
def test_many_names_are_few_words(count: int, text: str) -> None:
    assert listed([f"n{number}" for number in range(count)]) == text
