"""Small chat histories in each format that is read. All texts were written for the tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memforest.core.protocols import LoadedDataset
from memforest.core.types import Unit
from memforest.datasets.chat_export import ChatExport


def message(role: str, text: Any, *, time: float | None = None, **more: Any) -> dict[str, Any]:
    """A message of a ChatGPT export with one part."""
    return {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]},
        "create_time": time,
        **more,
    }


def tree(nodes: Mapping[str, tuple[str | None, dict[str, Any] | None]], **more: Any) -> dict[str, Any]:
    """A conversation of a ChatGPT export, from ids to parents and messages."""
    return {
        "title": "Kites",
        "create_time": 10.0,
        "mapping": {
            key: {"id": key, "message": said, "parent": parent, "children": []} for key, (parent, said) in nodes.items()
        },
        **more,
    }


def branching(**more: Any) -> dict[str, Any]:
    """Root, question and two answers of which the second is later."""
    return tree(
        {
            "root": (None, None),
            "ask": ("root", message("user", "Why kites?", time=11.0)),
            "old": ("ask", message("assistant", "Because.", time=12.0)),
            "new": ("ask", message("assistant", "For the wind.", time=13.0)),
        },
        **more,
    )


def claude(*messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation of a Claude export."""
    return {"uuid": "c", "name": "Kites", "created_at": "2024-03-10T09:00:00Z", "chat_messages": [*messages], **more}


def spoken(sender: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of a Claude export."""
    return {"uuid": "m", "sender": sender, "text": text, "created_at": "2024-03-10T09:00:30Z", **more}


def pair(said: str, answered: str, time: str | None = "2025-06-01 10:00:00") -> dict[str, Any]:
    """A pair of a MemoryOS log."""
    return {"user_input": said, "agent_response": answered, "timestamp": time}


def evermemos(*messages: Mapping[str, Any]) -> dict[str, Any]:
    """An EverMemOS log."""
    return {"version": "1.0.0", "session_meta": {"user_details": {}}, "conversation_list": [*messages]}


def posted(name: str | None, content: Any, time: str | None = "2025-06-26T00:00:00Z", **more: Any) -> dict[str, Any]:
    """A message of an EverMemOS log."""
    return {"message_id": "m", "create_time": time, "sender": "user_1", "sender_name": name, "content": content, **more}


def episode(content: str, time: str | None = "2023-04-10T17:50:00Z", source: str | None = "message") -> dict[str, Any]:
    """A Graphiti episode with its nodes and edges."""
    return {"episode": {"content": content, "source": source, "valid_at": time}, "nodes": [], "edges": []}


EXAMPLES: Mapping[str, Any] = {
    "chatgpt": [branching(current_node="old"), branching()],
    "claude": [claude(spoken("human", "Hello."), spoken("assistant", "Hi."))],
    "memoryos": [pair("Hello.", "Hi."), pair("Bye.", "See you.", "2025-06-02 10:00:00")],
    "evermemos": evermemos(posted("Ada", "Hello."), posted("Ben", "Hi.")),
    "graphiti": {"ada": [episode("user: Hello."), episode("assistant: Hi.")], "ben": [episode("user: Kites.")]},
}


def load(folder: Path, raw: Any, *, name: str = "mine") -> LoadedDataset:
    """The dataset of a file that holds this."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    return ChatExport(path=str(path)).load()


def texts(unit: Unit) -> list[list[tuple[str, str]]]:
    """Who said what, by session."""
    return [[(turn.speaker, turn.text) for turn in session.turns] for session in unit.sessions]


def only(folder: Path, raw: Any) -> Sequence[Sequence[tuple[str, str]]]:
    """Who said what in a file of one history."""
    (unit,) = load(folder, raw).units
    return texts(unit)
