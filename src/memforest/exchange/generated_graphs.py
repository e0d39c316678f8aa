"""`memforest data generate-graphs`: generated videos as files, to be read as those of M3-Bench are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memforest.config.compose import compose, instantiate
from memforest.config.spec import parse_choice
from memforest.core.errors import ConfigError
from memforest.core.files import json_bytes, write_atomically
from memforest.core.protocols import LoadedDataset
from memforest.graphs.format import write_graph

ANNOTATIONS = "annotations.json"


def write_generated(folder: Path, *, settings: Sequence[str]) -> str:
    """Write graphs and annotations with the settings of `conf/dataset/m3_generated.yaml`, changed by `name=value`.

    Returns a sentence for the user. The annotations have M3-Bench's schema, which has no place for evidence: what reads
    them knows less than dataset=m3_generated. Raises ConfigError for an unknown setting or a folder with something in
    it.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty; name another folder, nothing in it is overwritten")
    raw = compose(["dataset=m3_generated", *(f"dataset.{setting}" for setting in settings)])
    data: LoadedDataset = instantiate(parse_choice("dataset", raw["dataset"])).load()
    for unit in data.units:
        if unit.graph is not None:
            write_graph(folder, unit.graph, {})
    write_atomically(folder / ANNOTATIONS, json_bytes(_annotations(data)))
    dataset = f"dataset=m3bench_{raw['dataset']['style']} dataset.path={folder / ANNOTATIONS}"
    return f"written: {folder}; use it: python run.py {dataset} backbone=m3_agent backbone.graph_dir={folder}"


def _annotations(data: LoadedDataset) -> dict[str, Any]:
    videos: dict[str, Any] = {unit.id: {"qa_list": []} for unit in data.units}
    for question, gold in zip(data.questions, data.golds, strict=True):
        moment: dict[str, Any] = {}
        if question.time is not None:
            minutes, seconds = divmod(int(question.time), 60)
            moment = {"timestamp": f"{minutes:02d}:{seconds:02d}", "before_clip": question.before_clip}
        videos[question.unit_id]["qa_list"].append(
            {
                "question": question.text,
                "answer": gold.answer,
                "question_id": question.id,
                "type": list(gold.categories),
                **moment,
            }
        )
    return videos
