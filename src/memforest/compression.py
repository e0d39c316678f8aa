"""Compress a memory of one's own: the same methods as in the harness, as one function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from memforest.compressors.within_kinds import WithinKinds
from memforest.config.compose import chats, compose, idle_merger, instantiate, reply_cache
from memforest.config.folder import root_settings
from memforest.config.spec import GROUPS, Choice, parse_choice, ratio_problem, seed_problem
from memforest.core.errors import ConfigError, DataError
from memforest.core.progress import Progress
from memforest.core.protocols import Embedder, Merger
from memforest.core.types import Json, Memory, MemoryNode, Segment
from memforest.core.vectors import normalised
from memforest.embedding.given import GivenVectors
from memforest.exchange.records import MemoryRecord, parse_records
from memforest.llm.ledger import Ledger
from memforest.pipeline.compression import compress_memories

PROVIDED = ("text", "time")
"""What a list of memories offers to a method; a Memory can have a graph too."""


@dataclass(frozen=True, eq=False)
class Compressed:
    """A smaller memory and the report of what was merged, dropped and saved."""

    memory: Memory
    report: Mapping[str, Json]


def compress(
    memory: Memory | Iterable[MemoryRecord | Mapping[str, Any] | str],
    *,
    method: str,
    ratio: float,
    merger: str | None = None,
    reembedding: str | None = None,
    seed: int | None = None,
    embedder: str | None = None,
    settings: Mapping[str, Any] | None = None,
    ledger: Ledger | None = None,
    merge_across_kinds: bool | None = None,
) -> Compressed:
    """Remove the share `ratio` of a memory's nodes.

    memory: a Memory, or an iterable of texts, of records, or of mappings with `text` and optionally `id`, `time`,
    `sources`, `embedding`. method, merger, reembedding, embedder: option names of `conf/`; None takes the default
    there. settings: values of the method (`{"alpha": 0.1}`) or, with a dot, of another choice
    (`{"merger.max_words": 30}`); merger `llm` needs a model there (`{"llm": "gpt_4o_mini"}`, or `{"llm.base_url": URL,
    "llm.model": NAME}`), whose calls are counted in `ledger` and in the report; replies are kept in the outputs folder
    or in `llm.cache_folder`. merge_across_kinds: whether nodes of a Memory that differ in their kind may merge.

    Given vectors are used as they are, and merged nodes get the normalised mean of their members' unless `reembedding`
    names another way that embeds no text; when an embedder is named, or when there are no vectors, all texts are
    embedded. The input is never changed. Raises ConfigError and DataError.
    """
    seed = root_settings()["seed"] if seed is None else seed
    if problem := ratio_problem(ratio) or seed_problem(seed):
        raise ConfigError(problem)
    if isinstance(memory, Memory):
        own, given = memory, embedder is None
    else:
        records = _records(memory)
        given = embedder is None and any(record.embedding for record in records)
        own = memory_of(records, with_vectors=given)
    if given and reembedding == "text":
        raise ConfigError(
            "reembedding=text embeds merged texts, and the given vectors are of a model that is not here; take "
            "reembedding=mean, or name an embedder (--embedder minilm) to embed all texts anew"
        )
    named = {
        "compressor": method,
        "merger": merger,
        "reembedding": "mean" if given and reembedding is None else reembedding,
        "embedder": embedder,
    }
    raw = _composed(named, settings or {})
    choices = _choices((*named, "llm"), raw, has_graph=own.graph is not None)
    ledger = Ledger() if ledger is None else ledger
    merge = _merger(choices, ledger, outputs=Path(raw["paths"]["outputs"]))
    model: Embedder = GivenVectors(own) if given else instantiate(choices["embedder"])
    own = own if given else embedded(own, model)
    with ledger.stage("compress"):
        return _compressed(
            own,
            choices,
            merge,
            ratio=ratio,
            seed=seed,
            embedder=model,
            vectors="given" if given else choices["embedder"].name,
            calls=ledger,
            across_kinds=raw["merge_across_kinds"] if merge_across_kinds is None else merge_across_kinds,
        )


def memory_of(records: Sequence[MemoryRecord], *, with_vectors: bool) -> Memory:
    """Records as a memory, with the given vectors scaled to length 1, or with empty ones.

    Raises DataError when some records have a vector and others have none, or lengths differ.
    """
    lacking = [record.id for record in records if record.embedding is None]
    if with_vectors and lacking:
        raise DataError(
            f"memory {lacking[0]!r} has no `embedding` while others have one; give all or none, or name an embedder "
            "(--embedder minilm) to embed them all anew"
        )
    nodes = tuple(
        MemoryNode(
            id=record.id,
            segments=(Segment(record.text, record.sources, record.time),),
            vector=normalised(np.array(record.embedding if with_vectors else (), dtype=np.float64)),
            time=record.time,
            members=record.members,
            metadata=record.rest,
        )
        for record in records
    )
    return Memory(id="memory", nodes=nodes)


def embedded(memory: Memory, embedder: Embedder) -> Memory:
    """The memory with its texts embedded anew."""
    embedding = embedder.embed(texts=[node.text for node in memory.nodes])
    nodes = tuple(
        replace(node, vector=vector, truncated=bool(truncated))
        for node, vector, truncated in zip(memory.nodes, embedding.vectors, embedding.truncated, strict=True)
    )
    return replace(memory, nodes=nodes)


def _records(memory: Iterable[MemoryRecord | Mapping[str, Any] | str]) -> list[MemoryRecord]:
    if isinstance(memory, str | Mapping):
        raise DataError("one memory is no list of memories; give a list of texts or of mappings with `text`")
    items = list(memory)
    known = [item for item in items if isinstance(item, MemoryRecord)]
    if len(known) == len(items):
        return known
    return parse_records(enumerate(items, 1), where="memory", place="entry")


def _composed(named: Mapping[str, str | None], settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration with the named options, or the defaults, and their settings; checked as `run.py` checks it."""
    overrides = [f"{group}={option}" for group, option in named.items() if option is not None]
    overrides += [
        f"{key if '.' in key or key in GROUPS else 'compressor.' + key}={value}" for key, value in settings.items()
    ]
    return compose(overrides)


