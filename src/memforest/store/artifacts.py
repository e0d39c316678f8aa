"""Artifacts: one folder per stage and content key, checked against its manifest when it is read."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from memforest.core.errors import StoreError
from memforest.core.files import folder_beside, json_bytes

MANIFEST = "manifest.json"
SCHEMA = 1


class ArtifactStore:
    """`artifacts/<stage>/<key>/` under the outputs folder. Published by rename, never changed afterwards."""

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
        target = self._root / stage / key
        if target.exists() and not self.has(stage, key):
            # What is left of an artifact whose manifest was deleted would keep the new one from its place.
            shutil.rmtree(target)
        with folder_beside(target) as folder:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            manifest = {
                "schema": SCHEMA,
                "stage": stage,
                "key": key,
                "inputs": inputs,
                "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
            }
            (folder / MANIFEST).write_bytes(json_bytes(manifest))

    def keys(self, stage: str, *, prefix: str) -> list[str]:
        """Keys of complete artifacts that begin with `prefix`, in order."""
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


def _damaged(folder: Path, what: str) -> StoreError:
    return StoreError(f"the stored artifact {folder} is damaged: {what}; delete the folder and run the command again")
