"""`memforest.compress`: the methods as one function."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import memforest
from memforest.core.errors import ConfigError, DataError
from memforest.core.types import Memory, MemoryNode, target_count
from memforest.core.vectors import normalised
from memforest.embedding.hashing import Hashing
from tests.builders import WORDS, memory, node
from tests.graphs import graph_memory

TEXTS = [f"{WORDS[place % 10]} {WORDS[(place * 3 + 1) % 10]} {place}" for place in range(12)]
METHODS = ("random_pruning", "kmeans", "dart", "random_merging", "tome", "memforest")


def mapping(place: int, **rest: Any) -> dict[str, Any]:
    angle = place * 0.4
    return {"id": f"r{place}", "text": TEXTS[place], "embedding": [3 * np.cos(angle), 3 * np.sin(angle)]} | rest


def bare(place: int) -> dict[str, Any]:
    return {"id": f"r{place}", "text": TEXTS[place]}


def facts(made: Memory) -> list[object]:
    return [(item.id, item.text, item.sources, item.members, item.time, item.vector.tobytes()) for item in made.nodes]


@pytest.mark.parametrize("method", METHODS)
def test_texts_become_exactly_the_asked_number_of_memories(method: str) -> None:
    done = memforest.compress(TEXTS, method=method, ratio=0.5, embedder="hashing")
    assert len(done.memory) == target_count(count=12, ratio=0.5)


@pytest.mark.parametrize("method", METHODS)
def test_ratio_zero_is_the_identity(method: str) -> None:
    done = memforest.compress(TEXTS, method=method, ratio=0, embedder="hashing")
    assert [item.text for item in done.memory.nodes] == TEXTS


def test_texts_mappings_and_a_memory_give_the_same() -> None:
    texts = memforest.compress(TEXTS, method="tome", ratio=0.5, embedder="hashing")
    mappings = memforest.compress([{"text": text} for text in TEXTS], method="tome", ratio=0.5, embedder="hashing")
    nodes = [node(str(place), text) for place, text in enumerate(TEXTS, 1)]
    whole = memforest.compress(memory(nodes), method="tome", ratio=0.5, embedder="hashing")
    assert facts(texts.memory) == facts(mappings.memory) == facts(whole.memory)


@pytest.mark.parametrize("across", [None, False, True])
def test_nodes_of_two_kinds_merge_only_when_asked(across: bool | None) -> None:
    of = graph_memory(24)
    kind = {node.id: node.kind for node in of.nodes}
    done = memforest.compress(of, method="tome", ratio=0.9, merge_across_kinds=across)
    mixed = [node for node in done.memory.nodes if len({kind[member] for member in node.members}) > 1]
    assert bool(mixed) == bool(across)
    assert (len(done.memory), done.report["merge_across_kinds"]) == (2, bool(across))


def test_the_report_tells_of_kinds_only_where_they_could_merge() -> None:
    pruned = memforest.compress(graph_memory(24), method="kmeans", ratio=0.5)
    alike = memforest.compress(memory(24), method="tome", ratio=0.5)
    assert all("merge_across_kinds" not in done.report for done in (pruned, alike))


def test_a_memory_with_a_graph_keeps_it_and_can_be_thinned_by_it() -> None:
    done = memforest.compress(graph_memory(24), method="streammeco", ratio=0.5)
    assert done.memory.graph is not None
    assert len(done.memory) == 12
    with pytest.raises(ConfigError, match="method streammeco needs graph, which a list of memories does not have"):
        memforest.compress(TEXTS, method="streammeco", ratio=0.5)


def test_any_iterable_will_do() -> None:
    done = memforest.compress((text for text in TEXTS), method="tome", ratio=0.5, embedder="hashing")
    assert len(done.memory) == 6


def test_no_memories_stay_none() -> None:
    assert len(memforest.compress([], method="memforest", ratio=0.5, embedder="hashing").memory) == 0


def test_an_input_of_mappings_is_never_changed() -> None:
    given = [mapping(place, tags=["x"]) for place in range(6)]
    before = copy.deepcopy(given)
    memforest.compress(given, method="tome", ratio=0.5, merger="extractive", settings={"merger.max_words": 2})
    assert given == before


@pytest.mark.parametrize("embedder", [None, "hashing"])
def test_an_input_memory_is_never_changed(embedder: str | None) -> None:
    given = memory(12)
    before = facts(given)
    memforest.compress(given, method="memforest", ratio=0.7, embedder=embedder)
    assert facts(given) == before


def test_given_vectors_are_kept_and_merged_ones_are_the_normalised_mean_of_the_members() -> None:
    given = [mapping(place) for place in range(6)]
    done = memforest.compress(given, method="tome", ratio=0.5)
    vectors = {row["id"]: normalised(np.array(row["embedding"])) for row in given}
    assert any(len(item.members) > 1 for item in done.memory.nodes)
    for item in done.memory.nodes:
        mean = np.mean([vectors[member] for member in item.members], axis=0, dtype=np.float64)
        assert np.allclose(item.vector, normalised(np.asarray(mean)), atol=1e-7)


def test_given_vectors_can_be_interpolated_in_the_order_of_merging() -> None:
    given = [mapping(place) for place in range(2)]
    (merged,) = memforest.compress(
        given, method="tome", ratio=0.5, reembedding="interpolate", settings={"reembedding.weight": 0.9}
    ).memory.nodes
    older, newer = (normalised(np.array(row["embedding"])).astype(np.float64) for row in given)
    assert np.allclose(merged.vector, normalised(0.9 * older + 0.1 * newer), atol=1e-6)


@pytest.mark.parametrize("reembedding", [None, "text"])
def test_embedded_texts_are_embedded_again_when_they_merge(reembedding: str | None) -> None:
    done = memforest.compress(TEXTS, method="tome", ratio=0.5, embedder="hashing", reembedding=reembedding)
    expected = Hashing(buckets=256).embed(texts=[item.text for item in done.memory.nodes]).vectors
    assert np.array_equal(done.memory.matrix, expected)
    assert done.report["reembedding"] == {"name": "text", "_target_": "memforest.reembedding.text.TextReembedding"}


def test_embedded_texts_can_merge_into_means() -> None:
    done = memforest.compress(TEXTS, method="tome", ratio=0.5, embedder="hashing", reembedding="mean")
    single = dict(zip(TEXTS, Hashing(buckets=256).embed(texts=TEXTS).vectors, strict=True))
    for item in done.memory.nodes:
        mean = np.mean([single[segment.text] for segment in item.segments], axis=0, dtype=np.float64)
        assert np.allclose(item.vector, normalised(np.asarray(mean)), atol=1e-6)


def test_merged_texts_cannot_be_embedded_by_the_model_of_given_vectors() -> None:
    with pytest.raises(ConfigError, match=r"reembedding=text.*reembedding=mean.*--embedder minilm"):
        memforest.compress([mapping(place) for place in range(6)], method="tome", ratio=0.5, reembedding="text")


def test_a_report_names_the_vectors_and_how_merged_ones_were_made() -> None:
    given = [mapping(place) for place in range(6)]
    report: Any = memforest.compress(given, method="tome", ratio=0.5).report
    assert (report["vectors"], report["reembedding"]["name"]) == ("given", "mean")
    report = memforest.compress(given, method="dart", ratio=0.5).report
    assert (report["vectors"], report["reembedding"]) == ("given", None)


def test_opposite_vectors_stay_two_memories() -> None:
    given = [{"id": "a", "text": "a", "embedding": [1, 0]}, {"id": "b", "text": "b", "embedding": [-1, 0]}]
    done = memforest.compress(given, method="tome", ratio=0.5)
    assert done.report["failed_merges"] == {"opposite vectors": 1}
    assert [item.id for item in done.memory.nodes] == ["a", "b"]


def test_given_vectors_of_a_memory_decide_what_is_merged() -> None:
    near = [node("a", "violin", vector=[1, 0]), node("b", "harbour", vector=[0, 1])]
    near += [node("c", "ferry", vector=[1, 0.01]), node("d", "violin", vector=[-1, -1])]
    done = memforest.compress(memory(near), method="memforest", ratio=0.25)
    assert ("a", "c") in [item.members for item in done.memory.nodes]


def test_a_named_embedder_replaces_given_vectors() -> None:
    with_vectors = memforest.compress(
        [mapping(place) for place in range(6)], method="tome", ratio=0.5, embedder="hashing"
    )
    without = memforest.compress([bare(place) for place in range(6)], method="tome", ratio=0.5, embedder="hashing")
    assert facts(with_vectors.memory) == facts(without.memory)
    expected = Hashing(buckets=256).embed(texts=[item.text for item in with_vectors.memory.nodes]).vectors
    assert np.array_equal(with_vectors.memory.matrix, expected)


def test_vectors_on_some_memories_only_are_refused_with_the_way_out() -> None:
    with pytest.raises(DataError, match=r"memory 'r1' has no `embedding`.*--embedder minilm"):
        memforest.compress([mapping(0), bare(1)], method="tome", ratio=0.5)


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(DataError, match="embed all with one model"):
        memforest.compress([mapping(0), mapping(1, embedding=[1.0])], method="tome", ratio=0.5)


def merged_pair(*changes: dict[str, Any]) -> MemoryNode:
    given = [mapping(place, **change) for place, change in enumerate(changes)]
    (merged,) = memforest.compress(given, method="tome", ratio=0.5).memory.nodes
    return merged


def test_merged_memories_keep_the_metadata_on_which_all_agree() -> None:
    assert merged_pair({"user": "u", "mood": "glad"}, {"user": "u", "mood": "sad", "more": 1}).metadata == {"user": "u"}


def test_a_merged_memory_takes_the_later_time_and_its_texts_stand_in_time_order() -> None:
    merged = merged_pair({"time": "2023-05-09"}, {"time": "2023-05-08"})
    assert merged.text == f"{TEXTS[1]} {TEXTS[0]}"
    assert merged.time == 1683590400.0


def test_a_merged_memory_stands_for_all_members_and_sources() -> None:
    merged = merged_pair({"sources": ["s1", "s2"]}, {"sources": ["s2", "s3"]})
    assert set(merged.members) == {"r0", "r1"}
    assert set(merged.sources) == {"s1", "s2", "s3"}


@pytest.mark.parametrize("method", METHODS)
def test_the_same_call_gives_the_same_bytes(method: str) -> None:
    first, second = (memforest.compress(TEXTS, method=method, ratio=0.5, seed=3, embedder="hashing") for _ in range(2))
    assert facts(first.memory) == facts(second.memory)


def test_the_seed_counts_for_methods_with_randomness() -> None:
    kept = {
        tuple(
            item.id
            for item in memforest.compress(
                TEXTS, method="random", ratio=0.5, seed=seed, embedder="hashing"
            ).memory.nodes
        )
        for seed in range(5)
    }
    assert len(kept) > 1


def test_settings_reach_the_method_and_other_choices() -> None:
    done = memforest.compress(
        TEXTS,
        method="memforest",
        ratio=0.5,
        merger="extractive",
        embedder="hashing",
        settings={"alpha": 0.3, "merger.max_words": 3},
    )
    report: Any = done.report
    assert report["method"]["alpha"] == 0.3
    assert report["merger"]["max_words"] == 3
    assert report["dropped_segments"]


def test_what_a_lossy_merger_gave_up_is_listed_and_nothing_else_is_missing() -> None:
    done = memforest.compress(
        TEXTS, method="tome", ratio=0.5, merger="extractive", embedder="hashing", settings={"merger.max_words": 3}
    )
    report: Any = done.report
    gone = [segment["text"] for segments in report["dropped_segments"].values() for segment in segments]
    kept = [segment.text for item in done.memory.nodes for segment in item.segments]
    assert sorted([*gone, *kept]) == sorted(TEXTS)


def test_pruned_memories_are_listed() -> None:
    done = memforest.compress([bare(place) for place in range(12)], method="dart", ratio=0.5, embedder="hashing")
    report: Any = done.report
    kept = [item.id for item in done.memory.nodes]
    assert sorted([*report["dropped_nodes"], *kept]) == sorted(f"r{place}" for place in range(12))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"method": "memforst"}, "the compressor 'memforst' does not exist; did you mean memforest?"),
        ({"merger": "conact"}, "the merger 'conact' does not exist; did you mean concat?"),
        ({"embedder": "minlm"}, "the embedder 'minlm' does not exist; did you mean minilm?"),
        ({"settings": {"alhpa": 1}}, "'alhpa' does not exist; did you mean alpha?"),
        ({"ratio": 1.0}, r"ratio=1.0 is not in \[0, 1\)"),
        ({"ratio": float("nan")}, "ratio=nan is not in"),
        ({"ratio": "half"}, "ratio=half is not in"),
    ],
)
def test_what_does_not_exist_or_is_out_of_range_gets_one_clear_error(changes: dict[str, Any], complaint: str) -> None:
    arguments: dict[str, Any] = {"method": "memforest", "ratio": 0.5, "embedder": "hashing"} | changes
    with pytest.raises(ConfigError, match=complaint):
        memforest.compress(TEXTS, **arguments)


@pytest.mark.parametrize(
    "changes",
    [
        {"settings": {"alpha": "0.1,0.2"}},
        {"settings": {"alpha": "["}},
        {"settings": {"alpha": "abc"}},
        {"method": "memforest,tome"},
        {"seed": -1},
    ],
)
def test_a_value_that_means_nothing_is_a_configuration_error(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"method": "memforest", "ratio": 0.5, "embedder": "hashing"} | changes
    with pytest.raises(ConfigError):
        memforest.compress(TEXTS, **arguments)


def test_a_single_text_is_no_list_of_memories() -> None:
    with pytest.raises(DataError):
        memforest.compress("a red boat", method="memforest", ratio=0.5, embedder="hashing")


def test_embeddings_may_be_arrays() -> None:
    given = [mapping(place, embedding=np.eye(2, dtype=np.float32)[place]) for place in range(2)]
    assert len(memforest.compress(given, method="tome", ratio=0.5).memory) == 1
