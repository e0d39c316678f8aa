"""Artifacts: one folder per stage and content key, checked against its manifest when it is read."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from memforest.core.digests import digest
from memforest.core.errors import StoreError
from memforest.core.files import folder_beside, json_bytes, remove_folder
from memforest.core.owners import is_gone, is_mine, owner

MANIFEST = "manifest.json"
SCHEMA = 1
_INCOMPLETE = ".incomplete-"


class ArtifactStore:
    """`artifacts/<stage>/<key>/` under the outputs folder. Published by rename, never changed afterwards.

    What holds failures to try again is no artifact with that key: it is stored beside, named after the key, the process
    that made it and its content, until the artifact is complete and that process is done with it.
    """

    def __init__(self, outputs: Path) -> None:
        self._root = outputs / "artifacts"

    @property
    def vectors(self) -> Path:
        """Folder of the vector cache."""
        return self._root / "vectors"

    def has(self, stage: str, key: str) -> bool:
        """Whether the artifact is complete; a folder without a manifest cannot exist, since it is renamed whole."""
        return (self._root / stage / key / MANIFEST).is_file()

    def save(self, stage: str, key: str, *, files: Mapping[str, bytes], inputs: Mapping[str, Any]) -> None:
        """Publish files and a manifest with their hashes and with `inputs`, what the key was made of."""
        self._publish(stage, key, key=key, hashes=_hashes(files), files=files, inputs=inputs)
        self._remove_incomplete(stage, key)

    def save_incomplete(self, stage: str, key: str, *, files: Mapping[str, bytes], inputs: Mapping[str, Any]) -> str:
        """Publish files that hold failures to try again. Returns the name to load them by; `has` finds no `key`."""
        hashes = _hashes(files)
        name = f"{key}{_INCOMPLETE}{owner()}-{digest(hashes)[:8]}"
        self._publish(stage, name, key=key, hashes=hashes, files=files, inputs=inputs)
        self._remove_incomplete(stage, key, but=name)
        return name

    def _publish(
        self,
        stage: str,
        name: str,
        *,
        key: str,
        hashes: Mapping[str, str],
        files: Mapping[str, bytes],
        inputs: Mapping[str, Any],
    ) -> None:
        target = self._root / stage / name
        if target.exists() and not self.has(stage, name):
            # What is left of an artifact whose manifest was deleted would keep the new one from its place.
            shutil.rmtree(target)
        with folder_beside(target) as folder:
            for file, content in files.items():
                (folder / file).write_bytes(content)
            manifest = {"schema": SCHEMA, "stage": stage, "key": key, "inputs": inputs, "files": hashes}
            (folder / MANIFEST).write_bytes(json_bytes(manifest))

    def _remove_incomplete(self, stage: str, key: str, *, but: str | None = None) -> None:
        """Remove what attempts left that are over."""
        for path in (self._root / stage).glob(f"{key}{_INCOMPLETE}*"):
            name = path.name.removeprefix(f"{key}{_INCOMPLETE}").rsplit("-", 1)[0]
            if path.name != but and (is_mine(name) or is_gone(name, path)):
                remove_folder(path)

    def keys(self, stage: str, *, prefix: str) -> list[str]:
        """Keys of complete artifacts, and names of incomplete ones, that begin with `prefix`, in order."""
        return sorted(path.parent.name for path in (self._root / stage).glob(f"{prefix}*/{MANIFEST}"))

    def size(self, stage: str, key: str, name: str) -> int:
        """Bytes of one of the artifact's files; 0 when it has no such file."""
        path = self._root / stage / key / name
        return path.stat().st_size if path.is_file() else 0

    def load(self, stage: str, key: str, *, names: Collection[str] | None = None) -> dict[str, bytes]:
        """The artifact's files, or only some. Raises StoreError when one is missing or its hash is not the
        manifest's."""
        folder = self._root / stage / key
        expected = self.manifest(stage, key)["files"]
        files = {name: self._read(folder, name) for name in expected if names is None or name in names}
        for name, content in files.items():
            if hashlib.sha256(content).hexdigest() != expected[name]:
                raise _damaged(folder, f"{name} does not have the hash in its manifest")
        return files

    def manifest(self, stage: str, key: str) -> dict[str, Any]:
        """The artifact's manifest. Raises StoreError when it cannot be read."""
        folder = self._root / stage / key
        try:
            manifest: dict[str, Any] = json.loads(self._read(folder, MANIFEST))
        except json.JSONDecodeError as error:
            raise _damaged(folder, f"{MANIFEST} is not JSON") from error
        if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
            raise _damaged(folder, f"{MANIFEST} does not list files")
        return manifest

    @staticmethod
    def _read(folder: Path, name: str) -> bytes:
        try:
            return (folder / name).read_bytes()
        except OSError as error:
            raise _damaged(folder, f"{name} cannot be read ({error.strerror})") from error


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def _damaged(folder: Path, what: str) -> StoreError:
    return StoreError(f"the stored artifact {folder} is damaged: {what}; delete the folder and run the command again")
