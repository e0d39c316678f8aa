"""`memforest data convert-graph`: what it writes, says, and refuses."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from memforest.cli import main
from memforest.graphs.read import read_graph
from tests.unit.graphs.test_pickles import Calling
from tests.unit.graphs.videos import TEXTS, attributes, nodes, pickled, written


def convert(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[Any, str, str]:
    code: Any = 0
    try:
        main(["data", "convert-graph", *map(str, arguments)])
    except SystemExit as ended:
        code = ended.code
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_pickle_becomes_a_graph_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "kitchen_1.pkl", pickled())
    code, out, err = convert(capsys, file, "--out", tmp_path / "graphs")
    assert (code, err) == (0, "")
    assert "6 nodes: 2 episodic, 2 semantic (1 equivalences), 1 faces, 1 voices; 5 edges" in out
    assert "2 clips, the last of them 1" in out
    assert "4 of 4 texts with a vector of 4 dimensions" in out
    assert "1 characters by its equivalences, 1 in the file" in out
    assert "problem" not in out
    assert f"backbone.graph_dir={tmp_path / 'graphs'}" in out
    found = read_graph(tmp_path / "graphs" / "kitchen_1.graph.json", video="kitchen_1")
    assert (len(found.graph.nodes), found.repairs) == (6, ())


def test_problems_are_printed_and_converting_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = nodes()
    broken[4]["embeddings"] = [[0.0]]
    file = written(tmp_path / "a.pkl", pickled(attributes(nodes=broken, edges={(0, 2): 1.0, (2, 77): 1.0})))
    code, out, _ = convert(capsys, file, "--out", tmp_path)
    assert code == 0
    for line in (
        "vectors of another length than most of their kind, left out: 1 (4 of 1)",
        "edges to a node that is not there, left out: 1 (2-77)",
        "edges that are stored in one direction only, kept: 1 (0-2)",
        "texts with a tag and no edge to what it names: 3 (3, 4, 5)",
        "texts without a vector: 1 (4)",
    ):
        assert f"  problem: {line}\n" in out


def test_what_is_refused_keeps_no_other_file_from_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    touched = tmp_path / "touched"
    hostile = written(tmp_path / "hostile.pkl", pickle.dumps(Calling(os.system, f"touch {touched}")))
    short = written(tmp_path / "short.pkl", pickled()[:500])
    good = written(tmp_path / "good.pkl", pickled())
    code, out, err = convert(capsys, hostile, short, tmp_path / "absent.pkl", good, "--out", tmp_path / "out")
    assert code == 1
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert all(name in err for name in ("hostile.pkl is refused", "short.pkl", "ends too early", "absent.pkl"))
    assert "good.graph.json" in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["good.graph.json", "good.vectors.npz"]
    assert not touched.exists()


def test_a_graph_that_is_there_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "a.pkl", pickled())
    convert(capsys, file, "--out", tmp_path)
    before = (tmp_path / "a.graph.json").read_bytes()
    written(file, pickled(attributes(edges={})))
    code, _, err = convert(capsys, file, "--out", tmp_path)
    assert (code, (tmp_path / "a.graph.json").read_bytes()) == (1, before)
    assert "--force" in err
    assert convert(capsys, file, "--out", tmp_path, "--force")[0] == 0
    assert json.loads((tmp_path / "a.graph.json").read_bytes())["edges"] == []


def test_a_video_can_be_named_and_only_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "a.pkl", pickled())
    assert convert(capsys, file, "--out", tmp_path, "--video", "kitchen")[0] == 0
    assert (tmp_path / "kitchen.graph.json").is_file()
    assert convert(capsys, file, file, "--out", tmp_path, "--video", "kitchen")[0] == 1
    assert convert(capsys, file, "--out", tmp_path, "--video", "../up")[0] == 1
    assert not (tmp_path.parent / "up.graph.json").exists()


def test_names_that_begin_like_an_option_are_converted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "-wz.pkl", pickled())
    assert convert(capsys, "./-wz.pkl", "--out", "a")[0] == 0
    assert convert(capsys, "--out", "b", "--", "-wz.pkl")[0] == 0
    assert convert(capsys, "./-wz.pkl", "--out", "c", "--video=-y")[0] == 0
    found = sorted(str(path) for path in Path().glob("?/*.json"))
    assert found == ["a/-wz.graph.json", "b/-wz.graph.json", "c/-y.graph.json"]


@pytest.mark.parametrize("kept", [[0, 1], [0, 1, 3]])
def test_a_graph_without_texts_is_said_not_to_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kept: list[int]
) -> None:
    assert "Equivalence" in TEXTS[3][1]
    few = {id: fields for id, fields in nodes().items() if id in kept}
    bare = written(tmp_path / "bare.pkl", pickled(attributes(nodes=few, edges={})))
    code, out, _ = convert(capsys, bare, "--out", tmp_path / "out")
    assert (code, "use them" in out) == (0, False)
    assert "  not runnable: it has no text but equivalences\n" in out
    good = written(tmp_path / "good.pkl", pickled())
    _, out, _ = convert(capsys, bare, good, "--out", tmp_path / "out", "--force")
    assert "use them: python run.py dataset=m3bench_web backbone=m3_agent" in out
    assert "# or dataset=m3bench_robot" in out


def test_an_exported_graph_is_converted_with_the_vectors_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [
        {"id": 0, "type": "voice", "n_contents": 1},
        {"id": 1, "type": "episodic", "contents": ["<speaker_0> sings."]},
    ]
    raw = {"video_id": "a", "params": {"next_node_id": 2}, "nodes": listed, "edges": [[0, 1, 1.0]], "text_nodes": [1]}
    file = written(tmp_path / "a.graph.json", json.dumps(raw).encode())
    code, out, _ = convert(capsys, file, "--out", tmp_path / "out")
    assert code == 0
    assert "there is no a.text_embeddings.npz beside it, so no text has a vector" in out
    assert "nodes whose contents or vectors the export left out: 1 (0)" in out
