"""Released pickles are read without running anything; what is no graph of plain values is refused."""

from __future__ import annotations

import builtins
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.graphs.check import problems
from memforest.graphs.pickles import read_pickle
from memforest.graphs.raw import shown
from memforest.graphs.read import read_graph, video_of
from memforest.graphs.repair import Found
from tests.unit.graphs.videos import EDGES, TEXTS, attributes, classes, nodes, pickled, vector, written

DATA = os.environ.get("MEMFOREST_DATA")
FOLDER = Path(DATA or ".") / "m3bench" / "video_graphs"
real = pytest.mark.skipif(not (DATA and FOLDER.is_dir()), reason="the real graphs are not there")


def read(folder: Path, content: bytes) -> Found:
    return read_graph(written(folder / "kitchen.pkl", content), video="kitchen")


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize(
    ("module", "nested"), [("videograph", True), ("mmagent.videograph", True), ("videograph", False)]
)
def test_a_graph_is_read_under_every_known_name(tmp_path: Path, module: str, nested: bool, protocol: int) -> None:
    if nested and protocol == 2:
        return  # Python writes a nested class with a call of getattr there, which is refused below.
    found = read(tmp_path, pickled(module=module, nested=nested, protocol=protocol))
    assert found.repairs == ()
    assert problems(found.graph, found.vectors) == []
    assert [(node.id, node.type, node.text, node.clip) for node in found.graph.texts] == [
        (id, kind, text, clip) for id, (kind, text, clip) in TEXTS.items()
    ]
    assert {edge[:2]: edge[2] for edge in found.graph.edges} == EDGES
    assert found.graph.parameters == {"max_img_embeddings": 10, "img_matching_threshold": 0.3, "next_node_id": 6}
    assert found.graph.characters == {"character_0": ("face_0", "voice_1")}
    assert found.graph.nodes[0].contents == ("aGk=", "aGk=")
    assert found.vectors[0].shape == (2, 3)
    assert found.vectors[4].tobytes() == np.array([vector(4)], dtype=np.float32).tobytes()


def test_the_early_generation_has_no_clips_and_none_are_invented(tmp_path: Path) -> None:
    early = nodes()
    for fields in early.values():
        fields["metadata"].pop("timestamp", None)
    names = ("text_nodes_by_clip", "event_sequence_by_clip", "character_mappings", "reverse_character_mappings")
    found = read(tmp_path, pickled(attributes(nodes=early, **dict.fromkeys(names, ...)), module="videograph"))
    assert {node.clip for node in found.graph.nodes} == {None}
    assert found.graph.characters is None
    assert problems(found.graph) == ["texts without a clip, which have no time: 4 (2, 3, 4, ...)"]


@pytest.mark.parametrize("place", ["on the node", "in the index"])
def test_a_clip_is_found_where_the_file_has_it(tmp_path: Path, place: str) -> None:
    moved = nodes()
    for fields in moved.values():
        clip = fields["metadata"].pop("timestamp", None)
        if place == "on the node":
            fields["timestamp"] = clip
    found = read(tmp_path, pickled(attributes(nodes=moved)))
    assert [node.clip for node in found.graph.texts] == [0, 0, 1, 1]


