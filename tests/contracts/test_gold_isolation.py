"""No method can receive gold: by the signatures of the protocols, and by what the method rooms import."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import memforest
from memforest.core import protocols
from memforest.core.graph import MemoryGraph
from memforest.core.types import Gold, Question, Unit

METHOD_ROOMS = ("backbones", "compressors", "mergers", "retrieval", "embedding", "llm", "memtree", "answering")
PACKAGE = Path(memforest.__file__).parent


def defined_protocols(module: ModuleType) -> list[type]:
    """Protocol classes of a module."""
    return [
        item
        for _, item in inspect.getmembers(module, inspect.isclass)
        if item.__module__ == module.__name__ and getattr(item, "_is_protocol", False)
    ]


def mentioned(hint: Any, seen: frozenset[Any] = frozenset()) -> Iterator[Any]:
    """Types that an annotation names, and those of the fields of the dataclasses among them."""
    if isinstance(hint, list):
        for part in hint:
            yield from mentioned(part, seen)
        return
    yield hint
    for part in typing.get_args(hint):
        yield from mentioned(part, seen)
    if dataclasses.is_dataclass(hint) and hint not in seen:
        for part in typing.get_type_hints(hint, localns={"MemoryGraph": MemoryGraph}).values():
            yield from mentioned(part, seen | {hint})


METHODS = [
    pytest.param(method, id=f"{protocol.__name__}.{name}")
    for protocol in defined_protocols(protocols)
    for name, method in inspect.getmembers(protocol, inspect.isfunction)
    if not name.startswith("_") and protocol is not protocols.Judge
]


@pytest.mark.parametrize("method", METHODS)
def test_no_parameter_of_a_method_leads_to_gold(method: Any) -> None:
    hints = {name: hint for name, hint in typing.get_type_hints(method).items() if name != "return"}
    for name, hint in hints.items():
        assert Gold not in list(mentioned(hint)), name


@pytest.mark.parametrize("public", [Question, Unit])
def test_no_gold_is_reachable_from_what_methods_get(public: type) -> None:
    assert Gold not in list(mentioned(public))


def test_the_search_would_find_gold() -> None:
    assert Gold in list(mentioned(typing.get_type_hints(protocols.Judge.judge)["gold"]))
    assert Gold in list(mentioned(protocols.LoadedDataset))
    assert len(METHODS) >= 8


@pytest.mark.parametrize(
    "module",
    [pytest.param(path, id=path.stem) for room in METHOD_ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))],
)
def test_no_module_of_a_method_room_names_gold(module: Path) -> None:
    for item in ast.walk(ast.parse(module.read_text("utf-8"))):
        names = {getattr(item, "id", None), getattr(item, "attr", None), getattr(item, "name", None)}
        assert not names & {"Gold", "LoadedDataset"}, module
