"""Scripts that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.digests import canonical_json

ECHOED_WORDS = 40


def echo(role: str, request: ChatRequest) -> str:
    """The last words that were said; where JSON is asked for, the first value that the schema allows."""
    if request.schema is not None:
        return canonical_json(_first_value(request.schema))
    return " ".join(request.messages[-1].text.split()[-ECHOED_WORDS:]) or "nothing"


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
