"""Characters that some programs take for line ends stand raw in valid JSON lines; only a newline ends a line."""

from __future__ import annotations

import pytest

from memforest.store.memory_format import dump_memories, load_memories
from tests.builders import memory, node

SEPARATORS = ("\u2028", "\u2029", "\x85")


@pytest.mark.parametrize("character", SEPARATORS)
def test_a_stored_memory_is_read_back_whatever_its_text(character: str) -> None:
    (again,) = load_memories(dump_memories([memory([node("a", f"one{character}two")])]))
    assert again.nodes[0].text == f"one{character}two"
