"""Hydra's containers become plain data here, and plain data becomes components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memforest.config.folder import conf_folder
from memforest.config.overrides import check_overrides
from memforest.config.spec import Choice, RunSpec, parse_spec
from memforest.config.values import check_values
from memforest.core.errors import ConfigError, MemforestError
from memforest.core.protocols import Backbone, Compressor, Dataset, Embedder, Merger, Reembedding, Retriever


@dataclass(frozen=True, slots=True)
class Components:
    """The objects that a spec names. Heavy packages are loaded when they are used, not here."""

    dataset: Dataset
    backbone: Backbone
    embedder: Embedder
    compressor: Compressor
    merger: Merger
    reembedding: Reembedding
    retriever: Retriever


def compose(overrides: Sequence[str]) -> dict[str, Any]:
    """The composed configuration as plain data. Raises ConfigError for what does not exist."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    check_overrides(overrides)
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(conf_folder()), version_base="1.3"):
            composed = hydra_compose("config", overrides=list(overrides))
        raw = cast("dict[str, Any]", OmegaConf.to_container(composed, resolve=True))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"cannot compose {' '.join(overrides)}: {error}") from error
    check_values(raw)
    return raw


def compose_spec(overrides: Sequence[str]) -> RunSpec:
    """A checked spec from overrides, as `run.py` would make it."""
    return parse_spec(compose(overrides))


def plain(config: Any) -> Mapping[str, Any]:
    """A Hydra configuration as plain data. Raises ConfigError for values of a wrong kind."""
    from omegaconf import OmegaConf

    raw = cast("dict[str, Any]", OmegaConf.to_container(config, resolve=True))
    check_values(raw)
    return raw


def instantiate(choice: Choice) -> Any:
    """The component of a choice, its settings as keyword arguments. Raises ConfigError for what it refuses."""
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as hydra_instantiate

    try:
        return hydra_instantiate(dict(choice.settings), _convert_="all")
    except InstantiationException as error:
        if isinstance(error.__cause__, MemforestError):
            raise error.__cause__ from None
        raise ConfigError(f"{choice.group}={choice.name} cannot be made: {error}") from error


def components(spec: RunSpec) -> Components:
    """All components of a spec."""
    return Components(**{group: instantiate(choice) for group, choice in spec.choices.items()})
