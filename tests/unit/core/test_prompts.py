"""Prompts: places, and fences that nothing inside can close."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.prompts import Prompt, fence_around, load_prompt, one_line
from tests.chats import fenced_parts

PROMPT = Prompt("Between $fence:\n$first\nthen ($number)\n$second\nend")
TEXTS = st.text(alphabet="~$ \nab{}", max_size=40)


@given(TEXTS, TEXTS)
def test_what_is_put_in_is_what_stands_between_the_fences(first: str, second: str) -> None:
    filled = PROMPT.filled(data={"first": first, "second": second}, plain={"number": "3"})
    assert fenced_parts(filled) == [first, second]


@given(st.lists(TEXTS, max_size=4))
def test_a_fence_occurs_in_no_text(texts: list[str]) -> None:
    fence = fence_around(texts)
    assert not any(fence in text for text in texts)
    assert re.fullmatch("~{3,}", fence)


def test_a_place_inside_data_is_not_filled() -> None:
    filled = PROMPT.filled(data={"first": "$second $number ${fence}", "second": "x"}, plain={"number": "3"})
    assert "$second $number ${fence}" in filled


def test_a_place_that_is_not_filled_is_an_error() -> None:
    with pytest.raises(KeyError):
        PROMPT.filled(data={"first": "x"}, plain={"number": "3"})


def test_a_request_is_one_message_of_a_user() -> None:
    schema = {"type": "object"}
    request = Prompt("say $word").request(data={"word": "x"}, schema=schema, sample=2)
    assert [(message.author, message.text) for message in request.messages] == [("user", "say ~~~\nx\n~~~")]
    assert (request.schema, request.sample) == (schema, 2)


def test_prompts_come_with_the_package() -> None:
    assert "$older" in load_prompt("mergers", "llm").text


@pytest.mark.parametrize("text", ["a\n- b", "a\r\nb", "a\u2028b", "  a  b "])
def test_one_line_has_no_line_breaks(text: str) -> None:
    assert len(one_line(text).splitlines()) == 1
