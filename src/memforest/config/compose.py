"""Hydra's containers become plain data here, and plain data becomes components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memforest.config.folder import conf_folder
from memforest.config.overrides import check_overrides
from memforest.config.spec import Choice, RunSpec, parse_spec
from memforest.core.protocols import Backbone, Compressor, Dataset, Embedder, Merger, Retriever


@dataclass(frozen=True, slots=True)
class Components:
    """The objects that a spec names. Heavy packages are loaded when they are used, not here."""

    dataset: Dataset
    backbone: Backbone
    embedder: Embedder
    compressor: Compressor
    merger: Merger
    retriever: Retriever


def compose(overrides: Sequence[str]) -> dict[str, Any]:
    """The composed configuration as plain data. Raises ConfigError for what does not exist."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from omegaconf import OmegaConf

    check_overrides(overrides)
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(conf_folder()), version_base="1.3"):
        composed = hydra_compose("config", overrides=list(overrides))
    return cast("dict[str, Any]", OmegaConf.to_container(composed, resolve=True))


def compose_spec(overrides: Sequence[str]) -> RunSpec:
    """A checked spec from overrides, as `run.py` would make it."""
    return parse_spec(compose(overrides))


def plain(config: Any) -> Mapping[str, Any]:
    """A Hydra configuration as plain data."""
    from omegaconf import OmegaConf

    return cast("Mapping[str, Any]", OmegaConf.to_container(config, resolve=True))


def instantiate(choice: Choice) -> Any:
    """The component of a choice, its settings as keyword arguments."""
    from hydra.utils import instantiate as hydra_instantiate

    return hydra_instantiate(dict(choice.settings), _convert_="all")


def components(spec: RunSpec) -> Components:
    """All components of a spec."""
    return Components(**{group: instantiate(choice) for group, choice in spec.choices.items()})
