"""The chat-completions protocol: a request as the body that is sent, and a body that came back as a raw reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from memforest.core.chat import ChatRequest, Message
from memforest.core.digests import canonical_json
from memforest.core.types import Json
from memforest.llm.faults import CallError
from memforest.llm.settings import RoleSettings


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; `cached` are those of the input that the server served from its prompt cache."""

    input: int
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a server said: the text as it came, why it ended, and which model wrote it. `usage` None: not reported."""

    text: str
    finish_reason: str | None
    refusal: str | None
    model: str | None
    system_fingerprint: str | None
    usage: Usage | None


def body_of(settings: RoleSettings, request: ChatRequest) -> dict[str, Any]:
    """The JSON body of a request: nothing that is null, and `extra_body` last."""
    seed = None if settings.seed is None else settings.seed + request.sample
    body = {
        "model": settings.name,
        "messages": [
            {"role": message.author, "content": message.text} for message in spoken(request, settings.structured)
        ],
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        settings.max_tokens_name: settings.max_tokens,
        "seed": seed,
        "response_format": _response_format(request.schema, settings.structured),
    }
    return {key: value for key, value in body.items() if value is not None} | dict(settings.extra_body)


def spoken(request: ChatRequest, structured: str) -> tuple[Message, ...]:
    """The messages that are sent: where the server is not given the schema, the first message is followed by it."""
    if request.schema is None or structured == "json_schema":
        return request.messages
    wanted = f"\n\nReply with JSON only, which must satisfy this JSON schema:\n{canonical_json(request.schema)}"
    first = request.messages[0]
    return (Message(first.author, first.text + wanted), *request.messages[1:])


def is_strict(schema: Json) -> bool:
    """Whether a schema has the form that `strict` asks for: every object closed, and all its properties required."""
    if isinstance(schema, Mapping):
        if "properties" in schema or schema.get("type") == "object":
            properties = schema.get("properties")
            names = set(properties) if isinstance(properties, Mapping) else set()
            required = schema.get("required")
            if schema.get("additionalProperties") is not False or set(_texts(required)) != names:
                return False
        return all(is_strict(part) for part in schema.values())
    return not isinstance(schema, list | tuple) or all(is_strict(part) for part in schema)


def raw_reply(payload: Any) -> RawReply:
    """The reply in a parsed body. Raises CallError (server error) for one that is no chat completion."""
    try:
        choice = payload["choices"][0]
        message = choice["message"]
        return RawReply(
            text=_content(message.get("content")),
            finish_reason=choice.get("finish_reason"),
            refusal=message.get("refusal") or None,
            model=payload.get("model"),
            system_fingerprint=payload.get("system_fingerprint"),
            usage=_usage(payload.get("usage")),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise CallError("server error", f"what came back is no chat completion: {str(payload)[:200]}") from error


def _response_format(schema: Mapping[str, Json] | None, structured: str) -> dict[str, Any] | None:
    if schema is None or structured == "prompt":
        return None
    if structured == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": is_strict(schema)}}


def _texts(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _content(content: Any) -> str:
    """The text of a message; some servers send it in parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    return "" if content is None else str(content)


def _usage(usage: Any) -> Usage | None:
    """What a reply took; None where that is not told, or told in numbers that cannot be: the reply is as good."""
    if not isinstance(usage, Mapping):
        return None
    details = usage.get("prompt_tokens_details")
    told = details.get("cached_tokens") if isinstance(details, Mapping) else None
    # DeepSeek has a name of its own for what its prompt cache served.
    cached = told or usage.get("prompt_cache_hit_tokens") or 0
    read, written = usage.get("prompt_tokens"), usage.get("completion_tokens") or 0
    if not (_is_count(read) and _is_count(cached) and _is_count(written)):
        return None
    return Usage(input=read, cached=min(cached, read), output=written)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
