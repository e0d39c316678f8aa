"""How a question reaches a model, once: what every provider implements."""

from __future__ import annotations

from typing import Protocol

from memforest.core.chat import ChatRequest
from memforest.llm.completions import RawReply


class Transport(Protocol):
    """One model; thread-safe."""

    def send(self, *, request: ChatRequest) -> RawReply:
        """What the model said. Raises CallError, or MemforestError for what concerns all calls."""
