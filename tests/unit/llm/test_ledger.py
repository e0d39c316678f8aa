"""The ledger and prices."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memforest.core.errors import BudgetError, ConfigError
from memforest.llm.completions import RawReply, Usage
from memforest.llm.ledger import Ledger, Purse
from memforest.llm.prices import PACKAGED, Price, estimate, price_of
from tests.unit.llm.support import ask, chat, resolved


def test_what_is_asked_belongs_to_the_stage_and_role_it_was_asked_in(tmp_path: Path) -> None:
    ledger = Ledger()
    merge, judge = (chat(tmp_path, role=role, ledger=ledger) for role in ("merge", "judge"))
    with ledger.stage("compress"), ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: merge.ask(request=ask(f"{number}")), range(6)))
    with ledger.stage("judge"):
        judge.ask(request=ask("0"))
        judge.ask(request=ask("0"))
    rows = ledger.as_json()["rows"]
    assert [(row["stage"], row["role"], row["calls"], row["cached_calls"]) for row in rows] == [
        ("compress", "merge", 6, 0),
        ("judge", "judge", 1, 1),
    ]
    assert ledger.as_json()["total"]["calls"] == 7
    json.dumps(ledger.as_json(), allow_nan=False)
    assert len(ledger.keys) == 7


def test_tokens_and_cost_add_up() -> None:
    ledger, price = Ledger(), Price(input=2.0, cached_input=0.5, output=8.0)
    usages = [Usage(1000 * n, 100 * n, 10 * n) for n in range(1, 40)]

    def pay(usage: Usage) -> None:
        with ledger.row(role="merge", model="m", stage="s") as row:
            row.calls += 1
            row.paid.add(usage, price)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(pay, usages))
    paid = ledger.as_json()["total"]["paid"]
    slow = sum((u.input - u.cached) * 2.0 + u.cached * 0.5 + u.output * 8.0 for u in usages) / 1e6
    assert paid["cost_dollars"] == pytest.approx(slow)
    assert paid["input_tokens_uncached"] + paid["input_tokens_cached_by_server"] == sum(u.input for u in usages)
    assert paid["output_tokens"] == sum(u.output for u in usages)
    assert ledger.spent == pytest.approx(slow)


@pytest.mark.parametrize(
    ("usage", "price", "cost", "unknown"),
    [
        (Usage(1, 0, 1), None, None, 1),
        (None, None, None, 1),
        (None, Price(1, 1, 1), None, 1),
        (None, Price(0, 0, 0), 0, 0),
        (Usage(1, 0, 1), Price(0, 0, 0), 0, 0),
    ],
)
def test_a_cost_that_is_not_known_is_null_and_never_nothing(
    usage: Usage | None, price: Price | None, cost: float | None, unknown: int
) -> None:
    ledger = Ledger()
    with ledger.row(role="merge", model="m") as row:
        row.paid.add(usage, price)
    paid = ledger.as_json()["total"]["paid"]
    assert (paid["cost_dollars"], paid["replies_without_known_cost"]) == (cost, unknown)


def test_failures_are_counted_by_reason() -> None:
    ledger = Ledger()
    for reason, count in Counter(timeout=2, exception=1).items():
        with ledger.row(role="merge", model="m", stage=reason) as row:
            row.failures[reason] += count
    assert ledger.as_json()["total"]["failures"] == {"exception": 1, "timeout": 2}


def test_a_budget_is_kept_to_the_cent() -> None:
    ledger = Ledger()
    ledger.require_budget(None)
    with pytest.raises(BudgetError):
        ledger.require_budget(0)
    ledger.purse.pay(2.0)
    ledger.require_budget(2.01)
    with pytest.raises(BudgetError, match=r"\$2\.0000 of llm\.budget=2"):
        ledger.require_budget(2)


def test_a_budget_without_a_price_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"llm\.budget=1 cannot be kept: the price of m is not known"):
        chat(tmp_path, option="endpoint", base_url="http://127.0.0.1:9/v1", model="m", budget=1)


def test_where_nothing_is_asked_a_budget_needs_no_price(tmp_path: Path) -> None:
    chat(tmp_path, option="endpoint", base_url="http://127.0.0.1:9/v1", model="m", budget=1, replay_only=True)


def test_the_packaged_prices_have_a_date_and_a_source() -> None:
    content = json.loads(PACKAGED.read_text())
    assert content["date"] and content["source"] and content["unit"] == "dollars per million tokens"
    assert price_of(resolved("gpt_4o_mini")) == Price(0.15, 0.075, 0.6)
    assert price_of(resolved("endpoint", model="nobody-knows")) is None
    assert price_of(resolved("qwen2_5_7b_instruct")) == Price(0, 0, 0)
    assert price_of(resolved("local", provider="replay", model="m", weights_sha256="ab")) == Price(0, 0, 0)
    assert price_of(resolved("scripted", provider="replay", script=None, script_sha256="ab")) == Price(0, 0, 0)


def test_an_estimate_is_what_the_price_says() -> None:
    found = estimate(resolved("gpt_4o_mini"), calls=10, input_tokens=2_000_000, output_tokens=500_000)
    assert found.cost == pytest.approx(0.6)
    assert (found.calls, found.input_tokens, found.output_tokens) == (10, 2_000_000, 500_000)
    assert estimate(resolved("endpoint", model="x"), calls=1, input_tokens=1, output_tokens=1).cost is None


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"models": {"m": {"input": 1}}}', '{"models": {"m": 3}}', '{"models": {}, "models": {}}']
)
def test_a_damaged_price_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"llm\.prices=.*prices\.json"):
        price_of(resolved("gpt_4o_mini", prices=str(path)))


def test_a_price_below_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    prices: dict[str, Any] = {"models": {"m": {"input": -1, "cached_input": 0, "output": 0}}}
    path.write_text(json.dumps(prices))
    with pytest.raises(ConfigError, match="a price of m is -1"):
        price_of(resolved("gpt_4o_mini", prices=str(path)))


def test_runs_of_one_process_share_a_purse() -> None:
    purse = Purse()
    first, second = Ledger(purse=purse), Ledger(purse=purse)
    first.purse.pay(1.5)
    second.purse.pay(0.5)
    with pytest.raises(BudgetError, match=r"\$2\.0000 of llm\.budget=2"):
        first.require_budget(2)


def test_what_a_server_does_not_count_is_paid_at_its_most(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"models": {"scripted": {"input": 0, "cached_input": 0, "output": 1e6}}}))
    ledger = Ledger()
    model = chat(tmp_path, ledger=ledger, prices=str(prices), max_tokens=50)
    model._pay(ask("Who?"), RawReply("x", "stop", None, None, None, usage=None))
    assert ledger.purse.spent == 50.0


def test_of_each_reason_the_first_detail_is_kept() -> None:
    ledger = Ledger()
    for detail in ("no key", "another"):
        with ledger.row(role="judge", model="m") as row:
            row.fail("request refused", detail)
    told = ledger.as_json()
    assert told["rows"][0]["failures"] == {"request refused": 2}
    assert told["rows"][0]["failure_details"] == told["total"]["failure_details"] == {"request refused": "no key"}
