"""Hashes of source code: a stage's key holds the code that computes it, so edited code never returns old numbers."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = "memforest"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "onnxruntime")
_ROOT = Path(__file__).parent.parent


def code_of(modules: Iterable[str]) -> dict[str, str]:
    """sha256 of the source of `modules` and of every memforest module that they import, by module name."""
    found: dict[str, str] = {}
    waiting = sorted(set(modules))
    while waiting:
        name = waiting.pop()
        if name in found or _source(name) is None:
            continue
        found[name] = _digest(name)
        waiting.extend(_imports(name))
    return dict(sorted(found.items()))


@cache
def library_versions() -> dict[str, str]:
    """Installed versions of the libraries whose arithmetic enters results."""
    return {name: metadata.version(name) for name in LIBRARIES}


def _source(name: str) -> Path | None:
    """The file of a module of this package; None for any other name and for names inside a module."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    base = _ROOT.joinpath(*parts[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _digest(name: str) -> str:
    path = _source(name)
    assert path is not None
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _imports(name: str) -> tuple[str, ...]:
    """memforest modules imported anywhere in a module, inside functions too."""
    path = _source(name)
    assert path is not None
    return tuple(dict.fromkeys(_imported_names(ast.parse(path.read_text("utf-8")), _package_of(name, path))))


def _package_of(name: str, path: Path) -> list[str]:
    """The package that relative imports of a module start from."""
    parts = name.split(".")
    return parts if path.name == "__init__.py" else parts[:-1]


def _imported_names(tree: ast.Module, package: Sequence[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [] if not node.level else list(package[: len(package) - node.level + 1])
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            # `from package import module` imports a module too; names that are none are skipped by `_source`.
            yield from (f"{module}.{alias.name}" for alias in node.names)
