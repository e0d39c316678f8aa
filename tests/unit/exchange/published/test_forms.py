"""Every known form of published file, and every trap of the real ones, on files made here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from memforest.core.errors import DataError
from memforest.exchange.published.benchmark import Name
from memforest.exchange.published.command import import_file
from memforest.exchange.published.layouts import LAYOUTS
from tests.builders import locomo_unit
from tests.unit.exchange.published.forms import FORMS, INDEX, LINES, LOCOMO, arena, dataset, form, write

Import = Callable[..., dict[str, Any]]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    def run(name: str, content: Any = ..., *, index: bool = False, lines: bool | None = None) -> dict[str, Any]:
        made = form(name) if content is ... else content
        file = write(tmp_path / f"{name}.json", made, lines=name in LINES if lines is None else lines)
        kind = FORMS[name][0]
        path = write(tmp_path / "index.json", INDEX) if index else dataset(tmp_path, kind)
        return import_file(file, dataset=cast(Name, kind), path=path, out=None, hypotheses=None, replace=False)

    return run


def refused(imported: Import, name: str, content: Any, *words: str) -> None:
    with pytest.raises(DataError) as caught:
        imported(name, content)
    assert [word for word in words if word not in str(caught.value)] == []


def test_every_known_form_has_an_example_here() -> None:
    assert {layout.name for layouts in LAYOUTS.values() for layout in layouts} == set(FORMS)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_known_by_its_content(imported: Import, name: str) -> None:
    assert imported(name)["file"]["layout"] == name


@pytest.mark.parametrize("name", ["audit", "evermemos"])
def test_three_votes_give_a_majority_and_a_mean(imported: Import, name: str) -> None:
    found = imported(name)
    assert (found["questions"], found["scored"], found["majority_correct"]) == (5, 5, 4)
    assert found["accuracy_majority"] == 80.0
    assert found["accuracy_mean_of_votes"] == pytest.approx(100 * 11 / 15, abs=1e-6)
    assert found["accuracy_by_vote"] == {"0": 80.0, "1": 80.0, "2": 60.0}
    assert found["not_in_file"] == {"adversarial": 2}


def test_categories_have_their_own_accuracies_and_numbers(imported: Import) -> None:
    groups = imported("audit")["by_category"]
    found = {name: (group["questions"], group["accuracy_majority"]) for name, group in groups.items()}
    assert found == {"multi-hop": (1, 100), "temporal": (1, 0), "open-domain": (1, 100), "single-hop": (2, 100)}
    assert list(found) == ["multi-hop", "temporal", "open-domain", "single-hop"]


def test_intervals_are_clustered_by_conversation(imported: Import) -> None:
    found = imported("evermemos")
    assert found["accuracy_majority_interval"] == [pytest.approx(200 / 3, abs=1e-6), 100.0]
    assert found["by_category"]["multi-hop"]["accuracy_majority_interval"] is None


def test_a_header_that_counts_otherwise_is_told_and_one_that_agrees_is_not(imported: Import) -> None:
    header = imported("audit")["header"]
    assert header["figures"] == 3
    assert [(item["figure"], item["stated"], item["measured"]) for item in header["differing"]] == [("correct", 5, 4)]


def test_a_headers_figures_by_vote_and_category_are_compared(imported: Import) -> None:
    content = form("audit")
    content["metadata"] = {
        "mean_accuracy": 11 / 15,
        "majority_vote_accuracy": 0.8,
        "run_scores": [0.8, 0.8, 0.7],
        "category_accuracies": {"4": {"mean": 1.0, "total": 2}, "2": {"mean": 0.5, "total": 1}, "9": {"mean": 1}},
    }
    header = imported("audit", content)["header"]
    assert header["figures"] == 3 + 2 + 3 + 4
    assert [item["measured_as"] for item in header["differing"]] == [
        "majority_correct",
        "accuracy_by_vote.2",
        "by_category.temporal.accuracy_mean_of_votes",
    ]


def test_ids_count_in_the_original_list_and_rows_without_ids_in_the_list_without_category_5(
    imported: Import, tmp_path: Path
) -> None:
    for name in ("audit", "evermemos", "mem0"):
        out = tmp_path / f"{name}.out.jsonl"
        file = write(tmp_path / "file.json", form(name))
        import_file(file, dataset="locomo", path=dataset(tmp_path, "locomo"), out=out, hypotheses=None, replace=False)
        ids = [line.split('"')[3] for line in out.read_text().splitlines()]
        assert sorted(ids) == ["conv-a/qa0", "conv-a/qa2", "conv-a/qa3", "conv-b/qa0", "conv-b/qa1"]


def test_mem0s_metrics_stand_beside_ours_of_the_same_definition(imported: Import) -> None:
    found = imported("mem0")
    assert found["accuracy_majority"] == found["accuracy_mean_of_votes"] == 80.0
    stored = found["stored_metrics"]
    assert (stored["f1_score"]["recomputed_as"], stored["bleu_score"]["recomputed_as"]) == ("set_f1", "bleu_1")
    assert stored["f1_score"]["stored"] == pytest.approx(66.666667)
    assert stored["f1_score"]["recomputed"] == found["metrics"]["set_f1"]["mean"]
    assert stored["f1_score"]["differing"] == 4


def test_locomos_own_form_holds_every_question_and_scores_category_5(imported: Import) -> None:
    found = imported("locomo_evaluator")
    assert (found["questions"], found["scored"], found["not_in_file"]) == (7, 0, {})
    assert found["accuracy_majority"] is found["accuracy_mean_of_votes"] is found["majority_correct"] is None
    assert found["by_category"]["adversarial"]["metrics"] == {
        "locomo_f1": {"mean": 50.0, "interval": [0.0, 100.0], "scored": 2}
    }
    assert found["metrics"]["set_f1"]["scored"] == 5
    assert found["stored_metrics"]["tool_f1"]["recomputed_as"] == "locomo_f1"
    assert found["other_gold_answers"] == []


def test_recall_is_recomputed_only_where_there_is_evidence(imported: Import) -> None:
    found = imported("session_retrieval")
    recall = found["stored_metrics"]["recall"]
    assert recall["stored"] == pytest.approx(100 * (1 + 6 * 0.5) / 7, abs=1e-6)
    assert (recall["scored"], recall["recomputed_scored"], recall["without_ours"]) == (7, 6, 1)
    assert recall["stored_without_ours"] == 100.0
    assert found["by_category"]["multi-hop"]["metrics"]["session_recall"]["mean"] == 50.0
    assert found["by_category"]["open-domain"]["metrics"]["session_recall"]["mean"] == 50.0
    assert "temporal" not in [name for name, group in found["by_category"].items() if group["metrics"]]


def test_an_evidence_id_that_names_no_turn_is_a_session_that_nothing_finds(imported: Import) -> None:
    content = form("session_retrieval")
    content[4]["retrieved_ids"] = ["session_1", "session_9"]
    assert imported("session_retrieval", content)["by_category"]["open-domain"]["metrics"]["session_recall"][
        "mean"
    ] == pytest.approx(50.0)


@pytest.mark.parametrize("index", [False, True])
def test_longmemeval_has_types_their_mean_and_abstention(imported: Import, index: bool) -> None:
    found = imported("hypotheses", index=index)
    assert found["accuracy_majority"] == pytest.approx(200 / 3, abs=1e-6)
    types = {name: group["accuracy_majority"] for name, group in found["by_category"].items()}
    assert types == {"multi-session": 100.0, "temporal-reasoning": 0.0}
    assert found["accuracy_task_averaged"] == 50.0
    assert (found["abstention"]["questions"], found["abstention"]["accuracy_majority"]) == (1, 100.0)
    assert found["metrics"]["set_f1"]["scored"] == 2
    assert found["texts_compared"] == 0


def test_one_line_is_a_jsonl_file_and_a_json_list_is_read_too(imported: Import) -> None:
    assert imported("hypotheses", form("hypotheses")[:1])["questions"] == 1
    assert imported("hypotheses", lines=False)["questions"] == 3


def test_answers_that_nobody_judged_have_no_accuracy(imported: Import) -> None:
    content = [{"question_id": row["question_id"], "hypothesis": row["hypothesis"]} for row in form("hypotheses")]
    found = imported("hypotheses", content)
    assert (found["scored"], found["accuracy_majority"], found["accuracy_task_averaged"]) == (0, None, None)
    assert found["metrics"]["set_f1"]["mean"] is not None


@pytest.mark.parametrize("index", [False, True])
def test_a_retrieval_log_is_recomputed_from_its_ranking(imported: Import, index: bool) -> None:
    stored = imported("retrieval_log", index=index)["stored_metrics"]
    assert stored["session_recall_any@1"] == stored["session_recall_any@1"] | {"recomputed": 0.0, "differing": 0}
    assert stored["session_recall_any@2"] == stored["session_recall_any@2"] | {"recomputed": 100.0, "differing": 0}
    assert stored["turn_recall_any@1"]["recomputed_as"] is stored["session_ndcg_any@2"]["recomputed_as"] is None


def test_two_judges_have_two_accuracies_and_no_majority(imported: Import) -> None:
    found = imported("labels")
    assert (found["scored"], found["accuracy_majority"]) == (0, None)
    judges = {name: (item["stored"], item["scored"]) for name, item in found["stored_metrics"].items()}
    assert judges == {"strict_label": (50.0, 2), "open_label": (pytest.approx(200 / 3, abs=1e-6), 3)}
    assert found["stored_metrics"]["strict_label"]["by_category"] == {"multi-session": 100.0, "temporal-reasoning": 0.0}


def test_a_judges_score_is_no_vote_and_a_failed_question_no_answer(imported: Import) -> None:
    found = imported("memory_arena")
    assert (found["scored"], found["answers"], found["accuracy_majority"]) == (0, 1, None)
    assert found["stored_metrics"]["judge_score"]["stored"] == 50.0
    assert found["stored_metrics"]["session_recall_at_k"]["recomputed"] == pytest.approx(25.0)
    assert found["header"] == {"figures": 3, "differing": []}


def summary_beside(folder: Path, scores: list[float], *, stated: list[float]) -> dict[str, Any]:
    for number, score in enumerate(scores):
        write(folder / f"run_seed{number}.json", arena(score=score))
    file = write(folder / "run_summary.json", {"accuracy": sum(stated) / len(stated), "accuracy_per_seed": stated})
    return import_file(
        file, dataset="longmemeval", path=dataset(folder, "longmemeval"), out=None, hypotheses=None, replace=False
    )


def test_a_summary_over_seeds_is_checked_against_the_seeds_beside_it(tmp_path: Path) -> None:
    found = summary_beside(tmp_path, [0.8, 0.4], stated=[0.5, 0.3])
    assert (found["judge_score"], found["header"]["differing"]) == (40.0, [])
    assert [seed["from_rows"] for seed in found["seeds"]] == [50.0, 30.0]


def test_a_summary_that_its_seeds_contradict_is_told(tmp_path: Path) -> None:
    differing = summary_beside(tmp_path, [0.8], stated=[0.6, 0.3])["header"]["differing"]
    assert differing == [{"figure": "run_seed0.json", "stated": 60.0, "measured": 50.0}]


def test_more_than_half_of_the_votes_are_needed_and_a_missing_vote_is_none(imported: Import) -> None:
    content = form("audit")
    rows = content["detailed_results"]["locomo_exp_user_0"]
    rows[0]["llm_judgments"] = {"judgment_2": False, "judgment_1": True}
    rows[1]["llm_judgments"] = {"judgment_1": None, "judgment_2": 1, "judgment_3": None}
    rows[2]["llm_judgments"] = {}
    found = imported("audit", content)
    assert (found["scored"], found["majority_correct"]) == (4, 3)
    assert found["accuracy_mean_of_votes"] == pytest.approx(100 * (0.5 + 1 + 2 / 3 + 1) / 4, abs=1e-6)
    assert found["accuracy_by_vote"] == {"0": 75.0}


def test_votes_stand_in_the_order_of_their_numbers(imported: Import) -> None:
    content = form("audit")
    for rows in content["detailed_results"].values():
        for row in rows:
            row["llm_judgments"] = {f"judgment_{number}": number == 10 for number in (10, *range(1, 10))}
    assert imported("audit", content)["accuracy_by_vote"]["9"] == 100.0


def test_another_gold_answer_is_told_and_the_datasets_is_used(imported: Import) -> None:
    content = form("mem0")
    content["1"][1]["answer"] = "a black dog"
    found = imported("mem0", content)
    (told,) = found["other_gold_answers"]
    assert "1[1]: 'a black dog', conv-b/qa1 in the dataset file: 'a brown dog'" in told
    assert found["metrics"] == imported("mem0")["metrics"]


def test_empty_answers_are_counted(imported: Import) -> None:
    content = form("evermemos")
    content["locomo_exp_user_1"][0]["answer"] = "  "
    assert imported("evermemos", content)["empty_answers"] == 1


def test_a_part_of_the_conversations_is_enough(imported: Import) -> None:
    content = form("evermemos")
    del content["locomo_exp_user_0"]
    found = imported("evermemos", content)
    assert (found["questions"], sum(found["not_in_file"].values())) == (2, 5)


def test_a_row_that_asks_something_else_is_refused_with_both_texts(imported: Import) -> None:
    content = form("mem0")
    content["0"][1]["question"] = "Which month?"
    refused(
        imported, "mem0", content, "mem0.json, 0[1]", "'Which month?'", "'Which year?'", "conv-a/qa2", "locomo.json"
    )


def test_rows_in_another_order_are_refused(imported: Import) -> None:
    content = form("evermemos")
    content["locomo_exp_user_1"].reverse()
    refused(imported, "evermemos", content, "locomo_exp_user_1[0]", "'Which dog?'", "'Would Ben?'", "another order")


def test_ids_of_the_filtered_list_are_refused(imported: Import) -> None:
    content = form("audit")
    for number, row in enumerate(content["detailed_results"]["locomo_exp_user_0"]):
        row["question_id"] = f"locomo_0_qa{number}"
    refused(imported, "audit", content, "'Which year?'", "'Which cat?'")


def test_an_id_of_another_conversation_is_refused(imported: Import) -> None:
    content = form("audit")
    content["detailed_results"]["locomo_exp_user_1"].append(content["detailed_results"]["locomo_exp_user_0"].pop())
    refused(imported, "audit", content, "locomo_exp_user_1[2]", "'locomo_0_qa3'", "of conv-b")


def test_equal_texts_of_another_category_are_refused(imported: Import) -> None:
    content = form("audit")
    content["detailed_results"]["locomo_exp_user_0"][0]["question_id"] = "locomo_0_qa3"
    refused(imported, "audit", content, "category 'multi-hop'", "'single-hop'", "conv-a/qa3")


def test_a_conversation_without_questions_keeps_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "locomo.json", [LOCOMO[0], locomo_unit(sample_id="conv-0", qa=[]), LOCOMO[1]])
    content = {"0": form("mem0")["0"], "2": form("mem0")["1"]}
    file = write(tmp_path / "f.json", content)
    found = import_file(file, dataset="locomo", path=path, out=None, hypotheses=None, replace=False)
    assert (found["questions"], found["texts_compared"]) == (5, 5)


def test_a_missing_row_is_refused_where_rows_have_no_ids(imported: Import) -> None:
    for name, key in (("evermemos", "locomo_exp_user_0"), ("mem0", "0")):
        content = form(name)
        del content[key][0]
        refused(imported, name, content, f"{key}: has 2 rows", "conv-a", "4 questions, 3 of them in categories 1 to 4")


def twice(content: Any, *path: Any) -> Any:
    rows = content
    for key in path:
        rows = rows[key]
    rows.append(rows[0])
    return content


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("audit", ("detailed_results", "locomo_exp_user_0"), ("'conv-a/qa0'", "locomo_exp_user_0[3]", "[0]")),
        ("hypotheses", (), ("'q1'", "line 4", "line 1")),
        ("retrieval_log", (), ("'q1'", "line 2", "line 1")),
        ("answers", (), ("'conv-a/qa0'", "line 3", "line 1")),
        ("memory_arena", ("recall_records",), ("'q1'", "recall_records[2]", "recall_records[0]")),
    ],
)
def test_a_question_that_comes_twice_is_refused(
    imported: Import, name: str, path: tuple[Any, ...], words: tuple[str, ...]
) -> None:
    refused(imported, name, twice(form(name), *path), *words)


def test_one_conversation_under_two_keys_is_refused(imported: Import) -> None:
    content = form("mem0")
    refused(imported, "mem0", {**content, "locomo_exp_user_1": content["1"]}, "'conv-b/qa0'", "was answered before")


def test_an_unknown_question_or_conversation_is_refused_by_name(imported: Import) -> None:
    refused(imported, "hypotheses", [{"question_id": "zz", "hypothesis": "x"}] * 2, "line 1", "'zz'", "--path")
    refused(imported, "evermemos", {"locomo_exp_user_7": form("evermemos")["locomo_exp_user_1"]}, "user_7", "0 to 1")
    content = form("locomo_evaluator")
    content[0]["sample_id"] = "conv-z"
    refused(imported, "locomo_evaluator", content, "record 0", "'conv-z'")


@pytest.mark.parametrize("answer", [None, True, ["x"], {}, "cut \ud83d"])
def test_what_is_no_text_is_no_answer(imported: Import, answer: Any) -> None:
    content = form("hypotheses")
    content[1]["hypothesis"] = answer
    refused(imported, "hypotheses", content, "hypotheses.json, line 2", "`hypothesis`")


def test_a_label_of_another_kind_is_refused(imported: Import) -> None:
    content = form("labels")
    content[1]["strict_label"] = "correct"
    refused(imported, "labels", content, "record 1", "`strict_label`", "CORRECT, WRONG or empty")


@pytest.mark.parametrize("vote", ["CORRECT", 2, 0.5, [], {}])
def test_what_is_no_verdict_is_refused(imported: Import, vote: Any) -> None:
    content = form("audit")
    content["detailed_results"]["locomo_exp_user_1"][0]["llm_judgments"]["judgment_2"] = vote
    refused(imported, "audit", content, "locomo_exp_user_1[0]", "true, false, 1, 0 or null")


def test_two_models_in_one_file_are_refused(imported: Import) -> None:
    content = form("locomo_evaluator")
    content[0]["qa"][0]["other_prediction"] = "x"
    refused(imported, "locomo_evaluator", content, "one `<model>_prediction`, got 2")


@pytest.mark.parametrize("content", [[], {}, "text", 5, None, [1], {"a": 1}, {"a": [{"b": 1}]}, [{"x": 1}]])
def test_an_unknown_form_lists_the_known_ones(imported: Import, content: Any) -> None:
    refused(imported, "mem0", content, "none of the forms known for locomo", "audit", "locomo_evaluator")
