"""Graphiti's episodes by user, as its evaluation writes them; entities and facts beside them are not read."""

from __future__ import annotations

import re

from memforest.datasets.chats.conversation import Export, Said, days, time_of
from memforest.datasets.schema import Schema, valid

_SCHEMA = Schema("a file of Graphiti's episodes")
_SPOKEN = re.compile(r"\s*([^:\n]{1,80}?)(?:\(\w*\))?:\s*(.*)", re.DOTALL)
"""How an episode of source `message` is written: `name: text` or `name(role): text`."""


def read(raw: object, *, owner: str, where: str) -> Export:
    """An object from users to lists of episodes with a `valid_at`, when it was said; users are the owners."""
    export = Export({})
    for user, episodes in valid(raw, dict, where=where).items():
        said = []
        for place, item in enumerate(valid(episodes, list, where=f"{where}, {user:.80}")):
            here = f"{where}, {user:.80}, episode {place}"
            episode = _SCHEMA.field(item, "episode", dict, where=here)
            content = _SCHEMA.field(episode, "content", str, where=here)
            time = time_of(_SCHEMA, episode, "valid_at", where=here)
            source = _SCHEMA.optional(episode, "source", str, where=here) or "episode"
            spoken = _SPOKEN.fullmatch(content) if source == "message" else None
            speaker, text = (spoken[1].strip(), spoken[2]) if spoken else (source, content)
            if text.strip():
                said.append(Said(speaker, text, time))
        export.owners[user] = days(said)
    return export
