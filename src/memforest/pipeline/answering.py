"""Answering and judging: search records go in, and come out in their order with what the models said."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from memforest.core.errors import CallsFailedError
from memforest.core.outcomes import (
    Abstained,
    Answer,
    Answered,
    Correct,
    Failed,
    ShownNode,
    Unanswered,
    Unscored,
    Verdict,
)
from memforest.core.protocols import Answerer, Judge, Search
from memforest.core.types import Gold, Hits, Memory, Question
from memforest.metrics.answers import text_scores
from memforest.metrics.scoring import shown_summary
from memforest.pipeline.stages import ANSWER, JUDGE

_AHEAD = 2
"""Questions in waiting per question at work, so that no worker idles while a unit's memories are being indexed."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A searched question, and the search that its answerer gets; None where it is not to be answered."""

    question: Question
    gold: Gold
    record: dict[str, Any]
    search: Search | None


class Answering:
    """An answerer and, where there is one, a judge. `failures_in_a_row` questions whose calls failed, one after the
    other, end the work: a server that is gone does not come back by asking it a thousand times."""

    def __init__(self, answerer: Answerer, judge: Judge | None, *, failures_in_a_row: int) -> None:
        self._answerer = answerer
        self._judge = judge
        self._failures_in_a_row = failures_in_a_row
        self._workers = workers(answerer, judge)

    def records(self, asked: Iterable[Asked]) -> Generator[dict[str, Any]]:
        """Complete records in the order of `asked`, several questions at work at once.

        When the consumer stops, or a question raises, questions in waiting are dropped and those at work finish.
        Raises CallsFailedError when too many in a row have failed in their calls.
        """
        failed = 0
        for record in self._in_order(asked):
            failed = failed + 1 if failed_calls([record]) else 0
            yield record
            if failed == self._failures_in_a_row:
                raise CallsFailedError(
                    f"{failed} questions in a row failed in their calls, the last one because: {_why(record)}. What "
                    "was answered is kept: when the server answers again, the same command goes on "
                    "(failures_in_a_row=N sets how many)"
                )

    def _in_order(self, asked: Iterable[Asked]) -> Generator[dict[str, Any]]:
        with ThreadPoolExecutor(self._workers) as pool:
            waiting: deque[Future[dict[str, Any]]] = deque()
            try:
                for item in asked:
                    waiting.append(pool.submit(self._complete, item))
                    while waiting and (waiting[0].done() or len(waiting) > _AHEAD * self._workers):
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _complete(self, asked: Asked) -> dict[str, Any]:
        if asked.search is None:
            return {**asked.record, "answer": {"outcome": "skipped"}}
        shown = _Shown(asked.search)
        answer = self._answerer.answer(question=asked.question, search=shown)
        record = {
            **asked.record,
            "answer": _answer_record(answer),
            "shown": shown.record(answer, asked),
            **text_scores(asked.question, asked.gold, answer),
        }
        if self._judge is not None:
            verdict = self._judge.judge(question=asked.question, gold=asked.gold, answer=answer)
            record["verdict"] = _verdict_record(verdict)
        return record


def workers(answerer: Answerer, judge: Judge | None) -> int:
    """How many questions are at work at once: a judge's calls do not keep the answerer's from being made."""
    return answerer.concurrency + (judge.concurrency if judge is not None else 0)


class _Shown:
    """A search that remembers what was searched for and found, and tells what of it an answerer passed on."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._texts: list[str] = []
        self._memories: dict[str, Memory] = {}
        self._hits: list[ShownNode] = []

    def __call__(self, text: str) -> Sequence[Hits]:
        found = self._search(text)
        self._texts.append(text)
        self._memories.update((hits.memory.id, hits.memory) for hits in found)
        self._hits += [(hits.memory.id, node.id) for hits in found for node in hits.nodes]
        return found

    def record(self, answer: Answer, asked: Asked) -> dict[str, Any]:
        """What was searched for, and what all that the model saw is worth; a node counts once, however often seen."""
        seen = set(self._hits if answer.shown is None else answer.shown)
        nodes = [
            (node, memory.clock)
            for memory in self._memories.values()
            for node in memory.nodes
            if (memory.id, node.id) in seen
        ]
        return {
            "searches": len(self._texts),
            "texts": self._texts,
            **shown_summary(asked.gold, nodes, known=asked.record),
        }


def failed_calls(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Failed calls that the same command makes again, by stage; only stages that have some."""
    failed = Counter[str]()
    for record in records:
        if record.get("answer", {}).get("outcome") == "failed":
            failed[ANSWER] += 1
        elif record.get("verdict", {}).get("retry"):
            failed[JUDGE] += 1
    return dict(failed)


def _why(record: Mapping[str, Any]) -> str:
    answer, verdict = record["answer"], record.get("verdict", {})
    if answer["outcome"] == "failed":
        return " ".join(part for part in (answer["error"], answer["detail"]) if part)
    return str(verdict["reason"])


def _answer_record(answer: Answer) -> dict[str, Any]:
    match answer:
        case Answered(text, reply, left_out):
            whole = {} if reply is None else {"reply": reply}
            return {"outcome": "answered", "text": text, **whole, "left_out": left_out}
        case Abstained(text, left_out):
            return {"outcome": "abstained", "text": text, "left_out": left_out}
        case Unanswered(reason):
            return {"outcome": "unanswered", "reason": reason}
        case Failed(stage, error, detail):
            return {"outcome": "failed", "stage": stage, "error": error, "detail": detail}


def _verdict_record(verdict: Verdict) -> dict[str, Any]:
    if isinstance(verdict, Unscored):
        return {"outcome": "unscored", "reason": verdict.reason, "retry": verdict.retry}
    name = "correct" if isinstance(verdict, Correct) else "incorrect"
    return {"outcome": name} | ({"votes": list(verdict.votes)} if verdict.votes else {})
