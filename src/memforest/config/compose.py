"""Hydra's containers become plain data here, and plain data becomes components."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memforest.compressors.within_kinds import WithinKinds
from memforest.config.folder import conf_folder, settings
from memforest.config.overrides import check_overrides, default_options
from memforest.config.spec import GROUPS, Choice, RunSpec, model_settings, parse_choice, parse_spec
from memforest.config.values import check_values
from memforest.core.chat import Chat
from memforest.core.errors import ConfigError, MemforestError
from memforest.core.protocols import (
    Answerer,
    Backbone,
    Compressor,
    Dataset,
    Embedder,
    Judge,
    Merger,
    Reembedding,
    Retriever,
)
from memforest.llm.ledger import Ledger, Purse
from memforest.llm.open import open_chat

_TARGET = "_target_"
"""The key of a component's class; a choice of nothing, and that of models, has none."""

PURSE = Purse()
"""Of this process: `llm.budget` holds for all its runs together, those of a sweep too."""


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
    answerer: Answerer | None
    judge: Judge | None
    ledger: Ledger


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


def compose_spec(overrides: Sequence[str], *, working: Collection[str] = GROUPS) -> RunSpec:
    """A checked spec from overrides, as `run.py` would make it; `working` as for `parse_spec`."""
    return parse_spec(compose(overrides), working=working)


def plain(config: Any) -> Mapping[str, Any]:
    """A Hydra configuration as plain data. Raises ConfigError for values of a wrong kind."""
    from omegaconf import OmegaConf

    raw = cast("dict[str, Any]", OmegaConf.to_container(config, resolve=True))
    check_values(raw)
    return raw


def instantiate(choice: Choice, **more: Any) -> Any:
    """The component of a choice, its settings and `more` as keyword arguments. Raises ConfigError for what it
    refuses."""
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as hydra_instantiate

    try:
        return hydra_instantiate(dict(choice.settings), _convert_="all", **more)
    except InstantiationException as error:
        if isinstance(error.__cause__, MemforestError):
            raise error.__cause__ from None
        raise ConfigError(f"{choice.group}={choice.name} cannot be made: {error}") from error


def components(spec: RunSpec) -> Components:
    """All components of a spec, with the models that they ask; all calls of one set are in one ledger."""
    ledger = Ledger(purse=PURSE)
    if not spec.merges:
        spec = spec.with_choices(merger=idle_merger())
    cache = reply_cache(spec["llm"], outputs=spec.outputs)
    made: dict[str, Any] = {
        group: instantiate(choice, **chats(choice, spec["llm"], cache=cache, ledger=ledger))
        for group, choice in spec.choices.items()
        if _TARGET in choice.settings
    }
    if spec.within_kinds:
        made["compressor"] = WithinKinds(compressor=made["compressor"])
    return Components(**{"answerer": None, "judge": None, **made}, ledger=ledger)


def idle_merger() -> Choice:
    """A merger that needs no model, for methods that merge nothing."""
    return parse_choice("merger", settings("merger", default_options()["merger"]))


def chats(choice: Choice, llm: Choice, *, cache: Path, ledger: Ledger) -> dict[str, Chat]:
    """The model that a choice asks, as its argument `chat`; nothing for one that asks none."""
    if not choice.roles:
        return {}
    (role,) = choice.roles
    return {"chat": open_chat(model_settings(llm, role), role=role, cache=cache, ledger=ledger)}


def reply_cache(llm: Choice, *, outputs: Path) -> Path:
    """The folder of kept replies: the setting, or one under the outputs."""
    folder = llm.settings["cache_folder"]
    if not isinstance(folder, str | None):
        raise ConfigError(f"llm.cache_folder={folder} must be the path of a folder or null")
    return outputs / "artifacts" / "replies" if folder is None else Path(folder)
