"""Prompts: files with places for data, and the fence that keeps data from being read as anything else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from string import Template

from memforest.core.chat import ChatRequest, Message
from memforest.core.types import Json

FENCE = "~"
"""What a line around data is made of."""
_SHORTEST_FENCE = 3
_RUNS = re.compile(rf"{FENCE}+")


class Prompt:
    """A text with places written as `$name`. `$fence` stands for the line that data is put between."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._template = Template(text)

    def filled(self, *, data: Mapping[str, str], plain: Mapping[str, str] | None = None) -> str:
        """The prompt with `data` between fences and `plain` as it is: the latter is never text that others wrote.

        All places are filled in one pass, so a `$name` inside data stays what it is. Raises KeyError for a place that
        is not filled.
        """
        fence = fence_around(data.values())
        fenced = {name: f"{fence}\n{text}\n{fence}" for name, text in data.items()}
        return self._template.substitute({**(plain or {}), **fenced, "fence": fence})

    def request(
        self,
        *,
        data: Mapping[str, str],
        plain: Mapping[str, str] | None = None,
        schema: Mapping[str, Json] | None = None,
        sample: int = 0,
    ) -> ChatRequest:
        """The filled prompt as one message of a user, which every model takes."""
        message = Message(author="user", text=self.filled(data=data, plain=plain))
        return ChatRequest(messages=(message,), schema=schema, sample=sample)


def fence_around(texts: Iterable[str]) -> str:
    """A run of tildes longer than any in the texts, so that none of them can close it."""
    longest = max((len(run) for text in texts for run in _RUNS.findall(text)), default=0)
    return FENCE * max(_SHORTEST_FENCE, longest + 1)


def one_line(text: str) -> str:
    """The text without line breaks, so that it cannot pass for two entries of a list."""
    return " ".join(text.split())


@cache
def load_prompt(room: str, name: str) -> Prompt:
    """The prompt `prompts/<name>.txt` of a room of ours, such as `judging`."""
    file = resources.files("memforest").joinpath(room, "prompts", f"{name}.txt")
    return Prompt(file.read_text(encoding="utf-8").rstrip("\n"))
