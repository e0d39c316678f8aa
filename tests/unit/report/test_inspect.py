"""Stored runs in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from memforest.core.errors import StoreError
from memforest.report.inspect import compare_lines, list_lines, show_lines, why_lines
from memforest.store.code import library_versions
from memforest.store.runs import RunStore
from tests.unit.report.stored import record, report, store_run


def row(lines: list[str], start: str) -> str:
    """The one line of a table that begins so."""
    (found,) = [line for line in "\n".join(lines).splitlines() if line.startswith(start)]
    return found


def test_the_list_tells_finished_stale_and_unfinished_runs_apart(tmp_path: Path) -> None:
    store_run(tmp_path, "fresh", [1.0])
    store_run(tmp_path, "old", [1.0], libraries=library_versions() | {"numpy": "0.1"})
    RunStore(tmp_path).start("begun", stages="s" * 64)
    lines = list_lines(RunStore(tmp_path))
    assert "finished" in row(lines, "fresh")
    assert "stale" in row(lines, "old")
    assert "unfinished, 0 questions" in row(lines, "begun")


def test_a_stale_run_shows_why(tmp_path: Path) -> None:
    run = store_run(tmp_path, "old", [1.0], code={"memforest.core.digests": "0"})
    assert "(stale, changed since are memforest.core.digests)" in show_lines(run)[0]
    assert "changed since are memforest.core.digests;" in why_lines(run)[-1]


def test_why_tells_cached_and_computed_of_each_stage_and_units_that_could_not_run(tmp_path: Path) -> None:
    lines = why_lines(store_run(tmp_path, "r", [1.0]))
    assert lines[1].split() == ["build", "2", "cached,", "1", "computed,", "1.5", "s"]
    assert "  u1: build k1" in lines
    assert "  u2: not runnable" in lines


def test_a_difference_is_paired_by_question(tmp_path: Path) -> None:
    base = store_run(tmp_path, "base", [0.0, 0.5, 1.0, 1.0], settings={"ratio": 0.1})
    other = store_run(tmp_path, "other", [0.5, 1.0, 1.0, 1.0], settings={"ratio": 0.2})
    assert row(compare_lines([base, other]), "tome 0.2").endswith("25.0 [0.0, 50.0]")
    assert row(compare_lines([other, base]), "tome 0.1").endswith("-25.0 [-50.0, 0.0]")


def test_the_first_row_has_no_difference_from_itself(tmp_path: Path) -> None:
    base = store_run(tmp_path, "base", [0.0, 1.0])
    assert "[" not in row(compare_lines([base]), "tome")


def test_seeds_become_one_row_with_mean_and_deviation(tmp_path: Path) -> None:
    runs = [
        store_run(tmp_path, f"s{seed}", [value, value], settings={"seed": seed}) for seed, value in ((0, 0.2), (1, 0.4))
    ]
    assert "30.0 ± 14.1" in row(compare_lines(runs), "tome 0.5 concat topk")


def test_runs_on_other_data_are_no_seeds_of_each_other(tmp_path: Path) -> None:
    runs = [store_run(tmp_path, name, [1.0], data=name) for name in ("a", "b")]
    assert "\n".join(compare_lines(runs)).count("tome 0.5") == 2


def test_rows_of_different_runs_have_different_names(tmp_path: Path) -> None:
    runs = [store_run(tmp_path, f"k{k}", [1.0], settings={"k": k}) for k in (5, 10)]
    names = [line.split("  ")[0] for line in "\n".join(compare_lines(runs)).splitlines()[2:]]
    assert len(set(names)) == 2


@pytest.mark.parametrize("names", [["q0"], ["q1", "q0"], ["q0", "q1", "q2"]])
def test_runs_with_other_questions_are_refused_by_name(tmp_path: Path, names: list[str]) -> None:
    base = store_run(tmp_path, "base", [1.0, 0.0])
    other = store_run(tmp_path, "other", [], records=[record(name, "u1", 1.0) for name in names])
    with pytest.raises(StoreError, match="other and base do not answer the same questions"):
        compare_lines([base, other])


def test_questions_without_a_value_do_not_count(tmp_path: Path) -> None:
    base = store_run(tmp_path, "base", [1.0, None, 0.0], settings={"ratio": 0.1})
    other = store_run(tmp_path, "other", [1.0, None, 1.0], settings={"ratio": 0.2})
    assert "50.0 [" in row(compare_lines([base, other]), "tome 0.2")


def test_a_markdown_table_can_be_asked_for(tmp_path: Path) -> None:
    (table,) = compare_lines([store_run(tmp_path, "r", [1.0])], as_markdown=True)
    assert table.splitlines()[1].startswith("| --- | ---: |")


def test_a_row_at_another_budget_is_named(tmp_path: Path) -> None:
    exact = store_run(tmp_path, "a", [1.0], settings={"ratio": 0.1})
    more = store_run(tmp_path, "b", [1.0], settings={"ratio": 0.2}, reports=[report(target=3, method_target=5)])
    assert len(compare_lines([exact])) == 1
    assert compare_lines([exact, more])[1].startswith("not the same budget: by its own rule")
