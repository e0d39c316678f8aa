"""What passes as a reply: thinking, fences, JSON and schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.chat import ChatFailed, ChatReply
from memforest.llm.completions import RawReply, Usage, is_strict, raw_reply
from memforest.llm.replies import checked, without_thinking
from tests.unit.llm.support import YES_OR_NO, ask


def raw(text: str, *, finish_reason: str | None = "stop") -> RawReply:
    return RawReply(text, finish_reason, None, None, None, None)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("\n<think>\na\n</think>\n\nb", "\n\nb"),
        ("its beginning is in the prompt</think>b", "b"),
        ("<think>a</think><think>b</think>c", "c"),
        ("<think>never ends", None),
        ("<think>a</think> <think>again", None),
        ("the tag <think> in a sentence", "the tag <think> in a sentence"),
        ("", ""),
    ],
)
def test_thinking_is_taken_out(text: str, left: str | None) -> None:
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    "fence", ["{}", "```json\n{}\n```", "```\n{}\n```", "  ```JSON\n{}\n  ```\n", "```json\n{}```"]
)
def test_json_may_stand_in_a_fence(fence: str) -> None:
    text = fence.replace("{}", '{"label": "YES"}')
    outcome = checked(raw(text), ask(schema=YES_OR_NO))
    assert isinstance(outcome, ChatReply) and outcome.value == {"label": "YES"}


@pytest.mark.parametrize(
    "text",
    [
        'Sure: {"label": "YES"}',
        '{"label": "YES"',
        '{"label": "MAYBE"}',
        '{"label": "YES", "why": "so"}',
        "{}",
        '["YES"]',
        '{"label": NaN}',
        "[" * 100_000,
    ],
)
def test_what_is_not_json_of_the_schema_is_malformed(text: str) -> None:
    outcome = checked(raw(text), ask(schema=YES_OR_NO))
    assert isinstance(outcome, ChatFailed) and outcome.reason == "reply malformed"


@pytest.mark.parametrize("text", ["half an emoji \ud83d", '{"label": "\\ud83d"}'])
def test_text_that_cannot_be_written_down_is_malformed(text: str) -> None:
    outcome = checked(raw(text), ask(schema={} if text.startswith("{") else None))
    assert isinstance(outcome, ChatFailed) and outcome.reason == "reply malformed"


def test_a_cut_reply_is_a_failure_even_when_its_text_looks_whole() -> None:
    outcome = checked(raw('{"label": "YES"}', finish_reason="length"), ask(schema=YES_OR_NO))
    assert isinstance(outcome, ChatFailed) and outcome.reason == "reply cut off"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_any_json_is_read_as_it_is(value: Any) -> None:
    outcome = checked(raw(json.dumps(value)), ask(schema={}))
    assert isinstance(outcome, ChatReply) and outcome.value == value


@given(st.text())
def test_text_without_a_schema_passes_as_it_is_or_fails_by_name(text: str) -> None:
    outcome = checked(raw(text), ask())
    if isinstance(outcome, ChatReply):
        assert outcome.text and outcome.text == outcome.text.strip() and outcome.text in text
    else:
        assert outcome.reason in ("reply empty", "reply cut off")


CLOSED = {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (YES_OR_NO, True),
        (CLOSED, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({"type": "object"}, False),
        ({"type": "array", "items": CLOSED}, True),
        ({"type": "array", "items": {"type": "object", "properties": {}}}, False),
        ({"anyOf": [CLOSED, {"type": "object"}]}, False),
    ],
)
def test_strict_is_asked_only_for_schemas_of_that_form(schema: Any, strict: bool) -> None:
    assert is_strict(schema) is strict


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        (None, None),
        ({"total_tokens": 100}, None),
        ({"prompt_tokens": "x", "completion_tokens": 1}, None),
        ({"prompt_tokens": -5, "completion_tokens": 1}, None),
        ({"prompt_tokens": 5, "completion_tokens": 1e400}, None),
        ({"prompt_tokens": True}, None),
        ([5], None),
        ({"prompt_tokens": 5}, Usage(5, 0, 0)),
        ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None}, Usage(5, 0, 2)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(5, 5, 0)),
        ({"prompt_tokens": 5, "prompt_cache_hit_tokens": 3}, Usage(5, 3, 0)),
    ],
)
def test_a_reply_is_as_good_whatever_it_says_of_tokens(told: Any, usage: Usage | None) -> None:
    found = raw_reply({"choices": [{"message": {"content": "a kite"}, "finish_reason": "stop"}], "usage": told})
    assert (found.text, found.usage) == ("a kite", usage)
