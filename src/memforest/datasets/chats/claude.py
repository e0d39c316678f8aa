"""Claude's data export: conversations are lists of messages, a text or blocks of content each."""

from __future__ import annotations

from collections import Counter

from memforest.core.errors import DataError
from memforest.datasets.chats.conversation import Export, Said, conversation, time_of
from memforest.datasets.schema import Schema, valid

_SCHEMA = Schema("a Claude export")
_optional = _SCHEMA.optional
_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


def read(raw: object, *, owner: str, where: str) -> Export:
    """A list of conversations, or one. Raises DataError that names the conversation and the message."""
    export = Export({owner: []})
    for place, item in enumerate(raw if isinstance(raw, list) else [raw]):
        here = f"{where}, conversation {place}"
        messages = _optional(valid(item, dict, where=here), "chat_messages", list, where=here)
        if messages is None:
            export.oddities["conversations without chat_messages, left out"] += 1
            continue
        said = [
            message
            for number, given in enumerate(messages)
            if (message := _said(given, export.oddities, where=f"{here}, message {number}")) is not None
        ]
        export.owners[owner].append(conversation(said, time=time_of(_SCHEMA, item, "created_at", where=here)))
    return export


def _said(message: object, oddities: Counter[str], *, where: str) -> Said | None:
    """A message; None where nobody is named who sent it, or it has no text."""
    sender = _optional(message, "sender", str, where=where)
    time = time_of(_SCHEMA, message, "created_at", where=where)
    text = _text(message, where=where)
    if sender is None:
        oddities["messages without a sender, left out"] += 1
        return None
    if sender not in _SPEAKERS:
        raise DataError(f"{where}: unknown sender {sender!r:.80}; a Claude export has human and assistant")
    return Said(_SPEAKERS[sender], text, time) if text.strip() else None


def _text(message: object, *, where: str) -> str:
    """The blocks of text among the content; where there are none, the text beside it."""
    blocks = _optional(message, "content", list, where=where) or []
    texts = [
        _SCHEMA.field(block, "text", str, where=f"{where}, content[{place}]")
        for place, block in enumerate(blocks)
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    return (
        "\n".join(texts) if any(text.strip() for text in texts) else _optional(message, "text", str, where=where) or ""
    )