class Calling:
    """Pickled as a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> Any:
        return self._call


def hostile(folder: Path) -> dict[str, bytes]:
    """Pickles that would leave a file `touched`, each in its own way."""
    touched = folder / "touched"
    call = Calling(os.system, f"touch {touched}")
    within = nodes()
    within[2]["metadata"]["contents"] = [call]
    with classes("mmagent.videograph") as (graph, _):
        built = graph()
        built.__dict__.update(attributes(nodes={}, edges=Calling(Path.touch, touched)))
        by_build = pickle.dumps(built, protocol=4)
    return {
        "by reduce": pickle.dumps(call),
        "by reduce, early protocol": pickle.dumps(call, protocol=0),
        "by eval": pickle.dumps(Calling(builtins.eval, f"open({str(touched)!r}, 'w')")),
        "by a process": pickle.dumps(Calling(subprocess.Popen, ["touch", str(touched)])),
        "by build": by_build,
        "nested in a text": pickled(attributes(nodes=within)),
        "in the edges": pickled(attributes(edges={(0, Calling(os.system, f"touch {touched}")): 1.0})),
        "by global and no call": b"cos\nsystem\n.",
        "by a path through our class": b"\x80\x04\x8c\nvideograph\x8c\x1bVideoGraph.__init__.__class__\x93.",
        "by setstate": b"\x80\x04cos\nsystem\n}X\x0c\x00\x00\x00__setstate__cos\nsystem\nsbX\x05\x00\x00\x00touchb.",
        "by an extension": b"\x80\x02\x82\x01.",
        "by a persistent id": b"Pos.system\n.",
        "with arguments for our class": b"\x80\x04cvideograph\nVideoGraph\n(X\x01\x00\x00\x00at\x81.",
        "by writing into our class": b"cvideograph\nVideoGraph\n}X\x05\x00\x00\x00stateI1\nsb.",
    }


@pytest.mark.parametrize("way", hostile(Path("/tmp")))
def test_a_pickle_that_calls_anything_is_refused_without_side_effects(tmp_path: Path, way: str) -> None:
    path = written(tmp_path / "video.pkl", hostile(tmp_path)[way])
    with pytest.raises(DataError, match=r"video\.pkl"):
        read_pickle(path)
    assert list(tmp_path.iterdir()) == [path]


def test_the_hostile_pickles_do_what_they_say_where_nobody_refuses(tmp_path: Path) -> None:
    for way in ("by reduce", "nested in a text"):
        with classes("mmagent.videograph"):
            pickle.loads(hostile(tmp_path)[way])
        (tmp_path / "touched").unlink()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "ends too early"),
        (pickled()[:-40], "ends too early"),
        (pickled()[:90], "ends too early"),
        (b"no pickle at all", "nothing in it was run"),
        (pickle.dumps({"nodes": {}}), "holds no VideoGraph"),
        (pickle.dumps(np.zeros(3)), "numpy"),
        (pickled(module="other.videograph"), "other.videograph.VideoGraph"),
        (pickled(protocol=2), "getattr"),
        (pickled({"edges": {}}), "`nodes`"),
        (pickled(attributes(edges=...)), "`edges`"),
        (pickled(attributes(edges={(0, 1, 2): 1.0})), "pair of ids"),
        (pickled(attributes(edges={(0, 1): "heavy"})), "must be a number"),
        (pickled(attributes(nodes={0: {"id": 1, "type": "img"}})), "must be equal"),
        (pickled(attributes(nodes={"a": {"id": "a", "type": "img"}})), "whole number"),
        (pickled(attributes(nodes={0: {"id": 0}})), "type must be a text"),
        (pickled(attributes(nodes={0: {"id": 0, "type": "img", "embeddings": [["a"]]}})), "list of numbers"),
        (pickled(attributes(nodes={0: {"id": 0, "type": "img", "metadata": {"contents": [3]}}})), "must be a text"),
        (pickled(attributes(text_nodes=3)), "must be a list"),
        (pickled(attributes(text_nodes=[2**70])), "whole number"),
        (pickled(attributes(nodes={0: {"id": 0, "type": "img", "embeddings": [[10**400]]}})), "list of numbers"),
    ],
)
def test_what_is_no_graph_is_an_error_that_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read(tmp_path, content)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_a_few_bytes_that_ask_for_all_memory_are_refused(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(DataError, match="far more memory"):
        read(tmp_path, b"\x80\x02]r\xff\xff\xff\x3f.")
    assert resource.getrlimit(resource.RLIMIT_AS) == before


TUPLES_IN_TUPLES = {
    "shared, as a key": b"}K\x01" + b"\x85" + b"2\x86" * 60 + b"K\x01s.",
    "deep, as a key": b"}K\x01" + b"\x85" * 500_000 + b"K\x01s.",
    "deep, behind marks": b"}" + b"(" * 500_000 + b"K\x01" + b"t" * 500_000 + b"K\x01s.",
    "shared, by the memo": b"}K\x01\x85q\x00" + b"h\x00\x86q\x00" * 60 + b"K\x01s.",
    "in a set that can be a key": b"}(K\x01\x91K\x01s.",
}


@pytest.mark.parametrize("way", TUPLES_IN_TUPLES)
def test_tuples_that_cannot_be_hashed_are_refused_before_they_are_made(tmp_path: Path, way: str) -> None:
    # In another process, since what is not refused ends the interpreter or never ends.
    path = written(tmp_path / "video.pkl", b"\x80\x04" + TUPLES_IN_TUPLES[way])
    command = [sys.executable, "-m", "memforest.cli", "data", "convert-graph", str(path), "--out", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, "more than numbers and texts" in ended.stderr) == (1, True)
    assert "Traceback" not in ended.stderr


def nested(depth: int, *, times: int) -> list[Any]:
    """A list in a list, each `times` times in the next."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found] * times
    return found


UNPRINTABLE = {"shared": nested(200, times=2), "deep": nested(150, times=1), "large": 10**5000, "low": -(10**5000)}


@pytest.mark.parametrize("kind", UNPRINTABLE)
@pytest.mark.parametrize(
    "fields",
    [
        lambda value: {"text_nodes": [value]},
        lambda value: {"edges": {(0, 1): value}},
        lambda value: {"character_mappings": {"character_0": [value]}},
        lambda value: {"nodes": {0: {"id": 0, "type": value}}},
    ],
)
def test_a_value_that_cannot_be_printed_is_named_by_its_type(tmp_path: Path, fields: Any, kind: str) -> None:
    with pytest.raises(DataError, match=r"got \(?(list|int)"):
        read(tmp_path, pickled(attributes(**fields(UNPRINTABLE[kind]))))


