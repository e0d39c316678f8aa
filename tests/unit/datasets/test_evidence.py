"""Evidence references as people wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.datasets.evidence import evidence_ids, turn_ids


@pytest.mark.parametrize(
    ("reference", "ids"),
    [
        ("D8:6", ["D8:6"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D22:1 D22:2 D9:10 D9:11", ["D22:1", "D22:2", "D9:10", "D9:11"]),
        ("D21:18 D21:22 D11:15 D11:19", ["D21:18", "D21:22", "D11:15", "D11:19"]),
        ("D1:1,D1:2", ["D1:1", "D1:2"]),
        ("D1:1 ,; D1:2;", ["D1:1", "D1:2"]),
        ("D1:1\tD1:2\nD1:3", ["D1:1", "D1:2", "D1:3"]),
        ("D:11:26", ["D11:26"]),
        ("D30:05", ["D30:5"]),
        ("D030:005", ["D30:5"]),
        ("D10:19", ["D10:19"]),
        ("", []),
        (" ; ", []),
    ],
)
def test_references_are_split_and_normalised(reference: str, ids: list[str]) -> None:
    assert turn_ids(reference) == ids


@pytest.mark.parametrize(
    "reference", ["D", "D8", "D8:", ":6", "d8:6", "D8:6:1", "D::8:6", "8:6", "D8.6", "D-1:2", "S1"]
)
def test_what_is_no_turn_id_stays_as_it_was_written(reference: str) -> None:
    assert turn_ids(reference) == [reference]


def test_a_repeated_id_counts_once_and_keeps_its_first_place() -> None:
    assert evidence_ids(["D4:5", "D4:5", "D5:5", "D4:05 D1:1"]) == ("D4:5", "D5:5", "D1:1")


@given(st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), max_size=6))
def test_well_formed_ids_come_back_unchanged(pairs: list[tuple[int, int]]) -> None:
    ids = [f"D{session}:{turn}" for session, turn in pairs]
    assert evidence_ids(ids) == tuple(dict.fromkeys(ids))
