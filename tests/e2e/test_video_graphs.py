"""Questions about videos through the front door: graphs from files or generated, broken and absent ones told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memforest.cli import main
from memforest.core.video import VideoGraph
from memforest.datasets.video_story import story
from memforest.graphs.format import write_graph
from tests.e2e.desk import Desk, Said
from tests.e2e.test_bad_input import refused
from tests.unit.datasets.m3bench_files import row, written
from tests.unit.graphs.videos import pickled

Typed = Callable[..., Said]
GENERATED = ("dataset=m3_generated", "dataset.videos=1", "dataset.clips=4", "backbone=m3_agent")


def graph(video: str) -> VideoGraph:
    return story(video=video, style="robot", clips=4, seed=0).graph


def asked_of(desk: Desk, *videos: str) -> str:
    rows = {video: [row(f"{video}_Q{clip}", before_clip=clip, timestamp=...) for clip in (-1, 1)] for video in videos}
    return f"dataset.path={written(desk.folder / 'robot.json', rows)}"


def results(desk: Desk, said: Said) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    folder = desk.folder / said.folder
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    return json.loads((folder / "metrics.json").read_bytes()), [json.loads(line) for line in lines]


def robot(desk: Desk, *videos: str) -> tuple[str, ...]:
    (desk.folder / "graphs").mkdir(exist_ok=True)
    return "dataset=m3bench_robot", asked_of(desk, *videos), "backbone=m3_agent", "backbone.graph_dir=graphs"


def test_a_broken_graph_and_absent_ones_keep_no_other_from_the_run(typed: Typed, desk: Desk) -> None:
    command = robot(desk, "good", "broken", *(f"absent{number}" for number in range(5)))
    write_graph(desk.folder / "graphs", graph("good"), {})
    (desk.folder / "graphs" / "broken.graph.json").write_text('{"schema": 1', "utf-8")
    said = typed(*command, "compressor=tome")
    assert (said.code, said.err) == (0, "")
    assert "not runnable: absent0, absent1, absent2 and 2 more, no graph of the video in backbone.graph_dir" in said.out
    assert "not runnable: broken, " in said.out
    metrics, records = results(desk, said)
    assert (metrics["questions"], metrics["not_runnable"]["questions"], metrics["memories"]) == (14, 12, 1)
    assert [record["outcome"] for record in records][:4] == ["searched", "searched", "not_runnable", "not_runnable"]


def test_what_is_wrong_with_graphs_is_a_notice_of_the_run(typed: Typed, desk: Desk) -> None:
    command = robot(desk, "good", "odd", "other")
    for video in ("good", "odd", "other"):
        path = write_graph(desk.folder / "graphs", graph(video), {})
        if video != "good":
            path.write_text(path.read_text("utf-8").replace('"edges": [\n', '"edges": [\n  [0,99999,1.0],\n'), "utf-8")
    said = typed(*command)
    notice = "edges to a node that is not there, left out: 1 (0-99999) in odd, 1 (0-99999) in other"
    assert f"notice: {notice}\n" in said.out
    assert notice in json.loads((desk.folder / said.folder / "run.json").read_bytes())["notices"]


def test_nothing_after_the_moment_of_asking_is_found(typed: Typed, desk: Desk) -> None:
    command = robot(desk, "good")
    made = graph("good")
    write_graph(desk.folder / "graphs", made, {})
    _, (nothing, early) = results(desk, typed(*command, "k=500"))
    clips = {str(node.id): node.clip for node in made.texts}
    assert nothing["hits"] == []
    assert {clips[hit[1]] for hit in early["hits"]} == {0, 1}


def test_a_question_counts_in_all_its_types(typed: Typed, desk: Desk) -> None:
    metrics, records = results(desk, typed(*GENERATED, "compressor=tome"))
    assert sum(metrics["questions_by_category"].values()) > metrics["questions"] == len(records)
    assert metrics["evidence_recall"] is not None


@pytest.mark.parametrize("compressor", ["memforest", "tome", "kmeans", "dart", "random_pruning"])
def test_every_kind_of_compressor_takes_a_graph(typed: Typed, desk: Desk, compressor: str) -> None:
    metrics, _ = results(desk, typed(*GENERATED, f"compressor={compressor}", "retriever=agpr"))
    assert metrics["nodes_after"] == max(1, round(0.5 * metrics["nodes_before"]))


def test_the_same_graphs_are_the_same_run_wherever_they_lie(typed: Typed, desk: Desk) -> None:
    command = robot(desk, "good")
    write_graph(desk.folder / "graphs", graph("good"), {})
    first = typed(*command).folder
    (desk.folder / "graphs").rename(desk.folder / "moved")
    (desk.folder / "graphs").mkdir()
    said = typed(*command, "backbone.graph_dir=moved")
    assert (said.folder, "finished, nothing to compute" in said.out) == (first, True)


def test_stored_vectors_need_the_model_that_made_them(typed: Typed, desk: Desk) -> None:
    command = (*robot(desk, "good"), "backbone.vectors=stored")
    made = graph("good")
    vectors = {node.id: np.random.default_rng(node.id).normal(size=(1, 256)).astype(np.float32) for node in made.texts}
    write_graph(desk.folder / "graphs", made, vectors)
    refused(typed(*command), "text-embedding-3-large", "backbone.vectors=embedder")
    assert typed(*command, "backbone.stored_model=hashing").code == 0


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (("dataset=m3_generated", "backbone=turns"), ("backbone=turns needs turns", "dataset=m3_generated")),
        (("dataset=sample", "backbone=m3_agent"), ("backbone=m3_agent needs video", "dataset=sample")),
        ((*GENERATED, "backbone.graph_dir=nowhere"), ("backbone.graph_dir=nowhere",)),
    ],
)
def test_what_does_not_fit_is_refused(typed: Typed, overrides: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(typed(*overrides), *words)


def test_without_any_graph_the_error_says_what_is_missing(typed: Typed, desk: Desk) -> None:
    refused(typed(*robot(desk, "a", "b")), "none of the 2 units", "no graph of the video")


def test_a_released_pickle_is_converted_and_asked(typed: Typed, desk: Desk) -> None:
    command = robot(desk, "kitchen")
    (desk.folder / "kitchen.pkl").write_bytes(pickled())
    main(["data", "convert-graph", "kitchen.pkl", "--out", "graphs"])
    metrics, records = results(desk, typed(*command, "k=20"))
    assert (metrics["nodes_before"], [len(record["hits"]) for record in records]) == (3, [0, 3])


def test_what_guessing_is_worth_stands_beside_the_answers(typed: Typed, desk: Desk) -> None:
    said = typed(*GENERATED, "answerer=abstain")
    metrics, _ = results(desk, said)
    assert metrics["answers"]["yes_no"]["questions"] == metrics["questions"]
    assert "always saying" in said.out


def test_guessing_is_judged_by_the_questions_that_were_asked(typed: Typed, desk: Desk) -> None:
    command = (*robot(desk, "good", "absent"), "answerer=abstain")
    write_graph(desk.folder / "graphs", graph("good"), {})
    rows = {
        "good": [row("good_Q1", answer="Yes."), row("good_Q2", answer="No.", type=["Cross-Modal Reasoning"])],
        "absent": [row("absent_Q1", answer="No.")],
    }
    written(desk.folder / "robot.json", rows)
    metrics, _ = results(desk, typed(*command))
    guessed = metrics["answers"]["yes_no"]
    assert (guessed["questions"], guessed["yes"], guessed["no"]) == (2, 1, 1)
    metrics, _ = results(desk, typed(*command, "skip_categories=['Cross-Modal Reasoning']"))
    guessed = metrics["answers"]["yes_no"]
    assert (guessed["questions"], guessed["yes"], guessed["no"]) == (1, 1, 0)
