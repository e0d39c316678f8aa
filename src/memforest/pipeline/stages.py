"""Stage keys: one artifact per stage and unit, keyed by everything that can change its content."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memforest.config.spec import RunSpec
from memforest.core.digests import digest
from memforest.core.protocols import LoadedDataset, NotRunnable
from memforest.core.types import Gold, Question, Unit
from memforest.store.code import code_of, library_versions

BUILD, COMPRESS, SEARCH, ANSWER, JUDGE = "build", "compress", "search", "answer", "judge"
STAGES = (BUILD, COMPRESS, SEARCH)
_EXECUTOR = "memforest.pipeline.compression"
_WITHIN_KINDS = "memforest.compressors.within_kinds"
_SEARCHER = "memforest.pipeline.search"
_SUMMARY = "memforest.metrics.summary"
_ANSWERING = ("memforest.pipeline.answering", "memforest.pipeline.contexts", "memforest.metrics.answers")
_CLIENT = "memforest.llm.open"
_KEY, _FAMILY = 32, 16


@dataclass(frozen=True, eq=False)
class UnitWork:
    """One unit with its questions and the keys and key inputs of its stages; no keys when it is not runnable."""

    unit: Unit
    questions: tuple[Question, ...]
    golds: tuple[Gold, ...]
    missing: NotRunnable | None
    keys: Mapping[str, str]
    inputs: Mapping[str, Mapping[str, Any]]


def data_digest(dataset: LoadedDataset, inputs: Sequence[str | NotRunnable]) -> str:
    """Hash of all data that a run reads: the dataset's file and what the backbone reads beside it."""
    return digest([dataset.digest, [item if isinstance(item, str) else None for item in inputs]])


def unit_works(spec: RunSpec, dataset: LoadedDataset, inputs: Sequence[str | NotRunnable]) -> list[UnitWork]:
    """The work of a run, unit by unit, in the dataset's order."""
    code = stage_code(spec)
    settings = _stage_settings(spec)
    return [
        _unit_work(unit, found, dataset, settings=settings, code=code)
        for unit, found in zip(dataset.units, inputs, strict=True)
    ]


@lru_cache(maxsize=4096)
def _content_digest(items: tuple[Unit | Question | Gold, ...]) -> str:
    """Hash of what units, questions and gold hold; remembered, since a run and its reference share them."""
    return digest([dataclasses.asdict(item) for item in items])


def stage_code(spec: RunSpec) -> dict[str, dict[str, str]]:
    """Source hashes per stage of the run, in order: the chosen modules, the one that runs them, and every module of
    ours that they import."""
    module = {
        group: choice.settings["_target_"].rsplit(".", 1)[0]
        for group, choice in spec.choices.items()
        if "_target_" in choice.settings
    }
    merging = [module["merger"], module["reembedding"], module["embedder"]] if spec.merges else []
    within = [_WITHIN_KINDS] if spec.within_kinds else []
    code = {
        BUILD: code_of([module["backbone"], module["embedder"]]),
        COMPRESS: code_of(
            [module["compressor"], _EXECUTOR, *within, *merging, *_clients(spec, "merger" if merging else None)]
        ),
        SEARCH: code_of([module["retriever"], module["embedder"], _SEARCHER, _SUMMARY]),
    }
    if spec.answers:
        code[ANSWER] = code_of([module["answerer"], *_ANSWERING, *_clients(spec, "answerer")])
    if spec.judges:
        code[JUDGE] = code_of([module["judge"], *_clients(spec, "judge")])
    return code


def _clients(spec: RunSpec, group: str | None) -> list[str]:
    """The module through which a choice asks language models, if it does."""
    return [_CLIENT] if group is not None and spec[group].roles else []


def _stage_settings(spec: RunSpec) -> dict[str, Any]:
    identity = spec.identity()
    return {
        BUILD: {"backbone": identity["backbone"], "embedder": identity["embedder"]},
        COMPRESS: {
            "compressor": identity["compressor"],
            "merger": identity["merger"],
            "reembedding": identity["reembedding"],
            "embedder": identity["embedder"] if spec.merges else None,
            "ratio": identity["ratio"],
            "seed": identity["seed"],
            **{name: identity[name] for name in ("merge_across_kinds",) if name in identity},
        },
        SEARCH: {
            "retriever": identity["retriever"],
            "embedder": identity["embedder"],
            "k": identity["k"],
            "word_budgets": identity["word_budgets"],
        },
        ANSWER: {name: identity.get(name) for name in ("answerer", "skip_categories")},
        JUDGE: {"judge": identity.get("judge")},
    }


def family_of(key: str) -> str:
    """What keys of the compress stage have in common that differ in nothing but the ratio: the first half."""
    return key[:_FAMILY]


def _key(inputs: Mapping[str, Any]) -> str:
    """A stage's key: a hash of its inputs, in the compress stage its first half a hash of all but the ratio."""
    if inputs["stage"] != COMPRESS:
        return digest(inputs)[:_KEY]
    settings = {name: value for name, value in inputs["settings"].items() if name != "ratio"}
    return digest({**inputs, "settings": settings})[:_FAMILY] + digest(inputs)[: _KEY - _FAMILY]


def _unit_work(
    unit: Unit,
    found: str | NotRunnable,
    dataset: LoadedDataset,
    *,
    settings: Mapping[str, Any],
    code: Mapping[str, Mapping[str, str]],
) -> UnitWork:
    mine = [(q, gold) for q, gold in zip(dataset.questions, dataset.golds, strict=True) if q.unit_id == unit.id]
    questions, golds = tuple(q for q, _ in mine), tuple(gold for _, gold in mine)
    if isinstance(found, NotRunnable):
        return UnitWork(unit, questions, golds, found, {}, {})
    upstream: Any = {"unit": _content_digest((unit,)), "backbone_inputs": found}
    keys: dict[str, str] = {}
    inputs: dict[str, Mapping[str, Any]] = {}
    for stage in code:
        if stage == SEARCH:
            upstream = {"memory": upstream, "questions": _content_digest((*questions, *golds))}
        inputs[stage] = {
            "stage": stage,
            "settings": settings[stage],
            "upstream": upstream,
            "code": code[stage],
            "libraries": library_versions(),
        }
        keys[stage] = upstream = _key(inputs[stage])
    return UnitWork(unit, questions, golds, None, keys, inputs)
