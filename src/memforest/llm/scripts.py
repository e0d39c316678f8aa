"""Scripts that come with the package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.digests import canonical_json
from memforest.core.prompts import FENCE

ECHOED_WORDS = 40
_FORM = re.compile(r"^Action: (.+)\nContent: your ", re.MULTILINE)
"""How a turn of a search loop asks for its reply."""


def echo(role: str, request: ChatRequest) -> str:
    """The last words that were said; where JSON is asked for, the first value that the schema allows.

    A turn of a search loop that leaves the choice searches for the question, of at most as many words; the turn that
    does not answers with it.
    """
    if request.schema is not None:
        return canonical_json(_first_value(request.schema))
    said = request.messages[-1].text
    # What a search found comes before the form, and may look like it.
    forms = _FORM.findall(said) if role == "answer" else []
    if not forms:
        return _last_words(said)
    action = "Search" if "[Search]" in forms[-1] else "Answer"
    return f"Action: [{action}]\nContent: {_last_words(_last_fenced(request.messages[0].text))}"


def _last_words(text: str) -> str:
    return " ".join(text.split()[-ECHOED_WORDS:]) or "nothing"


def _last_fenced(text: str) -> str:
    """What stands in the fence that a text ends with; all of a text that ends otherwise."""
    fence = text[len(text.rstrip(FENCE)) :]
    return text.split(fence)[-2] if fence else text


def _first_value(schema: Mapping[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _first_value(part) for name, part in properties.items()}
    if kind == "array":
        return [_first_value(schema.get("items", {"type": "string"}))] * schema.get("minItems", 1)
    least = schema.get("minimum", 1)
    return {"string": "word", "integer": least, "number": least, "boolean": True, "null": None}[kind]
