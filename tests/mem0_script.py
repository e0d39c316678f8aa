"""A model for Mem0's prompts that follows rules: what a user says is a fact, and some facts change or delete others."""

from __future__ import annotations

import ast
import json
import re

from memforest.core.types import Unit
from tests.builders import session, unit
from tests.openai_server import Messages

TIMES = (1_683_554_160.0, 1_684_936_800.0)
"""1:56 pm on 8 May, 2023 and 2:00 pm on 24 May, 2023."""

CHANGES = {
    "moved to Berlin": ("UPDATE", "Paris", "Ada moved from Paris to Berlin"),
    "sold the violin": ("DELETE", "violin", "violin"),
}
"""A new fact that holds the key changes the old one that holds the first text; `old_memory` is what it says then."""


def two_sessions() -> Unit:
    """A unit whose first speaker takes back in the second session what she said in the first."""
    first = ("I live in Paris", "I have a cat", "I play the violin", "I like tea")
    second = ("I moved to Berlin", "my cat is old", "I sold the violin", "see you")
    return unit([session(1, first, time=TIMES[0]), session(2, second, time=TIMES[1])], index=3)


def obedient(messages: Messages) -> str:
    """A well-formed reply to any prompt of mem0ai 1.x and 2.x."""
    prompt = messages[-1]["content"]
    if "## New Messages" in prompt:
        said = prompt.split("## New Messages\n")[1].split("\n\n##")[0]
        memory = [{"id": str(place), "text": fact, "attributed_to": "user"} for place, fact in enumerate(_facts(said))]
        return json.dumps({"memory": memory})
    if messages[0]["role"] == "system":
        return json.dumps({"facts": _facts(prompt)})
    return json.dumps({"memory": _decisions(prompt)})


def _facts(conversation: str) -> list[str]:
    return [line.removeprefix("user: ") for line in conversation.splitlines() if line.startswith("user: ")]


def _decisions(prompt: str) -> list[dict[str, str]]:
    blocks = [ast.literal_eval(block) for block in re.findall(r"```\n\s*(\[.*?\])\s*\n\s*```", prompt)]
    facts = blocks[-1]
    old = blocks[-2] if "current content of my memory" in prompt else []
    return [_decision(fact, old) for fact in facts]


def _decision(fact: str, old: list[dict[str, str]]) -> dict[str, str]:
    for key, (event, known, text) in CHANGES.items():
        for item in old:
            if key in fact and known in item["text"]:
                return {"id": item["id"], "text": text, "event": event, "old_memory": item["text"]}
    return {"id": "new", "text": fact, "event": "ADD"}
