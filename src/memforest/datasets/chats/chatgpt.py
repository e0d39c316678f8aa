"""ChatGPT's data export: conversations are trees of messages, of which one branch was shown last."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from memforest.core.errors import DataError
from memforest.datasets.chats.conversation import Conversation, Export, Said, conversation, time_of
from memforest.datasets.schema import Schema, valid

_SCHEMA = Schema("a ChatGPT export")
_optional = _SCHEMA.optional
_SPEAKERS = ("user", "assistant")

Nodes = Mapping[str, object]
"""Nodes of a tree by their ids; each names its parent and holds a message or null."""


def read(raw: object, *, owner: str, where: str) -> Export:
    """A list of conversations, or one. Raises DataError that names the conversation and the node."""
    export = Export({owner: []})
    for place, item in enumerate(raw if isinstance(raw, list) else [raw]):
        here = f"{where}, conversation {place}"
        nodes = _optional(valid(item, dict, where=here), "mapping", dict, where=here)
        if nodes is None:
            export.oddities["conversations without a mapping, left out"] += 1
            continue
        export.owners[owner].append(_conversation(item, nodes, export.oddities, where=here))
    return export


def _conversation(item: object, nodes: Nodes, oddities: Counter[str], *, where: str) -> Conversation:
    parents = {key: _optional(valid(node, dict, where=f"{where}, {key}"), "parent", str, where=f"{where}, {key}")
               for key, node in nodes.items()}  # fmt: skip
    said = {key: _said(node, where=f"{where}, {key}") for key, node in nodes.items()}
    branch = _branch(item, parents, said, oddities, where=where)
    left = sum(message is not None for key, message in said.items() if key not in set(branch))
    if left:
        oddities["messages on branches that were left, not read"] += left
    messages = [message for key in branch if (message := said[key]) is not None]
    return conversation(messages, time=time_of(_SCHEMA, item, "create_time", where=where))


def _branch(
    item: object,
    parents: Mapping[str, str | None],
    said: Mapping[str, Said | None],
    oddities: Counter[str],
    *,
    where: str,
) -> list[str]:
    """Ids from the root to the current node, or where none is named to the latest leaf."""
    current = _optional(item, "current_node", str, where=where)
    if current not in parents and parents:
        oddities["conversations without a current node, read up to their latest leaf"] += 1
        current = _latest_leaf(parents, said, where=where)
    branch: dict[str, None] = {}
    while current is not None and current in parents:
        if current in branch:
            raise DataError(f"{where}: the parents of {current!r:.80} form a circle")
        branch[current] = None
        current = parents[current]
    if current is not None and parents:
        oddities["conversations whose beginning is missing"] += 1
    return list(reversed(branch))


def _latest_leaf(parents: Mapping[str, str | None], said: Mapping[str, Said | None], *, where: str) -> str:
    inner = set(parents.values())
    leaves = [key for key in parents if key not in inner]
    if not leaves:
        raise DataError(f"{where}: the parents of its nodes form a circle")

    def when(place: int) -> tuple[float, int]:
        message = said[leaves[place]]
        return (-math.inf if message is None or message.time is None else message.time, place)

    return leaves[max(range(len(leaves)), key=when)]


def _said(node: object, *, where: str) -> Said | None:
    """What a person or the assistant said to the other; None for what systems and tools say, and for no text."""
    message = _optional(node, "message", dict, where=where)
    if message is None:
        return None
    author = _optional(message, "author", dict, where=where)
    role = _optional(author, "role", str, where=f"{where}, author") if author is not None else None
    recipient = _optional(message, "recipient", str, where=where)
    text = "\n".join(_texts(message, where=where))
    time = time_of(_SCHEMA, message, "create_time", where=where)
    if role not in _SPEAKERS or recipient not in (None, "all") or _hidden(message, where=where) or not text:
        return None
    return Said(role, text, time)


def _hidden(message: object, *, where: str) -> bool:
    metadata = _optional(message, "metadata", dict, where=where)
    return metadata is not None and metadata.get("is_visually_hidden_from_conversation") is True


def _texts(message: object, *, where: str) -> Iterator[str]:
    """Texts among the parts of a message; images, files and sounds have none."""
    content = _optional(message, "content", dict, where=where)
    parts = _optional(content, "parts", list, where=f"{where}, content") if content is not None else None
    for place, part in enumerate(parts or ()):
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and text.strip():
            yield valid(text, str, where=f"{where}, parts[{place}]")
