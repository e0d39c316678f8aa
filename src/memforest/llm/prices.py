"""What tokens cost. A price that is not known is null, never 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memforest.core.checks import require
from memforest.core.errors import ConfigError
from memforest.core.json_keys import unique_keys
from memforest.llm.completions import Usage
from memforest.llm.settings import RoleSettings

PACKAGED = Path(__file__).parent / "prices.json"
OWN_MACHINES = ("vllm", "vllm_engine", "local", "scripted")
"""Providers whose models run on the user's own machines, where a token has no price unless the file names one."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of input, of input from the server's prompt cache, and of output."""

    input: float
    cached_input: float
    output: float

    def cost(self, usage: Usage) -> float:
        """Dollars."""
        millionths = (
            (usage.input - usage.cached) * self.input + usage.cached * self.cached_input + usage.output * self.output
        )
        return millionths / 1e6


FREE = Price(input=0.0, cached_input=0.0, output=0.0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls are expected to take; `cost` in dollars, None where the price is not known."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def price_of(settings: RoleSettings) -> Price | None:
    """The price of a role's model; None where it is not known. Raises ConfigError for a damaged price file."""
    listed = _prices(Path(settings.prices) if settings.prices else PACKAGED).get(settings.name)
    own = settings.provider in OWN_MACHINES or bool(settings.weights_sha256 or settings.script_sha256)
    return FREE if listed is None and own else listed


def estimate(settings: RoleSettings, *, calls: int, input_tokens: int, output_tokens: int) -> Estimate:
    """What `calls` calls with so many tokens in all would cost, nothing of it cached."""
    price = price_of(settings)
    usage = Usage(input=input_tokens, cached=0, output=output_tokens)
    return Estimate(calls, input_tokens, output_tokens, None if price is None else price.cost(usage))


@cache
def _prices(path: Path) -> Mapping[str, Price]:
    try:
        content = json.loads(path.read_bytes(), object_pairs_hook=unique_keys)
        prices = {name: Price(**price) for name, price in content["models"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"llm.prices={path} is no price file ({error}); its form is that of {PACKAGED}") from error
    for name, price in prices.items():
        for amount in (price.input, price.cached_input, price.output):
            good = isinstance(amount, int | float) and amount >= 0
            require(
                good, f"llm.prices={path}: a price of {name} is {amount}; dollars per million tokens are at least 0"
            )
    return prices
