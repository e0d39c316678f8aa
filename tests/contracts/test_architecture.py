"""Which room may import which: arrows never turn back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import memforest

PACKAGE = Path(memforest.__file__).parent
ROOT = PACKAGE.parents[1]
MODULES = sorted(PACKAGE.rglob("*.py"))
METHOD_ROOMS = ("backbones", "compressors", "mergers", "retrieval", "embedding", "llm", "memtree", "answering")
OUTER_ROOMS = {"pipeline", "store", "report", "metrics", "theory", "config", "cli", "compression", "exchange"}
ALLOWED = {
    "core": {"core"},
    "report": {"core", "store", "report"},
    "metrics": {"core", "metrics"},
    "theory": {"core", "theory"},
    "graphs": {"core", "graphs"},
    "datasets": {"core", "datasets"},
    "store": {"core", "store"},
    "llm": {"core", "llm"},
    "answering": {"core", "answering"},
    "judging": {"core", "judging"},
}


def room(module: Path) -> str:
    """The room of a module of ours: its folder, or its own name at the top."""
    return module.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(module: Path) -> Iterator[str]:
    """Dotted names of everything that a module imports, wherever it does so."""
    for item in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(item, ast.Import):
            yield from (alias.name for alias in item.names)
        elif isinstance(item, ast.ImportFrom):
            assert item.level == 0, f"{module} uses a relative import; write it out"
            assert item.module is not None
            yield item.module
            yield from (f"{item.module}.{alias.name}" for alias in item.names)


def rooms(module: Path) -> set[str]:
    """Rooms of ours that a module imports."""
    parts = [name.split(".") for name in imports(module)]
    return {name[1] for name in parts if name[0] == "memforest" and len(name) > 1}


def _known(names: set[str]) -> set[str]:
    """Those of the names that are rooms, not things that the package itself offers."""
    return {name for name in names if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}


def _in(*names: str) -> list[object]:
    return [
        pytest.param(module, id=str(module.relative_to(PACKAGE))) for module in MODULES if room(module) in set(names)
    ]


@pytest.mark.parametrize("module", _in(*ALLOWED))
def test_inner_rooms_import_only_what_lies_further_in(module: Path) -> None:
    assert _known(rooms(module)) <= ALLOWED[room(module)]


@pytest.mark.parametrize("module", _in(*METHOD_ROOMS))
def test_methods_know_nothing_of_what_runs_them(module: Path) -> None:
    assert not rooms(module) & OUTER_ROOMS


@pytest.mark.parametrize("module", _in(*(room(module) for module in MODULES)))
def test_only_the_front_doors_know_hydra(module: Path) -> None:
    names = {name.split(".")[0] for name in imports(module)}
    assert not names & {"hydra", "omegaconf"} or room(module) in {"config", "cli"}


def test_the_rules_look_at_real_rooms() -> None:
    assert {"core", "config", "pipeline", "compressors", "retrieval"} <= {room(module) for module in MODULES}
    assert rooms(PACKAGE / "compressors" / "dart.py") == {"core"}
    assert "hydra" in {name.split(".")[0] for name in imports(PACKAGE / "config" / "compose.py")}
