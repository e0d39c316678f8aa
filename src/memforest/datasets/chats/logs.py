"""Logs of MemoryOS and EverMemOS: one long list of what was said, which is cut into days."""

from __future__ import annotations

from memforest.datasets.chats.conversation import Export, Said, days, time_of
from memforest.datasets.schema import Schema, valid

_MEMORYOS = Schema("a MemoryOS log")
_EVERMEMOS = Schema("an EverMemOS log")


def read_memoryos(raw: object, *, owner: str, where: str) -> Export:
    """A list of pairs `user_input` and `agent_response` with a `timestamp`; each of the three may be missing."""
    said = []
    for place, pair in enumerate(valid(raw, list, where=where)):
        here = f"{where}, pair {place}"
        valid(pair, dict, where=here)
        time = time_of(_MEMORYOS, pair, "timestamp", where=here)
        for speaker, key in (("user", "user_input"), ("assistant", "agent_response")):
            text = _MEMORYOS.optional(pair, key, str, where=here) or ""
            if text.strip():
                said.append(Said(speaker, text, time))
    return Export({owner: days(said)})


def read_evermemos(raw: object, *, owner: str, where: str) -> Export:
    """An object with a `conversation_list` of messages; who sent one is `sender_name`, or else `sender`."""
    export, said = Export({}), []
    for place, message in enumerate(_EVERMEMOS.field(raw, "conversation_list", list, where=where)):
        here = f"{where}, message {place}"
        content = _EVERMEMOS.field(message, "content", object, where=here)
        time = time_of(_EVERMEMOS, message, "create_time", where=here)
        names = [_EVERMEMOS.optional(message, key, str, where=here) for key in ("sender_name", "sender")]
        speaker = next((name for name in names if name), None)
        if not isinstance(content, str):
            export.oddities["messages that are no text, left out"] += 1
        elif speaker is None:
            export.oddities["messages without a sender, left out"] += 1
        elif content.strip():
            said.append(Said(speaker, valid(content, str, where=f"{here}: `content`"), time))
    export.owners[owner] = days(said)
    return export
