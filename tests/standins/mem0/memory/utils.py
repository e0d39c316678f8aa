"""Prompt and helpers as in mem0ai 1.x."""

from __future__ import annotations

USER_MEMORY_EXTRACTION_PROMPT = "Extract facts.\n- Today's date is 1999-12-31.\n"


def remove_code_blocks(content: str) -> str:
    """The content."""
    return content


def extract_json(text: str) -> str:
    """The text."""
    return text
