"""The ledger: what was asked, paid, found again and lost, by stage and role."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memforest.core.errors import BudgetError
from memforest.llm.completions import Usage
from memforest.llm.prices import Price


class Purse:
    """What a process has spent on language models, in all its runs. Thread-safe."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """Dollars."""
        return self._spent

    def pay(self, dollars: float) -> None:
        """Take out `dollars`."""
        with self._lock:
            self._spent += dollars


@dataclass(slots=True)
class Tokens:
    """Tokens and dollars; `unpriced` counts replies whose cost is not known, for want of a price or of a count."""

    input_uncached: int = 0
    input_cached: int = 0
    output: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def add(self, usage: Usage | None, price: Price | None) -> None:
        """Count one reply."""
        if usage is not None:
            self.input_uncached += usage.input - usage.cached
            self.input_cached += usage.cached
            self.output += usage.output
        if price is not None and usage is not None:
            self.cost += price.cost(usage)
        # Without a price every token is free only where the model says so; a reply without a count is free there too.
        elif price is None or price.cost(Usage(input=2, cached=1, output=1)) > 0:
            self.unpriced += 1

    def as_json(self) -> dict[str, Any]:
        """For people and programs; the cost of what is not known is null."""
        return {
            "input_tokens_uncached": self.input_uncached,
            "input_tokens_cached_by_server": self.input_cached,
            "output_tokens": self.output,
            "cost_dollars": None if self.unpriced else self.cost,
            "replies_without_known_cost": self.unpriced,
        }


@dataclass(slots=True)
class Row:
    """One stage and role. `calls` are questions put to the model, each with `retries` after a fault and `repairs` of
    what was no JSON; `cached_calls` are those answered from a file or by a call of another thread."""

    model: str
    calls: int = 0
    cached_calls: int = 0
    retries: int = 0
    repairs: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    details: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    paid: Tokens = field(default_factory=Tokens)
    found: Tokens = field(default_factory=Tokens)

    def fail(self, reason: str, detail: str) -> None:
        """Count a failure; of each reason the first detail is kept."""
        self.failures[reason] += 1
        self.details.setdefault(reason, detail)

    def as_json(self) -> dict[str, Any]:
        """For people and programs; `found` is what the replies found in the cache had taken."""
        return {
            "model": self.model,
            "calls": self.calls,
            "cached_calls": self.cached_calls,
            "retries": self.retries,
            "repairs": self.repairs,
            "failures": dict(sorted(self.failures.items())),
            "failure_details": dict(sorted(self.details.items())),
            "seconds": self.seconds,
            "paid": self.paid.as_json(),
            "found": self.found.as_json(),
        }


class Ledger:
    """One run's calls; `purse` is what is spent by all runs of the process. Thread-safe. The stage holds for all
    threads, until its block ends."""

    def __init__(self, *, purse: Purse | None = None) -> None:
        self.purse = purse or Purse()
        self._rows: dict[tuple[str, str, str], Row] = {}
        self._keys: set[str] = set()
        self._stage = ""
        self._lock = threading.Lock()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What is asked in this block belongs to the stage `name`, in whatever thread."""
        before, self._stage = self._stage, name
        try:
            yield
        finally:
            self._stage = before

    @contextmanager
    def row(self, *, role: str, model: str, stage: str | None = None) -> Iterator[Row]:
        """The row of a stage (None: the present one), role and model, to count in."""
        key = (self._stage if stage is None else stage, role, model)
        with self._lock:
            yield self._rows.setdefault(key, Row(model=model))

    def used(self, key: str) -> None:
        """Note the address of a reply that was handed out."""
        with self._lock:
            self._keys.add(key)

    @property
    def keys(self) -> tuple[str, ...]:
        """Addresses of all replies that were handed out, sorted: what `write_recording` takes."""
        with self._lock:
            return tuple(sorted(self._keys))

    @property
    def spent(self) -> float:
        """Dollars that were paid, as far as their amount is known."""
        with self._lock:
            return sum(row.paid.cost for row in self._rows.values())

    def require_budget(self, budget: float | None) -> None:
        """Raises BudgetError when the process has spent `budget` dollars."""
        if budget is not None and (spent := self.purse.spent) >= budget:
            raise BudgetError(
                f"the budget for language models is spent: ${spent:.4f} of llm.budget={budget:g}. What was paid for is "
                "kept: the same command with a higher llm.budget continues where this one stopped"
            )

    def as_json(self) -> dict[str, Any]:
        """Rows by stage and role in order of their names, and their total."""
        with self._lock:
            rows = [{"stage": stage, "role": role, **row.as_json()} for (stage, role, _), row in self._sorted()]
            return {"rows": rows, "total": self._total().as_json()}

    def _sorted(self) -> list[tuple[tuple[str, str, str], Row]]:
        return sorted(self._rows.items())

    def _total(self) -> Row:
        total = Row(model=", ".join(sorted({model for _, _, model in self._rows})))
        for _, row in self._sorted():
            for name in ("calls", "cached_calls", "retries", "repairs", "seconds"):
                setattr(total, name, getattr(total, name) + getattr(row, name))
            total.failures.update(row.failures)
            total.details = {**row.details, **total.details}
            _accumulate(total.paid, row.paid)
            _accumulate(total.found, row.found)
        return total


def _accumulate(total: Tokens, part: Tokens) -> None:
    for name in Tokens.__slots__:
        setattr(total, name, getattr(total, name) + getattr(part, name))
