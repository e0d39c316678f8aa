"""Agreement of two judges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.core.outcomes import Correct, Incorrect, Unscored, Verdict
from memforest.metrics.agreement import judge_agreement

VERDICTS: dict[str, Verdict] = {"yes": Correct(), "no": Incorrect(), "none": Unscored("judge failed: timeout")}


def test_shares_are_of_what_both_scored() -> None:
    theirs = [(True,), (True, True, False), (False, False, True), (False,), (True,)]
    ours: list[Verdict] = [
        Correct(),
        Incorrect((False, True, False)),
        Correct(),
        Incorrect(),
        Unscored("no gold answer"),
    ]
    found = judge_agreement(theirs, ours)
    assert (found.answers, found.scored) == (5, 4)
    assert (found.both_accept, found.only_theirs, found.only_ours, found.both_reject) == (1, 1, 1, 1)
    assert (found.agreement, found.accepted_by_them, found.accepted_by_us, found.kappa) == (50, 50, 50, 0)


@given(
    st.lists(st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.sampled_from(list(VERDICTS))), max_size=9)
)
def test_counts_are_those_of_a_loop(rows: list[tuple[list[bool], str]]) -> None:
    found = judge_agreement([votes for votes, _ in rows], [VERDICTS[name] for _, name in rows])
    scored = [(sorted(votes)[1], name == "yes") for votes, name in rows if name != "none"]
    assert found.scored == len(scored)
    if scored:
        assert found.agreement == 100 * sum(a == b for a, b in scored) / len(scored)
        assert found.accepted_by_them == 100 * sum(a for a, _ in scored) / len(scored)
        assert found.accepted_by_us == 100 * sum(b for _, b in scored) / len(scored)
        assert found.kappa is None or -1 <= found.kappa <= 1


def test_equal_judges_agree_beyond_chance() -> None:
    assert judge_agreement([(True,), (False,)], [Correct(), Incorrect()]).kappa == 1


def test_nothing_scored_gives_no_number() -> None:
    found = judge_agreement([(True,)], [Unscored("x")])
    assert (found.agreement, found.accepted_by_them, found.accepted_by_us, found.kappa) == (None,) * 4
    assert judge_agreement([(True,)], [Correct()]).kappa is None


@pytest.mark.parametrize(("theirs", "message"), [([], "same answers"), ([(True, False)], "odd number"), ([()], "odd")])
def test_what_cannot_be_compared_is_an_error(theirs: list[tuple[bool, ...]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        judge_agreement(theirs, [Correct()])
