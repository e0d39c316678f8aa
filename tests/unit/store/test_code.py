"""The source that a result depends on: imports are followed, inside functions too."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memforest.config.compose import compose_spec
from memforest.pipeline.stages import stage_code
from memforest.store import code


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package in the place of memforest."""
    monkeypatch.setattr(code, "_ROOT", tmp_path)
    caches = (code._digest, code._imports)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


def write(package: Path, files: Mapping[str, str]) -> None:
    """Modules by dotted name."""
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    "line",
    [
        "import memforest.b",
        "import memforest.b as other",
        "from memforest.b import thing",
        "from memforest import b",
        "def f():\n    from memforest.b import thing",
        "def f():\n    import memforest.b",
        "if TYPE_CHECKING:\n    from memforest.b import Thing",
        "try:\n    import memforest.b\nexcept ImportError:\n    pass",
    ],
)
def test_every_form_of_import_is_followed(package: Path, line: str) -> None:
    write(package, {"a.py": line, "b.py": "thing = 1"})
    assert set(code.code_of(["memforest.a"])) >= {"memforest.a", "memforest.b"}


def test_imports_of_imports_are_followed_and_circles_end(package: Path) -> None:
    write(package, {"a.py": "import memforest.b", "b.py": "import memforest.c", "c.py": "import memforest.a"})
    assert list(code.code_of(["memforest.a"])) == ["memforest.a", "memforest.b", "memforest.c"]


def test_a_package_stands_for_its_init(package: Path) -> None:
    write(package, {"a.py": "from memforest.room import module", "room/__init__.py": "", "room/module.py": ""})
    assert list(code.code_of(["memforest.a"])) == ["memforest.a", "memforest.room", "memforest.room.module"]


def test_other_packages_and_unused_modules_are_left_out(package: Path) -> None:
    write(package, {"a.py": "import numpy\nimport memforestry", "b.py": ""})
    assert list(code.code_of(["memforest.a"])) == ["memforest.a"]


def test_the_hash_is_that_of_the_file(package: Path) -> None:
    write(package, {"a.py": "x = 1"})
    assert code.code_of(["memforest.a"]) == {"memforest.a": hashlib.sha256(b"x = 1").hexdigest()}


def test_prompts_are_part_of_the_module_that_they_stand_beside(package: Path) -> None:
    write(package, {"room/a.py": "", "room/b.py": "", "room/prompts/a.txt": "one", "room/prompts/a_more.txt": "two"})
    before = code.code_of(["memforest.room.a", "memforest.room.b"])
    for name, text in [("a.txt", "One"), ("a_more.txt", "Two"), ("a_new.txt", "")]:
        write(package, {f"room/prompts/{name}": text})
        code._digest.cache_clear()
        after = code.code_of(["memforest.room.a", "memforest.room.b"])
        assert after["memforest.room.a"] != before["memforest.room.a"], name
        assert after["memforest.room.b"] == before["memforest.room.b"], name
        before = after


def test_prompts_of_a_package_are_part_of_its_modules(package: Path) -> None:
    write(package, {"room/a/one.py": "", "room/b.py": "", "room/prompts/a_more.txt": "one"})
    before = code.code_of(["memforest.room.a.one", "memforest.room.b"])
    code._digest.cache_clear()
    write(package, {"room/prompts/a_more.txt": "two"})
    after = code.code_of(["memforest.room.a.one", "memforest.room.b"])
    assert [name for name in before if before[name] != after[name]] == ["memforest.room.a.one"]


def test_every_prompt_of_ours_stands_beside_a_module_that_it_belongs_to() -> None:
    prompts = sorted(code._ROOT.glob("*/prompts/*.txt"))
    assert len(prompts) > 5
    for prompt in prompts:
        modules = prompt.parent.parent.rglob("*.py")
        assert any(prompt in code._prompts(module) for module in modules), prompt


def test_relative_imports_are_followed(package: Path) -> None:
    write(package, {"room/__init__.py": "", "room/a.py": "from .b import thing", "room/b.py": ""})
    assert "memforest.room.b" in code.code_of(["memforest.room.a"])


@pytest.mark.parametrize(
    ("stage", "inside", "outside"),
    [
        ("build", ["memforest.backbones.observations", "memforest.embedding.hashing"], ["memforest.compressors.tome"]),
        (
            "compress",
            ["memforest.compressors.tome", "memforest.mergers.concat", "memforest.pipeline.compression"],
            ["memforest.backbones.observations", "memforest.retrieval.topk", "memforest.compressors.kmeans"],
        ),
        ("search", ["memforest.retrieval.topk", "memforest.metrics.recall", "memforest.metrics.summary"], []),
    ],
)
def test_a_stage_depends_on_what_computes_it_and_on_nothing_else(
    stage: str, inside: list[str], outside: list[str]
) -> None:
    modules = stage_code(compose_spec(["embedder=hashing", "compressor=tome"]))[stage]
    assert set(inside) <= set(modules)
    assert not set(outside) & set(modules)


@pytest.mark.parametrize("stage", ["build", "compress", "search"])
def test_no_stage_depends_on_what_is_only_printed(stage: str) -> None:
    modules = stage_code(compose_spec(["compressor=memforest"]))[stage]
    assert not [name for name in modules if name.split(".")[1:2] in (["report"], ["cli"])]
