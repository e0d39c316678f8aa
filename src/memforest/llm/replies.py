"""From what a server said to a reply or a typed failure: nothing that is cut, empty or refused passes as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from memforest.core.chat import ChatFailed, ChatOutcome, ChatReply, ChatRequest, Message
from memforest.core.checks import is_unicode
from memforest.core.digests import canonical_json
from memforest.core.types import Json
from memforest.llm.completions import RawReply

_FENCED = re.compile(r"\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_OPEN, _CLOSE = "<think>", "</think>"


def checked(raw: RawReply, request: ChatRequest) -> ChatOutcome:
    """The reply to `request`, or why it is none."""
    text = _text_of(raw)
    if isinstance(text, ChatFailed):
        return text
    if request.schema is None:
        return ChatReply(text=text)
    return _checked_json(text, request.schema)


def _text_of(raw: RawReply) -> str | ChatFailed:
    """The text that the model wrote for others to read, without blanks around it."""
    if raw.refusal is not None or raw.finish_reason == "content_filter":
        return ChatFailed("reply refused", raw.refusal or "stopped by a content filter")
    if raw.finish_reason == "length":
        return ChatFailed("reply cut off", "the reply was longer than llm.max_tokens or the model's context")
    text = without_thinking(raw.text)
    if text is None:
        return ChatFailed("reply cut off", "the model's thinking never ends")
    text = text.strip()
    if not text:
        return ChatFailed("reply empty", "the reply holds no text")
    if not is_unicode(text):
        return ChatFailed("reply malformed", "it holds half of a character")
    return text


def without_thinking(text: str) -> str | None:
    """The text after the model's thinking; None where that never ends."""
    # Some templates begin the thinking in the prompt, so that only its end is in the reply.
    rest = text.rpartition(_CLOSE)[2]
    return None if rest.lstrip().startswith(_OPEN) else rest


def repair(request: ChatRequest, raw: RawReply, outcome: ChatOutcome) -> ChatRequest | None:
    """The question that shows the model its reply and what was wrong with it; None where nothing is to be mended."""
    if not isinstance(outcome, ChatFailed) or outcome.reason != "reply malformed" or not is_unicode(raw.text):
        return None
    wrong = f"That reply cannot be used: {outcome.detail}. Reply again, with the corrected JSON only."
    return ChatRequest(
        messages=(*request.messages, Message("assistant", raw.text), Message("user", wrong)),
        schema=request.schema,
        sample=request.sample,
    )


def _checked_json(text: str, schema: Mapping[str, Json]) -> ChatOutcome:
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return ChatFailed("reply malformed", f"it is no JSON ({error})")
    if not is_unicode(canonical_json(value)):
        return ChatFailed("reply malformed", "it holds half of a character")
    problem = _violation(value, schema)
    if problem is not None:
        return ChatFailed("reply malformed", problem)
    return ChatReply(text=text, value=value)


def _violation(value: Any, schema: Mapping[str, Json]) -> str | None:
    """How a value breaks its schema, at the place that says most; None where it does not."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(value))
    return None if error is None else f"at {error.json_path}, {error.message}"


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