def test_a_list_of_any_depth_is_shown_in_a_few_signs() -> None:
    assert shown(nested(100_000, times=1)) == "(list)"
    assert shown((3, "a" * 100)) == f"(3, '{'a' * 20}')"


def test_keys_that_cannot_be_printed_are_no_traceback(tmp_path: Path) -> None:
    for fields in ({"nodes": {10**5000: {"type": "img"}}}, {"edges": {(10**5000, 1): 1.0}}):
        with pytest.raises(DataError, match="whole number, got int"):
            read(tmp_path, pickled(attributes(**fields)))
    odd = nodes()
    odd[4]["metadata"][10**5000] = 1
    assert read(tmp_path, pickled(attributes(nodes=odd))).repairs == ("attributes of nodes that are not read: 1 (int)",)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_a_vector_that_is_repeated_for_ever_is_refused(tmp_path: Path) -> None:
    extended = nodes()
    extended[4]["embeddings"] = [[1.0] * 50_000] * 100_000
    with pytest.raises(DataError, match="far more memory"):
        read(tmp_path, pickled(attributes(nodes=extended)))


def test_what_a_file_says_is_printed_without_signs_for_the_terminal(tmp_path: Path) -> None:
    found = read(tmp_path, pickled(attributes(**{"\x1b[2J" + "a" * 100: "b"})))
    assert found.repairs == (f"attributes of the graph that are not read: 1 (?[2J{'a' * 56})",)
    with pytest.raises(DataError, match=r"'x\\x1b\[2J\.y'"):
        read(tmp_path, b"cx\x1b[2J\ny\n.")


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    extended = nodes()
    extended[4]["metadata"]["mood"] = "calm"
    found = read(tmp_path, pickled(attributes(nodes=extended, secret={"a": 1})))
    assert found.repairs == (
        "attributes of the graph that are not read: 1 (secret)",
        "attributes of nodes that are not read: 1 (mood)",
    )


WHOLE = pickled()


@given(place=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255))
def test_a_damaged_pickle_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, place: int, value: int) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    content = bytearray(WHOLE)
    content[place] = value
    try:
        read(folder, bytes(content))
    except DataError as error:
        assert "kitchen.pkl" in str(error)


@pytest.mark.parametrize(
    ("file", "video"),
    [
        ("kitchen_03.pkl", "kitchen_03"),
        ("GTI-x_B.sanitized.pkl", "GTI-x_B"),
        ("a_b_60_5_5_10_20_0.3_0.6_0.75.pkl", "a_b"),
        ("-x.graph.json", "-x"),
    ],
)
def test_a_file_is_named_after_its_video(file: str, video: str) -> None:
    assert video_of(Path(file)) == video


@real
def test_the_real_pickle_and_its_export_are_one_graph() -> None:
    video = "GTIjylkB-TI"
    first = read_graph(FOLDER / f"{video}.sanitized.pkl", video=video)
    second = read_graph(FOLDER / f"{video}.graph.json", video=video)
    assert first.graph.texts == second.graph.texts
    assert first.graph.edges == second.graph.edges
    assert first.graph.parameters == second.graph.parameters
    for node in first.graph.texts:
        assert first.vectors[node.id].tobytes() == second.vectors[node.id].tobytes()
    assert (first.repairs, len(second.repairs)) == ((), 1)


@real
@pytest.mark.parametrize(
    ("video", "counts", "edges", "unknown"),
    [
        ("GTIjylkB-TI", {"episodic": 64, "semantic": 24, "img": 4, "voice": 11}, 98, 0),
        ("UPk8fzT4t8o", {"episodic": 72, "semantic": 32, "img": 3, "voice": 12}, 129, 1),
        ("jvUX3ocBSCk", {"episodic": 66, "semantic": 27, "img": 9, "voice": 12}, 105, 10),
    ],
)
def test_real_graphs_hold_what_is_known_of_them(video: str, counts: dict[str, int], edges: int, unknown: int) -> None:
    found = read_graph(FOLDER / f"{video}.graph.json", video=video)
    types = [node.type for node in found.graph.nodes]
    assert {kind: types.count(kind) for kind in counts} == counts  # type: ignore[arg-type]
    assert len(found.graph.edges) == edges
    assert {rows.shape for rows in found.vectors.values()} == {(1, 3072)}
    told = [line for line in problems(found.graph) if line.startswith("tags that name no face or voice of the graph")]
    assert [line.split(": ")[1].split()[0] for line in told] == ([str(unknown)] if unknown else [])


def test_a_number_that_python_does_not_write_is_refused_like_any_other(tmp_path: Path) -> None:
    for change in ({"text_nodes": [10**5000]}, {"edges": {(0, 10**5000): 1.0}}, {"nodes": {10**5000: nodes()[0]}}):
        with pytest.raises(DataError, match="must be a whole number"):
            read(tmp_path, pickled(attributes(**change)))
