"""A working directory of its own and the commands that a person types there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PARTS = Path(__file__).parent / "parts"
RESULTS = ("questions.jsonl", "metrics.json", "references.json", "compression.json")
SMALL = (
    "dataset=synthetic",
    "dataset.units=2",
    "dataset.sessions=3",
    "dataset.questions_per_unit=10",
)
STALLING = (
    *SMALL,
    "compressor=tome",
    "++embedder._target_=stalling.StallingHashing",
    "++compressor._target_=stalling.StallingToMe",
    "++retriever._target_=stalling.StallingTopK",
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, how it ended, and after how many seconds."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def folder(self) -> str:
        """The folder on the last line."""
        last = self.out.splitlines()[-1]
        assert last.startswith("run: "), self
        return last.removeprefix("run: ")


class Desk:
    """Commands run in `folder`, with relative outputs there; no benchmark data is in reach unless named."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outputs = folder / "outputs"

    def run(self, *overrides: str, env: Mapping[str, str] | None = None, source: Path | None = None) -> Said:
        """`python run.py overrides`, with the hashing embedder unless another is named."""
        return self._said(self._front(overrides), env=env, source=source)

    def finish(self, *overrides: str, env: Mapping[str, str] | None = None, source: Path | None = None) -> Path:
        """The same, which must end well; the run's folder."""
        said = self.run(*overrides, env=env, source=source)
        assert said.code == 0, said.err
        return self.folder / said.folder

    def begin(
        self, *overrides: str, env: Mapping[str, str] | None = None, source: Path | None = None
    ) -> subprocess.Popen[str]:
        """The same in the background."""
        return subprocess.Popen(
            self._front(overrides),
            cwd=self.folder,
            env=self._env(env, source),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def memforest(self, *arguments: str, source: Path | None = None) -> Said:
        """`memforest arguments`."""
        return self._said([sys.executable, "-m", "memforest.cli", *arguments], env=None, source=source)

    def kill_at(self, call: str, *overrides: str) -> None:
        """Begin, kill without warning when `call` is reached."""
        process, _ = self.stall_at(call, *overrides)
        process.kill()
        process.communicate()

    def stall_at(
        self, call: str, *overrides: str, source: Path | None = None
    ) -> tuple[subprocess.Popen[str], Callable[[], Said]]:
        """Begin and wait until `call` is reached; the process, and a function that lets it go on to its end."""
        here, go = self.folder / "here", self.folder / "go"
        here.unlink(missing_ok=True)
        go.unlink(missing_ok=True)
        env = {"STALL_AT": call, "STALL_HERE": str(here), "STALL_GO": str(go)}
        process = self.begin(*overrides, env=env, source=source)
        wait_for(here.exists, process)

        def release() -> Said:
            go.touch()
            out, err = process.communicate(timeout=60)
            return Said(process.returncode, out, err, 0.0)

        return process, release

    def _front(self, overrides: tuple[str, ...]) -> list[str]:
        embedder = () if any(word.startswith("embedder=") for word in overrides) else ("embedder=hashing",)
        return [sys.executable, str(ROOT / "run.py"), *overrides, "paths.outputs=outputs", *embedder]

    def _said(self, command: list[str], *, env: Mapping[str, str] | None, source: Path | None) -> Said:
        start = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._env(env, source),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    @staticmethod
    def _env(env: Mapping[str, str] | None, source: Path | None) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if key not in ("MEMFOREST_DATA", "PYTHONPATH")}
        path = [str(PARTS), *([str(source)] if source else [])]
        return {**kept, "PYTHONPATH": os.pathsep.join(path), **(env or {})}


def wait_for(reached: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Poll until `reached`; fails when the process ends before."""
    end = time.monotonic() + 60
    while not reached():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def results(run: Path) -> dict[str, bytes]:
    """The files of a run that depend on nothing but its settings and data."""
    return {name: (run / name).read_bytes() for name in RESULTS}


def memories(outputs: Path) -> dict[str, bytes]:
    """All stored artifacts, vectors of single texts aside."""
    root = outputs / "artifacts"
    return {
        str(path.relative_to(root)): path.read_bytes()
        for stage in ("build", "compress")
        for path in sorted((root / stage).rglob("*"))
        if path.is_file()
    }


def stamps(folder: Path) -> dict[str, int]:
    """When each file below was last written."""
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def stages(run: Path) -> dict[str, Any]:
    """What the run's last attempt computed and found, by stage."""
    found: dict[str, Any] = json.loads((run / "timings.json").read_bytes())["stages"]
    return found


def copy_source(folder: Path) -> Path:
    """A copy of the package that can be edited; the folder to put on the path."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "memforest", folder / "src" / "memforest", ignore=ignore)
    shutil.copytree(ROOT / "conf", folder / "conf")
    return folder / "src"


def edit(source: Path, module: str) -> None:
    """Change a module's text and nothing that it does."""
    path = source.joinpath(*module.split(".")).with_suffix(".py")
    path.write_text(path.read_text("utf-8") + "\n# edited\n", "utf-8")
