"""How far a judge agrees with another whose votes on the same answers are known, such as a published one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memforest.core.errors import DataError
from memforest.core.outcomes import Correct, Unscored, Verdict


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Counts over the answers that both judges scored, and shares in percent; None where nothing was scored.

    `answers` counts all, `both_accept` to `both_reject` the scored ones. `kappa` (Cohen's) is 0 where the agreement is
    what two judges reach who accept as often but at random, and None where each says the same of all.
    """

    answers: int
    scored: int
    both_accept: int
    only_theirs: int
    only_ours: int
    both_reject: int

    @property
    def agreement(self) -> float | None:
        """Answers on which both decide alike."""
        return _percent(self.both_accept + self.both_reject, self.scored)

    @property
    def accepted_by_them(self) -> float | None:
        """Answers that the other judge accepts."""
        return _percent(self.both_accept + self.only_theirs, self.scored)

    @property
    def accepted_by_us(self) -> float | None:
        """Answers that our judge accepts."""
        return _percent(self.both_accept + self.only_ours, self.scored)

    @property
    def kappa(self) -> float | None:
        """(observed - expected) / (1 - expected), of the shares on which both decide alike."""
        if not self.scored:
            return None
        theirs = (self.both_accept + self.only_theirs) / self.scored
        ours = (self.both_accept + self.only_ours) / self.scored
        observed = (self.both_accept + self.both_reject) / self.scored
        expected = theirs * ours + (1 - theirs) * (1 - ours)
        return None if expected == 1 else (observed - expected) / (1 - expected)


def judge_agreement(theirs: Sequence[Sequence[bool]], ours: Sequence[Verdict]) -> JudgeAgreement:
    """Votes of another judge for each answer, of which the majority counts, against our verdicts on the same answers.

    Answers that ours left unscored are counted in `answers` only. Raises DataError when there are not as many of one
    as of the other, or an even number of votes.
    """
    if len(theirs) != len(ours):
        raise DataError(f"two judges are compared on the same answers: {len(theirs)} have votes, {len(ours)} verdicts")
    even = next((place for place, votes in enumerate(theirs) if len(votes) % 2 == 0), None)
    if even is not None:
        raise DataError(f"answer {even} has {len(theirs[even])} votes; a majority needs an odd number")
    pairs = [
        (2 * sum(votes) > len(votes), isinstance(verdict, Correct))
        for votes, verdict in zip(theirs, ours, strict=True)
        if not isinstance(verdict, Unscored)
    ]
    return JudgeAgreement(
        answers=len(ours),
        scored=len(pairs),
        both_accept=pairs.count((True, True)),
        only_theirs=pairs.count((True, False)),
        only_ours=pairs.count((False, True)),
        both_reject=pairs.count((False, False)),
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