def _choices(groups: Iterable[str], raw: Mapping[str, Any], *, has_graph: bool) -> Mapping[str, Choice]:
    choices = {group: parse_choice(group, raw[group]) for group in groups}
    provided = (*PROVIDED, "graph") if has_graph else PROVIDED
    lacking = [need for need in choices["compressor"].needs if need not in provided]
    if lacking:
        raise ConfigError(
            f"method {choices['compressor'].name} needs {' and '.join(lacking)}, which a list of memories does not have"
        )
    return choices


def _merger(choices: Mapping[str, Choice], ledger: Ledger, *, outputs: Path) -> Merger:
    """The merger with the model that it asks."""
    chosen = choices["merger"] if "merger" in choices["compressor"].uses else idle_merger()
    cache = reply_cache(choices["llm"], outputs=outputs)
    return cast("Merger", instantiate(chosen, **chats(chosen, choices["llm"], cache=cache, ledger=ledger)))


def _compressed(
    memory: Memory,
    choices: Mapping[str, Choice],
    merger: Merger,
    *,
    ratio: float,
    seed: int,
    embedder: Embedder,
    vectors: str,
    calls: Ledger,
    across_kinds: bool,
) -> Compressed:
    compressor, uses = instantiate(choices["compressor"]), choices["compressor"].uses
    several_kinds = "merger" in uses and len({node.kind for node in memory.nodes}) > 1
    if several_kinds and not across_kinds:
        compressor = WithinKinds(compressor=compressor)
    with Progress("merge", None) as progress:
        (done,) = compress_memories(
            [memory],
            compressor=compressor,
            merger=merger,
            reembedding=instantiate(choices["reembedding"]),
            embedder=embedder,
            ratio=ratio,
            seed=seed,
            progress=progress.advance,
        )
    before, after = len(memory), len(done.memory)
    report = {
        "method": choices["compressor"].identity(),
        "merger": choices["merger"].identity() if "merger" in uses else None,
        "reembedding": choices["reembedding"].identity() if "merger" in uses else None,
        "ratio_requested": ratio,
        "ratio_realised": 1 - after / before if before else 0.0,
        "seed": seed if "seed" in uses else None,
        "vectors": vectors,
        **({"merge_across_kinds": across_kinds} if several_kinds else {}),
        **done.report,
        **({"calls": calls.as_json()} if "merger" in uses and choices["merger"].roles else {}),
    }
    return Compressed(memory=done.memory, report=report)
