"""Generated conversations of any size, for scaling studies."""

from __future__ import annotations

from typing import Any

from memforest.core.errors import ConfigError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.locomo_schema import parse_units
from memforest.datasets.synthetic_text import generate


class Synthetic:
    """Units in LoCoMo's schema, equal for equal settings and seed."""

    def __init__(
        self,
        *,
        units: int,
        sessions: int,
        turns_per_session: int,
        facts_per_session: int,
        questions_per_unit: int,
        generator_seed: int,
    ) -> None:
        self._settings = {
            "units": units,
            "sessions": sessions,
            "turns_per_session": turns_per_session,
            "facts_per_session": facts_per_session,
            "questions_per_unit": questions_per_unit,
            "seed": generator_seed,
        }

    def load(self) -> LoadedDataset:
        """Generates. Raises ConfigError for counts below 1."""
        return parse_units(self.generate(), file="synthetic")

    def generate(self) -> list[dict[str, Any]]:
        """The units as a file of LoCoMo's schema holds them. Raises ConfigError for counts below 1."""
        try:
            return generate(**self._settings)
        except ValueError as error:
            raise ConfigError(f"dataset=synthetic: {error}") from error
