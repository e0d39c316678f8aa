"""What is made of two nodes, against the obvious way to make it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memforest.pipeline.merged_nodes import in_insertion_order, member_sum, merged_id

sets = st.sets(st.integers(0, 40), max_size=30).map(sorted)


@given(sets, sets)
def test_members_of_two_nodes_are_in_insertion_order(first: list[int], second: list[int]) -> None:
    second = [place for place in second if place not in first]
    place = {f"n{number}": number for number in range(41)}
    members = in_insertion_order([f"n{at}" for at in first], [f"n{at}" for at in second], place=place)
    assert members == tuple(f"n{at}" for at in sorted([*first, *second]))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True), st.integers(0, 9))
def test_the_sum_of_a_merged_node_is_that_of_its_parts(members: list[str], cut: int) -> None:
    assert member_sum(members) == member_sum(members[:cut]) + member_sum(members[cut:])
    assert merged_id(members) == merged_id(reversed(members))
    assert len(merged_id(members)) == len("merged-") + 16
