"""The published files themselves, where they are: the accuracies that their authors and their index state."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memforest.exchange.published.benchmark import Name
from memforest.exchange.published.command import import_file

pytestmark = pytest.mark.slow

DATA = Path(os.environ.get("MEMFOREST_DATA", "data"))
QUESTIONS: dict[Name, Path] = {
    "locomo": DATA / "locomo" / "locomo10.json",
    "longmemeval": DATA / "longmemeval" / "longmemeval_s_questions_500.json",
}


@cache
def imported(dataset: Name, name: str) -> dict[str, Any]:
    file = DATA / dataset / "runs" / name
    if not file.is_file() or not QUESTIONS[dataset].is_file():
        pytest.skip(f"{file} is not there")
    return import_file(file, dataset=dataset, path=QUESTIONS[dataset], out=None, hypotheses=None, replace=False)


def two_decimals(found: dict[str, Any], *names: str) -> tuple[float, ...]:
    return tuple(round(found[name], 2) for name in names)


@pytest.mark.parametrize(
    ("name", "accuracies", "correct", "votes", "categories"),
    [
        ("fc_gpt-4.1-mini_cot", (92.66, 92.62), 1427, [92.597, 92.468, 92.792], [92.20, 86.29, 80.90, 96.51]),
        ("fc_gpt-4o-mini_memos", (74.35, 74.29), 1145, [74.221, 74.286, 74.351], [70.21, 51.09, 56.60, 86.52]),
        ("ap_v2_vague_scored", (62.73, 62.81), 966, [62.987, 62.468, 62.987], None),
        ("evermemos_judged", (92.53, 92.45), 1425, [92.273, 92.597, 92.468], None),
        ("mem0_platform_results", (45.13, 45.13), 695, [45.130], [34.75, 36.45, 36.46, 52.91]),
    ],
)
def test_published_accuracies_on_locomo_come_out_again(
    name: str, accuracies: tuple[float, ...], correct: int, votes: list[float], categories: list[float] | None
) -> None:
    found = imported("locomo", f"{name}.json.gz")
    assert (found["questions"], found["scored"], found["texts_compared"]) == (1540, 1540, 1540)
    assert found["not_in_file"] == {"adversarial": 446}
    assert two_decimals(found, "accuracy_majority", "accuracy_mean_of_votes") == accuracies
    assert found["majority_correct"] == correct
    assert [round(vote, 3) for vote in found["accuracy_by_vote"].values()] == votes
    by_category = [round(group["accuracy_mean_of_votes"], 2) for group in found["by_category"].values()]
    assert categories is None or by_category == categories
    assert [group["questions"] for group in found["by_category"].values()] == [282, 321, 96, 841]
    assert found["other_gold_answers"] == []


@pytest.mark.parametrize(
    ("name", "figures", "differing"),
    [
        ("fc_gpt-4.1-mini_cot", 16, []),
        ("fc_gpt-4o-mini_memos", 16, []),
        ("ap_v2_vague_scored", 3, [("correct", 967, 966)]),
    ],
)
def test_headers_are_compared(name: str, figures: int, differing: list[tuple[str, int, int]]) -> None:
    header = imported("locomo", f"{name}.json.gz")["header"]
    assert header["figures"] == figures
    assert [(item["figure"], item["stated"], item["measured"]) for item in header["differing"]] == differing


def test_mem0s_f1_and_bleu_come_out_again() -> None:
    stored = imported("locomo", "mem0_platform_results.json.gz")["stored_metrics"]
    assert {name: (round(item["stored"], 2), item["differing"]) for name, item in stored.items()} == {
        "f1_score": (34.68, 0),
        "bleu_score": (26.98, 0),
    }
    assert all(round(item["stored"] - item["recomputed"], 5) == 0 for item in stored.values())


def test_honchos_f1_comes_out_again() -> None:
    found = imported("locomo", "honcho_locomo10_qa.json.gz")
    stored = found["stored_metrics"]["honcho_f1"]
    assert (found["questions"], found["scored"], found["not_in_file"]) == (1986, 0, {})
    assert (round(stored["stored"], 2), stored["differing"], stored["recomputed_scored"]) == (34.13, 0, 1986)
    assert round(stored["by_category"]["adversarial"], 1) == 93.0


def test_mempalaces_recall_comes_out_again_but_for_evidence_that_names_no_turn() -> None:
    recall = imported("locomo", "mempalace_raw_session_top10.json.gz")["stored_metrics"]["recall"]
    assert (round(recall["stored"], 3), recall["scored"]) == (60.287, 1986)
    assert {name: round(value, 2) for name, value in recall["by_category"].items()} == {
        "multi-hop": 59.02,
        "temporal": 69.21,
        "open-domain": 46.04,
        "single-hop": 58.09,
        "adversarial": 61.88,
    }
    assert (recall["without_ours"], recall["stored_without_ours"], recall["differing"]) == (4, 100.0, 4)


@pytest.mark.parametrize(
    ("name", "accuracy", "types"),
    [
        ("llama31-8b_oracle_con", 60.8, [80.77, 45.11, 87.50, 43.33, 87.14, 43.61]),
        ("llama31-8b_rag_turn_k50", 52.8, [76.92, 39.10, 53.57, 30.00, 90.00, 37.59]),
    ],
)
def test_published_accuracies_on_longmemeval_come_out_again(name: str, accuracy: float, types: list[float]) -> None:
    found = imported("longmemeval", f"{name}.jsonl.gz")
    assert (found["questions"], found["scored"], found["abstention"]["questions"]) == (500, 500, 30)
    assert found["accuracy_majority"] == found["accuracy_mean_of_votes"] == accuracy
    assert [round(group["accuracy_majority"], 2) for group in found["by_category"].values()] == types
    assert [group["questions"] for group in found["by_category"].values()] == [78, 133, 56, 30, 70, 133]
    assert found["accuracy_task_averaged"] == pytest.approx(sum(types) / 6, abs=0.01)


def test_mempalaces_retrieval_log_comes_out_again() -> None:
    found = imported("longmemeval", "mempalace_llmrerank_20q.jsonl.gz")
    again = {name: item for name, item in found["stored_metrics"].items() if item["recomputed_as"]}
    assert (found["questions"], found["texts_compared"], len(again)) == (20, 20, 6)
    assert all(item["differing"] == 0 for item in again.values())


def test_two_judges_of_one_run_come_out_again() -> None:
    found = imported("longmemeval", "../../memforest_published/memforest_qwen3_30b_longmemeval_labels.csv")
    judges = {name: item["stored"] for name, item in found["stored_metrics"].items()}
    assert (found["questions"], judges) == (500, {"strict_label": 79.8, "public_label": 81.8})


def test_every_file_of_memory_arena_states_what_its_rows_give() -> None:
    folder = DATA / "longmemeval" / "runs" / "memory_arena"
    files = sorted(folder.glob("*_seed*.json"))
    if not files:
        pytest.skip(f"{folder} is not there")
    for file in files:
        found = imported("longmemeval", f"memory_arena/{file.name}")
        assert (found["scored"], found["header"]["differing"]) == (0, []), file.name
    for file in sorted(folder.glob("*_summary.json")):
        found = imported("longmemeval", f"memory_arena/{file.name}")
        assert found["header"]["differing"] == [], file.name
        assert all(seed["from_rows"] is not None for seed in found["seeds"]), file.name
