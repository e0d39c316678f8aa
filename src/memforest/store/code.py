"""Hashes of source code: a stage's key holds the code that computes it, so edited code never returns old numbers."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = "memforest"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "onnxruntime")
_ROOT = Path(__file__).parent.parent


def code_of(modules: Iterable[str]) -> dict[str, str]:
    """sha256 of the source of `modules` and of every memforest module that they import, by module name.

    The prompts `prompts/<stem>*.txt` beside a module `<stem>.py`, or a package `<stem>` that it is in, are part of its
    source.

    A module outside this package is hashed when it stands in `modules`, as a user's own component does.
    """
    named = set(modules)
    found: dict[str, str] = {}
    waiting = sorted(named)
    while waiting:
        name = waiting.pop()
        if name in found or (not _is_ours(name) and name not in named) or _source(name) is None:
            continue
        found[name] = _digest(name)
        waiting.extend(_imports(name))
    return dict(sorted(found.items()))


@cache
def library_versions() -> dict[str, str]:
    """Installed versions of the libraries whose arithmetic enters results."""
    return {name: metadata.version(name) for name in LIBRARIES}


def _is_ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] == PACKAGE


def _source(name: str) -> Path | None:
    """The source file of a module; None for names inside a module and for modules without one."""
    if not _is_ours(name):
        found = importlib.util.find_spec(name)
        return Path(found.origin) if found is not None and found.origin and found.has_location else None
    base = _ROOT.joinpath(*name.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _digest(name: str) -> str:
    path = _source(name)
    assert path is not None
    content = hashlib.sha256(path.read_bytes())
    for prompt in _prompts(path):
        content.update(f"\0{prompt.name}\0".encode() + prompt.read_bytes())
    return content.hexdigest()


def _prompts(path: Path) -> list[Path]:
    """The prompts of the module at `path`."""
    return [
        prompt
        for owner in (path.with_suffix(""), path.parent)
        for prompt in sorted((owner.parent / "prompts").glob(f"{owner.name}*.txt"))
    ]


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
