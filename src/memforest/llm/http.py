"""`provider=openai` and `vllm`: any server of the chat-completions protocol, through the openai library."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.checks import require
from memforest.core.servers import retry_after
from memforest.llm.completions import RawReply, body_of, raw_reply
from memforest.llm.faults import CallError, status_fault
from memforest.llm.settings import RoleSettings

NO_KEY = "none"
"""What is sent to servers that want no key; the library insists on some text."""


class Http:
    """A server. Raises ConfigError at once where the environment lacks the key."""

    def __init__(self, settings: RoleSettings) -> None:
        assert settings.base_url is not None
        self._settings = settings
        self._client = _client(settings.base_url, key_of(settings), settings.timeout_seconds)

    def send(self, *, request: ChatRequest) -> RawReply:
        """One POST to /chat/completions, not streamed. Raises CallError."""
        import openai

        body = body_of(self._settings, request)
        model, messages = body.pop("model"), body.pop("messages")
        try:
            answered = self._client.chat.completions.with_raw_response.create(
                model=model, messages=messages, extra_body=body
            )
            content = answered.http_response.text
        except openai.APITimeoutError as error:
            limit = f"no reply within llm.timeout_seconds={self._settings.timeout_seconds:g}"
            raise CallError("timeout", limit) from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise CallError("connection lost", f"{self._settings.base_url}: {cause or type(cause).__name__}") from error
        except openai.APIStatusError as error:
            raise _status_fault(error) from error
        try:
            payload = json.loads(content)
        except ValueError as error:
            raise CallError("server error", f"what came back is no JSON: {content[:200]!r}") from error
        return raw_reply(payload)


def key_of(settings: RoleSettings) -> str:
    """The key that the environment holds. Raises ConfigError naming the variable where it holds none."""
    if settings.api_key_env is None:
        return NO_KEY
    key = os.environ.get(settings.api_key_env, "").strip()
    require(
        bool(key),
        f"the environment variable {settings.api_key_env} holds no key for {settings.name} at {settings.base_url}; "
        f"set it (export {settings.api_key_env}=...), or llm.api_key_env=null for a server that wants none",
    )
    return key


@cache
def _client(base_url: str, key: str, timeout: float) -> Any:
    import openai

    return openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=0)


def _status_fault(error: Any) -> CallError:
    body = error.body if isinstance(error.body, Mapping) else {}
    message = str(body.get("message") or error.message)
    code = body.get("code")
    return status_fault(
        error.status_code,
        message,
        code=str(code) if code else None,
        retry_after=retry_after(error.response.headers),
    )
