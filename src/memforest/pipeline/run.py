"""Executing one run: build, compress, search, summarise; every step resumable, every result stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from memforest.config.compose import Components
from memforest.core.errors import ConfigError
from memforest.core.progress import Progress
from memforest.core.protocols import LoadedDataset
from memforest.core.types import Gold, Memory, Question
from memforest.embedding.cache import CachedEmbedder
from memforest.metrics.answers import summarise_answers
from memforest.metrics.early import EarlyKnowledge
from memforest.metrics.option_length import option_length
from memforest.metrics.references import NO_MEMORY, ORACLE, reference_records
from memforest.metrics.scoring import not_runnable
from memforest.metrics.summary import summarise
from memforest.metrics.yes_no import yes_no
from memforest.pipeline.answering import Answering, Asked, failed_calls, workers
from memforest.pipeline.clock import SearchClock, StageClock
from memforest.pipeline.compress_stage import CompressStage, failed_merges
from memforest.pipeline.contexts import Contexts
from memforest.pipeline.estimate import estimate_lines, unit_load
from memforest.pipeline.plan import Plan
from memforest.pipeline.search import UnitSearch, search_records
from memforest.pipeline.stages import BUILD, COMPRESS, SEARCH, UnitWork, stage_code
from memforest.store.artifacts import ArtifactStore
from memforest.store.code import library_versions
from memforest.store.memory_format import dump_memories, load_memories
from memforest.store.provenance import provenance
from memforest.store.runs import (
    COMPRESSION,
    LEDGER,
    METRICS,
    PROVENANCE,
    REFERENCES,
    TIMINGS,
    Attempt,
    RunStore,
    StoredRun,
)


def execute(
    plan: Plan, parts: Components, dataset: LoadedDataset, *, say: Callable[[str], None] = lambda line: None
) -> StoredRun:
    """Carry out a plan. Returns at once when the run is finished; continues one that was interrupted.

    `say` is told what calls of language models are expected, once memories are built and before any is compressed.
    """
    if plan.finished is not None:
        return plan.finished
    if not plan.runnable:
        reason = next(work.missing.reason for work in plan.works if work.missing is not None)
        raise ConfigError(
            f"backbone={plan.spec['backbone'].name} can build none of the {len(plan.works)} units, the first one "
            f"because: {reason}"
        )
    with threadpool_limits(limits=1, user_api="blas"):
        return _Execution(plan, parts, dataset, say).run()


class _Execution:
    """One attempt at a run."""

    def __init__(self, plan: Plan, parts: Components, dataset: LoadedDataset, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._say = say
        self._parts = parts
        self._dataset = dataset
        self._artifacts = ArtifactStore(plan.spec.outputs)
        self._embedder = CachedEmbedder(embedder=parts.embedder, folder=self._artifacts.vectors)
        self._compression = CompressStage(plan, parts, self._artifacts, self._embedder)
        self._clock = StageClock()
        self._searches = SearchClock()
        self._searched_questions = 0

    def run(self) -> StoredRun:
        """All stages in order."""
        plan = self._plan
        attempt = RunStore(plan.spec.outputs).start(plan.run_id, stages=plan.stages)
        try:
            self._build()
            self._announce()
            with self._parts.ledger.stage(COMPRESS):
                reports = self._compress()
            if self._compression.incomplete:
                attempt.begin_anew()
            with self._parts.ledger.stage(SEARCH):
                records = self._search(attempt)
        except BaseException:
            attempt.leave()
            raise
        finally:
            self._embedder.flush()
        with self._clock.stage("summary", computed=len(records)):
            self._write_results(attempt, records, reports)
        return attempt.publish(self._description(records, reports))

    def _build(self) -> None:
        missing = [work for work in self._plan.runnable if not self._artifacts.has(BUILD, work.keys[BUILD])]
        cached = len(self._plan.runnable) - len(missing)
        with (
            self._clock.stage(BUILD, computed=len(missing), cached=cached),
            Progress(BUILD, len(missing)) as progress,
        ):
            for work in missing:
                memories = self._parts.backbone.build(unit=work.unit, embedder=self._embedder)
                self._artifacts.save(BUILD, work.keys[BUILD], files=dump_memories(memories), inputs=work.inputs[BUILD])
                progress.advance(1)
            self._embedder.flush()

    def _announce(self) -> None:
        """Say what the calls to come will be, where a language model is asked."""
        spec, answerer = self._plan.spec, self._parts.answerer
        if not spec.roles:
            return
        loads = [
            unit_load(
                work.unit,
                self._built(work),
                merges=not self._artifacts.has(COMPRESS, work.keys[COMPRESS]),
                questions=sum(not self._skips(gold) for gold in work.golds),
            )
            for work in self._plan.runnable
        ]
        for line in estimate_lines(spec, loads, context=None if answerer is None else answerer.context):
            self._say(line)

    def _compress(self) -> list[dict[str, Any]]:
        """Reports of all memories, in order."""
        missing = len(self._compression.missing)
        with (
            self._clock.stage(COMPRESS, computed=missing, cached=len(self._plan.runnable) - missing) as facts,
            Progress(COMPRESS, None) as progress,
        ):
            facts.update(self._compression.run(progress=progress.advance))
        return self._compression.reports()

    def _search(self, attempt: Attempt) -> list[dict[str, Any]]:
        questions = [question.id for work in self._plan.works for question in work.questions]
        records = attempt.resume(questions, sound=lambda record: not failed_calls([record]))
        done = len(records)
        with (
            self._clock.stage(SEARCH, computed=len(questions) - done, cached=done),
            Progress(SEARCH, len(questions) - done) as progress,
        ):
            for record in attempt.append(self._new_records(skip=done)):
                records.append(record)
                progress.advance(1)
        return records

    def _new_records(self, *, skip: int) -> Iterator[dict[str, Any]]:
        """Records of all questions but the first `skip`."""
        asked = self._asked(skip)
        answerer = self._parts.answerer
        if answerer is None:
            return (item.record for item in asked)
        limit = self._plan.spec.failures_in_a_row
        return Answering(answerer, self._parts.judge, failures_in_a_row=limit).records(asked)

    def _asked(self, skip: int) -> Iterator[Asked]:
        """All questions but the first `skip`, searched, unit by unit."""
        for work in self._plan.works:
            passed = min(skip, len(work.questions))
            skip -= passed
            questions, golds = work.questions[passed:], work.golds[passed:]
            if not questions:
                continue
            if work.missing is not None:
                for question, gold in zip(questions, golds, strict=True):
                    record = not_runnable(question, gold, work.missing.reason, cluster=work.unit.cluster)
                    yield Asked(question, gold, record, None)
                continue
            yield from self._searched(work, questions, golds)

    def _searched(self, work: UnitWork, questions: Sequence[Question], golds: Sequence[Gold]) -> Iterator[Asked]:
        spec, answerer = self._plan.spec, self._parts.answerer
        memories = self._compression.memories(work)
        search = UnitSearch(
            memories,
            questions,
            retriever=self._parts.retriever,
            embedder=self._embedder,
            k=spec.k,
            clock=self._searches,
        )
        # A repeat makes the failed merges, and with them other memories: answers on these would be paid for twice.
        waits = self._compression.incomplete and not spec.answer_incomplete
        contexts = None if answerer is None else Contexts(answerer.context, work.unit, built=partial(self._built, work))
        records = search_records(
            memories,
            questions,
            golds,
            search=search,
            word_budgets=spec.word_budgets,
            cluster=work.unit.cluster,
            early=self._early(work, memories) if any(one.before_clip is not None for one in questions) else None,
        )
        for question, gold, (record, memory) in zip(questions, golds, records, strict=True):
            self._searched_questions += 1
            if contexts is None or waits or self._skips(gold):
                yield Asked(question, gold, record, None)
            else:
                yield Asked(question, gold, record, contexts.of(question, gold, memory=memory))

    def _skips(self, gold: Gold) -> bool:
        """Whether a question is searched and not answered, for its category."""
        return not set(gold.categories).isdisjoint(self._plan.spec.skip_categories)

    def _early(self, work: UnitWork, memories: Sequence[Memory]) -> EarlyKnowledge:
        return EarlyKnowledge(self._built(work), memories)

    def _built(self, work: UnitWork) -> list[Memory]:
        """A unit's memories before compression."""
        return load_memories(self._artifacts.load(BUILD, work.keys[BUILD]))

    def _write_results(
        self, attempt: Attempt, records: Sequence[dict[str, Any]], reports: Sequence[dict[str, Any]]
    ) -> None:
        spec = self._plan.spec
        summary = partial(summarise, categories=self._dataset.categories, word_budgets=spec.word_budgets)
        metrics = summary(records, reports, ratio=spec.effective_ratio)
        references = {kind: summary(self._reference(kind), [], ratio=0.0) for kind in (NO_MEMORY, ORACLE)}
        if self._parts.answerer is not None:
            metrics["answers"] = summarise_answers(
                records,
                categories=self._dataset.categories,
                judge=None if self._parts.judge is None else self._parts.judge.identity,
                context=self._parts.answerer.context,
            )
            guessed = yes_no([gold for work in self._plan.runnable for gold in work.golds if not self._skips(gold)])
            if guessed is not None:
                metrics["answers"]["yes_no"] = guessed
        if any(question.options for work in self._plan.runnable for question in work.questions):
            metrics["option_length"] = self._option_length()
        attempt.write(METRICS, metrics)
        attempt.write(REFERENCES, references)
        attempt.write(COMPRESSION, list(reports))
        attempt.write(PROVENANCE, provenance())
        attempt.write(TIMINGS, {"stages": self._clock.as_json(), "searches": self._search_times()})
        if spec.roles:
            attempt.write(LEDGER, self._parts.ledger.as_json())

    def _search_times(self) -> dict[str, Any]:
        answerer = self._parts.answerer
        # While some questions are answered, the next one is searched for.
        at_once = 1 if answerer is None else 1 + workers(answerer, self._parts.judge)
        return self._searches.as_json(questions=self._searched_questions, at_once=at_once)

    def _option_length(self) -> dict[str, Any]:
        """What the lengths of options give away, without memory and question."""
        asked = [
            (question, gold, work.unit.cluster or work.unit.id)
            for work in self._plan.runnable
            for question, gold in zip(work.questions, work.golds, strict=True)
        ]
        questions, golds, clusters = zip(*asked, strict=True)
        return option_length(questions, golds, clusters).as_json()

    def _reference(self, kind: str) -> list[dict[str, Any]]:
        budgets = self._plan.spec.word_budgets
        return [
            record
            for work in self._plan.runnable
            for record in reference_records(kind, work.unit, work.questions, work.golds, word_budgets=budgets)
        ]

    def _description(self, records: Sequence[dict[str, Any]], reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
        code = stage_code(self._plan.spec)
        return {
            "schema": 1,
            "id": self._plan.run_id,
            "settings": self._plan.spec.identity(),
            "data": self._plan.data,
            "scope": self._dataset.scope,
            "notices": list(self._dataset.notices),
            "keys": {work.unit.id: dict(work.keys) for work in self._plan.works},
            "code": {name: value for stage in code.values() for name, value in stage.items()},
            "libraries": library_versions(),
            "retryable_failures": {**failed_merges(reports), **failed_calls(records)},
        }
