"""The bundled sample: four units of LoCoMo's schema, written by this project, with the real file's kinds of defect."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

from memforest.core.protocols import LoadedDataset
from memforest.datasets.locomo_schema import parse_units


class Sample:
    """Needs no file, no network and no licence."""

    def load(self) -> LoadedDataset:
        """The same four units everywhere."""
        content = resources.files("memforest.datasets").joinpath("sample.json").read_bytes()
        return parse_units(json.loads(content), file="sample.json", digest_of_file=hashlib.sha256(content).hexdigest())
