"""`memforest data generate`: a synthetic file for scaling studies, to be read with dataset=locomo dataset.path=FILE."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memforest.config.compose import compose, instantiate
from memforest.config.spec import parse_choice
from memforest.core.errors import ConfigError
from memforest.core.files import json_bytes, write_atomically


def write_synthetic(out: Path, *, settings: Sequence[str]) -> str:
    """Write the file with the settings of `conf/dataset/synthetic.yaml`, changed by `name=value`.

    Returns a sentence for the user. Raises ConfigError for an unknown setting, a count below 1, or an existing file.
    """
    if out.exists():
        raise ConfigError(f"{out} exists; name another file, it is not overwritten")
    raw = compose(["dataset=synthetic", *(f"dataset.{setting}" for setting in settings)])
    dataset = instantiate(parse_choice("dataset", raw["dataset"]))
    write_atomically(out, json_bytes(dataset.generate()))
    return f"written: {out}; use it: python run.py dataset=locomo dataset.path={out}"
