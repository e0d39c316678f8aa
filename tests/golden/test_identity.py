"""Pinned identities: if one of these changes, stored runs and artifacts are no longer found, so it must be meant."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

from memforest.config.compose import components, compose_spec
from memforest.config.spec import run_id
from memforest.core.digests import canonical_json, digest
from memforest.core.types import Memory, MemoryNode, Segment
from memforest.pipeline.merged_nodes import merged_id
from memforest.pipeline.plan import backbone_inputs
from memforest.pipeline.stages import STAGES, unit_works
from memforest.store.memory_format import dump_memories

CHOICES = ("dataset=sample", "backbone=observations", "embedder=minilm", "compressor=memforest", "retriever=topk")


def test_canonical_json_and_its_hash() -> None:
    value = {"b": [1, 2.5, None, True], "a": "é"}
    assert canonical_json(value) == '{"a":"é","b":[1,2.5,null,true]}'
    assert digest(value) == "0c187fb652afca8017b5ef38178eeef09a9dfef844316f80ba4207cdf1995ee5"


def test_the_id_of_a_run() -> None:
    identity = compose_spec([*CHOICES, "ratio=0.5", "k=10", "seed=0"]).identity()
    assert run_id(identity, data="data") == "sample-observations-memforest-0.5-concat-topk-seed0-5f80adc464"


def test_the_id_of_a_run_without_compression() -> None:
    identity = compose_spec(["dataset=locomo", "compressor=none", "retriever=agpr"]).identity()
    assert run_id(identity, data="data") == "locomo-observations-none-agpr-4e54a7b1ee"


def test_what_the_identity_of_a_run_is_made_of() -> None:
    assert compose_spec([*CHOICES, "ratio=0.5", "k=10", "seed=0"]).identity() == {
        "dataset": {"name": "sample", "_target_": "memforest.datasets.sample.Sample"},
        "backbone": {"name": "observations", "_target_": "memforest.backbones.observations.Observations"},
        "embedder": {"name": "minilm", "_target_": "memforest.embedding.minilm.MiniLM", "max_tokens": 256},
        "compressor": {
            "name": "memforest",
            "_target_": "memforest.compressors.eventtree.method.EventTree",
            "partition": "union",
            "alpha": 0.05,
            "cluster_rounding": "floor",
            "kmeans_initialisation": "k-means++",
            "kmeans_starts": 1,
            "kmeans_iterations": 300,
            "kmeans_tolerance": 0.0001,
            "beta": 0.8,
            "window": 5,
            "window_unit": "rank",
            "exact_up_to": 10000,
            "eta": 0.99,
            "degree": "raw",
            "edge_rule": "max_tree",
            "quota": "largest_remainder",
            "tree_limit": 1000,
            "on_failure": "next_pair",
        },
        "merger": {"name": "concat", "_target_": "memforest.mergers.concat.Concat"},
        "reembedding": {"name": "text", "_target_": "memforest.reembedding.text.TextReembedding"},
        "retriever": {"name": "topk", "_target_": "memforest.retrieval.topk.TopK"},
        "ratio": 0.5,
        "seed": 0,
        "k": 10,
        "word_budgets": [150, 300, 600],
    }


def inputs(*overrides: str) -> dict[str, dict[str, Any]]:
    """What the stage keys of the first synthetic unit are made of."""
    spec = compose_spec(["dataset=synthetic", "dataset.units=1", "embedder=hashing", *overrides])
    parts = components(spec)
    dataset = parts.dataset.load()
    (work,) = unit_works(spec, dataset, backbone_inputs(parts, dataset))
    return {stage: dict(work.inputs[stage]) for stage in STAGES} | {"keys": dict(work.keys)}


def test_what_a_stage_key_is_made_of() -> None:
    made = inputs("compressor=tome")
    for stage in STAGES:
        assert list(made[stage]) == ["stage", "settings", "upstream", "code", "libraries"]
        assert made[stage]["stage"] == stage
        assert list(made[stage]["libraries"]) == ["numpy", "scipy", "scikit-learn", "onnxruntime"]
    for stage in ("build", "search"):
        assert made["keys"][stage] == digest(made[stage])[:32]
    assert sorted(made["build"]["upstream"]) == ["backbone_inputs", "unit"]
    assert made["compress"]["upstream"] == made["keys"]["build"]
    assert made["search"]["upstream"]["memory"] == made["keys"]["compress"]
    assert sorted(made["search"]["upstream"]) == ["memory", "questions"]


def test_the_first_half_of_a_compress_key_is_that_of_all_ratios() -> None:
    half, third = (inputs("compressor=tome", f"ratio={ratio}") for ratio in (0.5, 0.3))
    settings = {name: value for name, value in half["compress"]["settings"].items() if name != "ratio"}
    family = digest({**half["compress"], "settings": settings})[:16]
    assert half["keys"]["compress"] == family + digest(half["compress"])[:16]
    assert third["keys"]["compress"] == family + digest(third["compress"])[:16]
    other = inputs("compressor=tome", "merger=extractive")
    assert not other["keys"]["compress"].startswith(family)


def test_the_settings_of_each_stage() -> None:
    made = inputs("compressor=tome", "ratio=0.3", "seed=4")
    embedder = {"name": "hashing", "_target_": "memforest.embedding.hashing.Hashing", "buckets": 256}
    assert made["build"]["settings"] == {
        "backbone": {"name": "observations", "_target_": "memforest.backbones.observations.Observations"},
        "embedder": embedder,
    }
    assert made["compress"]["settings"] == {
        "compressor": {"name": "tome", "_target_": "memforest.compressors.tome.ToMe"},
        "merger": {"name": "concat", "_target_": "memforest.mergers.concat.Concat"},
        "reembedding": {"name": "text", "_target_": "memforest.reembedding.text.TextReembedding"},
        "embedder": embedder,
        "ratio": 0.3,
        "seed": None,
    }
    assert made["search"]["settings"] == {
        "retriever": {"name": "topk", "_target_": "memforest.retrieval.topk.TopK"},
        "embedder": embedder,
        "k": 10,
        "word_budgets": [150, 300, 600],
    }


def test_a_pruners_stage_knows_neither_merger_nor_embedder() -> None:
    settings = inputs("compressor=kmeans")["compress"]["settings"]
    assert (settings["merger"], settings["reembedding"], settings["embedder"]) == (None, None, None)
    assert settings["seed"] == 0


@pytest.mark.parametrize(
    ("members", "id"),
    [
        (("a", "b"), "merged-08bb6928ca551714"),
        (("b", "a"), "merged-08bb6928ca551714"),
        (("D1/o0", "D1/o1", "D2/o2"), "merged-f70d1031b5270924"),
    ],
)
def test_the_id_of_a_merged_node_is_that_of_the_set_of_its_members(members: tuple[str, ...], id: str) -> None:
    assert merged_id(members) == id


def tiny() -> list[Memory]:
    """A memory with everything that the format can hold, and an empty one."""
    nodes = (
        MemoryNode(
            id="n0",
            segments=(Segment("Ada flies a kite — “red”.", ("D1:1", "D1:2"), 1683554160.0),),
            vector=np.array([0.6, 0.8], dtype=np.float32),
            time=1683554160.0,
            members=("n0",),
            kind="observation",
            metadata={"speaker": "Ada"},
        ),
        MemoryNode(
            id=merged_id(("n1", "n2")),
            segments=(Segment("First.", ("D2:1",)), Segment("Second.", (), 0.5)),
            vector=np.array([1.0, 0.0], dtype=np.float32),
            time=None,
            members=("n1", "n2"),
            truncated=True,
        ),
    )
    return [
        Memory(id="u/Ada", nodes=nodes, source_level="turn"),
        Memory(id="u/Ben", nodes=(), source_level="session", clock="video"),
    ]


def test_the_bytes_of_a_memory() -> None:
    files = dump_memories(tiny())
    assert files["memories.jsonl"].decode() == TEXTS
    assert (
        hashlib.sha256(files["vectors.npy"]).hexdigest()
        == "4a94daeb245de516bb39faea8760ffbe4558b4c57c03cae1b1ec03cb31f66338"
    )


TEXTS = (
    '{"memory":"u/Ada","nodes":2,"source_level":"turn","clock":"calendar"}\n'
    '{"id":"n0","segments":[["Ada flies a kite — “red”.",["D1:1","D1:2"],1683554160.0]],"time":1683554160.0,'
    '"members":["n0"],"kind":"observation","truncated":false,"metadata":{"speaker":"Ada"}}\n'
    '{"id":"merged-6bec34f57b822fc8","segments":[["First.",["D2:1"],null],["Second.",[],0.5]],"time":null,'
    '"members":["n1","n2"],"kind":"memory","truncated":true,"metadata":{}}\n'
    '{"memory":"u/Ben","nodes":0,"source_level":"session","clock":"video"}\n'
)


def test_the_keys_of_metrics(tmp_path_factory: pytest.TempPathFactory) -> None:
    from memforest.pipeline.front import run_and_print

    outputs = tmp_path_factory.mktemp("golden")
    run = run_and_print(
        compose_spec(["dataset=synthetic", "dataset.units=1", "embedder=hashing", f"paths.outputs={outputs}"])
    )
    metrics = json.loads((run.folder / "metrics.json").read_bytes())
    assert list(metrics) == METRICS
    record = json.loads((run.folder / "questions.jsonl").read_text("utf-8").splitlines()[0])
    assert list(record) == RECORD


METRICS = [
    "schema",
    "questions",
    "scored",
    "not_runnable",
    "evidence_recall",
    "session_evidence_recall",
    "answer_token_recall",
    "intervals",
    "evidence_recall_by_category",
    "session_evidence_recall_by_category",
    "answer_token_recall_by_category",
    "questions_by_category",
    "evidence_recall_at_words",
    "session_evidence_recall_at_words",
    "answer_token_recall_at_words",
    "intervals_at_words",
    "context_words",
    "memories",
    "nodes_before",
    "nodes_after",
    "ratio_requested",
    "ratio_realised",
    "text_bytes_before",
    "text_bytes_after",
    "vector_bytes_before",
    "vector_bytes_after",
    "words_before",
    "words_after",
    "truncated_texts_before",
    "truncated_texts_after",
    "merges",
    "failed_merges",
    "retryable_failures",
    "stopped_memories",
    "shortfall",
    "beyond_m",
    "dropped_nodes",
    "dropped_segments",
]
RECORD = [
    "question",
    "unit",
    "cluster",
    "category",
    "answerable",
    "outcome",
    "nodes",
    "words",
    "evidence_recall",
    "session_evidence_recall",
    "answer_token_recall",
    "hits",
    "at_words",
]
