"""LoCoMo: ten long conversations with annotated questions, from the official file or one of its schema."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memforest.core.digests import file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.json_files import read_json
from memforest.datasets.locomo_schema import parse_units
from memforest.datasets.manifest import manifest


class Locomo:
    """A file of LoCoMo's schema at `path`, or the official file under `data_folder`."""

    def __init__(self, *, path: str | None, data_folder: str) -> None:
        self._entry = manifest()["locomo"]
        self._path = Path(path) if path else Path(data_folder) / self._entry.path

    def load(self) -> LoadedDataset:
        """Raises DataError for a missing file, broken JSON, or another schema."""
        if not self._path.is_file():
            raise DataError(
                f"LoCoMo's file {self._path} does not exist; name it with dataset.path=FILE, set MEMFOREST_DATA to the "
                "folder that holds locomo/locomo10.json, or get it with: memforest data fetch locomo"
            )
        raw = read_json(self._path)
        digest = file_digest(self._path)
        loaded = parse_units(raw, file=self._path.name, digest_of_file=digest)
        return replace(loaded, notices=(*self._entry.notices(self._path, digest), *loaded.notices))
