"""Overrides are checked against the YAML files, with a suggestion, before anything heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memforest.config.overrides import check_overrides
from memforest.core.errors import ConfigError

ROOT = Path(__file__).parents[3]
HEAVY = ("numpy", "scipy", "sklearn", "onnxruntime", "tokenizers", "hydra", "omegaconf")


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["compressor=memforest", "ratio=0.5"],
        ["compressor=memforest", "compressor.alpha=0.1"],
        ["compressor.alpha=0.1", "compressor=memforest"],
        ["dataset=locomo", "dataset.path=a=b.json"],
        ["--multirun", "compressor=none,tome", "ratio=0.3,0.5"],
        ["--multirun", "compressor=choice(none, tome)"],
        ["--multirun", "compressor='none','tome'"],
        ["paths.outputs=/somewhere", "k=5", "seed=1", "workers=4", "word_budgets=[150]"],
        ["hydra.sweep.dir=x", "hydra/launcher=basic", "+new=1", "++k=1"],
        ["-m", "seed=0,1,2"],
    ],
)
def test_what_exists_is_let_through(overrides: list[str]) -> None:
    check_overrides(overrides)


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        (["compresor=tome"], "the option 'compresor' does not exist; did you mean compressor?"),
        (["retreiver.k=1"], "the option 'retreiver.k' does not exist; did you mean retriever?"),
        (["raito=0.5"], "the option 'raito' does not exist; did you mean ratio?"),
        (["seeds=1"], "the option 'seeds' does not exist; did you mean seed?"),
        (["paths.output=x"], "the option 'paths.output' does not exist; did you mean"),
        (["compressor=memforst"], "the compressor 'memforst' does not exist; did you mean memforest?"),
        (["retriever=top-k"], "the retriever 'top-k' does not exist; did you mean topk?"),
        (["dataset=locom"], "the dataset 'locom' does not exist; did you mean locomo?"),
        (["compressor="], "the compressor '' does not exist"),
        (["--multirun", "compressor=tome,kmean"], "the compressor 'kmean' does not exist; did you mean kmeans?"),
        (["--multirun", "compressor=choice(tome, kmean)"], "did you mean kmeans?"),
        (
            ["compressor=memforest", "compressor.alhpa=1"],
            "the setting of compressor=memforest 'alhpa' does not exist; did you mean alpha?",
        ),
        (["embedder.thread=1"], "the setting of embedder=minilm 'thread' does not exist; did you mean threads?"),
        (["compressor=memforest", "compressor.name=x"], "the setting of compressor=memforest 'name' does not exist"),
        (["compressor=memforest", "compressor._target_=os.system"], "'_target_' does not exist"),
        (["compressor=memforest", "compressor.traits.uses=[]"], "'traits.uses' does not exist"),
        (["compressor=dart,memforest", "compressor.alpha=1"], "the setting of compressor=dart 'alpha' does not exist"),
        (["ratio"], "'ratio' is no override; write name=value"),
        (["k.x=1"], "the option 'k.x' does not exist"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_nearest_name(overrides: list[str], complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_overrides(overrides)
    assert complaint in str(caught.value)


def test_a_name_that_resembles_nothing_gets_all_names() -> None:
    with pytest.raises(ConfigError, match=r"Known: agpr, .*, topk") as caught:
        check_overrides(["retriever=zzzzz"])
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "overrides", [["--cfg", "job"], ["-c", "job"], ["--cfg", "hydra", "--package", "paths"], ["~merger"]]
)
def test_hydras_own_options_and_their_values_are_let_through(overrides: list[str]) -> None:
    check_overrides(overrides)


def test_a_setting_below_a_plain_value_does_not_exist() -> None:
    with pytest.raises(ConfigError):
        check_overrides(["compressor=memforest", "compressor.alpha.x=1"])


def loaded_by(folder: Path, *arguments: str) -> tuple[int, set[str], str]:
    """Exit status of run.py, which of the heavy packages it had imported, and what it complained about."""
    code = (
        "import sys; sys.argv = ['run.py', *sys.argv[1:]]\n"
        "from memforest.config.front import main\n"
        "status = 0\n"
        "try:\n    main()\n"
        "except SystemExit as stop:\n    status = stop.code\n"
        f"print('loaded:', *[name for name in {HEAVY!r} if name in sys.modules])\n"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, set(done.stdout.rpartition("loaded:")[2].split()), done.stderr


@pytest.mark.parametrize("override", ["compressor=memforst", "raito=0.5", "embedder.thread=1"])
def test_a_mistake_is_met_before_anything_heavy_is_imported(tmp_path: Path, override: str) -> None:
    status, loaded, error = loaded_by(tmp_path, override)
    assert (status, loaded) == (2, set())
    assert error.startswith("error: ")
    assert "did you mean" in error


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    assert loaded_by(tmp_path, "--help")[:2] == (0, set())


def test_a_value_out_of_range_is_met_before_the_pipeline_is_imported(tmp_path: Path) -> None:
    status, loaded, error = loaded_by(tmp_path, "ratio=2")
    assert status == 1
    assert error == "error: ratio=2 is not in [0, 1): it is the share of nodes removed, 0.3 keeps 70 % of them\n"
    assert not loaded & {"sklearn", "onnxruntime", "tokenizers"}


def test_a_refused_run_leaves_no_file_behind(tmp_path: Path) -> None:
    assert loaded_by(tmp_path, "ratio=2")[0] == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "overrides",
    [
        ["retriever=agpr", "retriever.gamma=2"],
        ["retriever=agpr", "retriever.time_unit=dense_ran"],
        ["backbone=mem0"],
        ["backbone=mem0", "backbone.export_dir=/nowhere"],
    ],
)
def test_a_setting_that_its_component_refuses_is_one_clear_error(overrides: list[str], tmp_path: Path) -> None:
    from memforest.config.compose import components, compose_spec

    with pytest.raises(ConfigError, match=r"retriever|backbone"):
        components(compose_spec([*overrides, f"paths.outputs={tmp_path}"]))


def test_the_package_itself_imports_nothing_heavy() -> None:
    code = f"import sys, memforest; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_core_imports_nothing_of_ours_but_itself() -> None:
    names = ", ".join(f"memforest.core.{path.stem}" for path in sorted((ROOT / "src/memforest/core").glob("[a-z]*.py")))
    code = (
        f"import json, sys, {names}; print(json.dumps([name for name in sys.modules if name.startswith('memforest.')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in json.loads(done.stdout) if not name.startswith("memforest.core")] == []
