"""The one way to a model: settings of a role -> a chat."""

from __future__ import annotations

from pathlib import Path

from memforest.core.checks import require
from memforest.llm.cache import ReplyCache
from memforest.llm.client import ModelChat
from memforest.llm.gate import gate_of
from memforest.llm.ledger import Ledger
from memforest.llm.pace import AT_ONCE, Pace
from memforest.llm.prices import price_of
from memforest.llm.recording import Recording
from memforest.llm.settings import RoleSettings
from memforest.llm.transport import Transport


def open_chat(
    settings: RoleSettings,
    *,
    role: str,
    cache: Path,
    ledger: Ledger,
    stage: str | None = None,
    pace: Pace | None = None,
) -> ModelChat:
    """A chat in one role, with replies kept in the folder `cache` and everything counted in `ledger`.

    `stage` None: the ledger's own at the time of asking. Nothing is asked or loaded yet, but what can be known to be
    missing is: a setting, a key, a price where there is a budget. Raises ConfigError and StoreError.
    """
    settings.require_complete(role=role)
    replays = settings.provider == "replay"
    asks = not (replays or settings.replay_only)
    require(
        not asks or settings.budget is None or price_of(settings) is not None,
        f"llm.budget={settings.budget} cannot be kept: the price of {settings.name} is not known; name it in a file of "
        "your own with llm.prices, or leave the budget out",
    )
    pace = pace or (AT_ONCE if settings.provider == "scripted" else Pace())
    return ModelChat(
        settings=settings,
        role=role,
        stage=stage,
        transport=_transport(settings, role) if asks else None,
        gate=gate_of(settings, pace=pace),
        kept=Recording(Path(settings.recording)) if replays and settings.recording else ReplyCache(cache),
        ledger=ledger,
        pace=pace,
    )


def _transport(settings: RoleSettings, role: str) -> Transport:
    if settings.provider == "scripted":
        from memforest.llm.scripted import Scripted

        return Scripted(settings, role=role)
    if settings.provider == "vllm_engine":
        from memforest.llm.engine import Engine

        return Engine(settings)
    if settings.provider == "local":
        from memforest.llm.local import Local

        return Local(settings)
    from memforest.llm.http import Http

    return Http(settings)
