"""`memforest data convert-graph`: files of graphs into a folder that backbone=m3_agent reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from memforest.core.characters import characters_of
from memforest.core.errors import DataError
from memforest.core.video import GraphVectors, VideoGraph
from memforest.graphs.check import problems
from memforest.graphs.format import GRAPH, require_name, write_graph
from memforest.graphs.memory import told_graph
from memforest.graphs.read import read_graph, video_of
from memforest.graphs.repair import Found


def convert(files: Sequence[Path], *, out: Path, video: str | None, force: bool) -> Iterator[str]:
    """Convert each file and say what is in it; one that cannot be read does not keep the others from it.

    video: the name of the one file's video, else files' names begin with it; force: whether a graph that is there may
    be replaced. Raises DataError, at the end, where files were refused.
    """
    if video is not None and len(files) > 1:
        raise DataError("--video names the video of one file; convert the others without it")
    refused: list[str] = []
    runnable = False
    for file in files:
        try:
            path, found = _converted(file, out=out, video=video or video_of(file), force=force)
        except DataError as error:
            refused.append(str(error))
            continue
        yield from _told(file, path, found)
        runnable = runnable or bool(found.graph.remembered)
    if refused:
        raise DataError("\n".join(refused))
    if runnable:
        command = f"python run.py dataset=m3bench_web backbone=m3_agent backbone.graph_dir={out}"
        yield f"use them: {command}    # or dataset=m3bench_robot"


def _converted(file: Path, *, out: Path, video: str, force: bool) -> tuple[Path, Found]:
    target = out / (require_name(video) + GRAPH)
    if target.exists() and not force:
        raise DataError(f"{target} exists and is not overwritten; --force replaces it")
    found = read_graph(file, video=video)
    return write_graph(out, found.graph, found.vectors), found


def _told(file: Path, path: Path, found: Found) -> Iterator[str]:
    yield f"{file} -> {path}"
    yield from (f"  {line}" for line in contents(found.graph, found.vectors))
    yield from (f"  problem: {line}" for line in [*found.repairs, *problems(found.graph, found.vectors)])
    if not found.graph.remembered:
        yield "  not runnable: it has no text but equivalences"


def contents(graph: VideoGraph, vectors: GraphVectors) -> Iterator[str]:
    """What is in a graph: nodes by type, edges, clips, vectors, characters."""
    types = Counter(node.type for node in graph.nodes)
    equivalences = sum(node.is_equivalence for node in graph.texts)
    clips = {node.clip for node in graph.texts if node.clip is not None}
    yield (
        f"{len(graph.nodes):,} nodes: {types['episodic']:,} episodic, {types['semantic']:,} semantic "
        f"({equivalences:,} equivalences), {types['img']:,} faces, {types['voice']:,} voices; "
        f"{len(graph.edges):,} edges"
    )
    yield f"{len(clips):,} clips, the last of them {max(clips)}" if clips else "no clips: its texts have no times"
    rows = [rows for node in graph.texts if (rows := vectors.get(node.id)) is not None]
    length = f" of {rows[0].shape[1]:,} dimensions" if rows else ""
    yield f"{len(rows):,} of {len(graph.texts):,} texts with a vector{length}"
    ours = characters_of(told_graph(graph))
    stored = "none" if graph.characters is None else f"{len(graph.characters):,}"
    yield f"{len(ours):,} characters by its equivalences, {stored} in the file"
