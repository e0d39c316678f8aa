"""`memforest answers`: a run's answers as a file that judges read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memforest.core.errors import StoreError
from memforest.exchange.places import require_free
from memforest.exchange.published.answers import StoredAnswer, write_answers, write_hypotheses
from memforest.store.runs import StoredRun

_GIVEN = ("answered", "abstained")


def write_run_answers(run: StoredRun, out: Path, *, hypotheses: bool, replace: bool) -> int:
    """Write what was answered, with the votes of the run's judge, or in LongMemEval's own form without them.

    Returns the number of answers; failed ones are left out. Raises StoreError for a run that answered nothing.
    """
    require_free(out, source=run.folder, replace=replace)
    given = [record for record in run.records() if record.get("answer", {}).get("outcome") in _GIVEN]
    if not given:
        failed = any(record.get("answer", {}).get("outcome") == "failed" for record in run.records())
        hint = "repeat its command, which makes failed calls again" if failed else "run it with answerer=NAME"
        raise StoreError(f"{run.id} answered no question; {hint}")
    if hypotheses:
        return write_hypotheses(out, [(record["question"], record["answer"]["text"]) for record in given])
    return write_answers(out, [_stored(record, run) for record in given])


def _stored(record: dict[str, Any], run: StoredRun) -> StoredAnswer:
    return StoredAnswer(record["question"], record["answer"]["text"], votes_of_record(record), {"run": run.id})


def votes_of_record(record: dict[str, Any]) -> tuple[bool, ...]:
    """The verdict as votes; none where there is no verdict."""
    verdict = record.get("verdict", {"outcome": "unscored"})
    if verdict["outcome"] == "unscored":
        return ()
    return tuple(verdict.get("votes", [verdict["outcome"] == "correct"]))
