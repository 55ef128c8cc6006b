"""Prices: the list that ships, the user's own over it, and models nobody knows."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from tebiki.budget.paid_calls import Spent
from tebiki.budget.prices import ModelPrice, PriceList, load_prices
from tests.support.ledgers import Warnings

if TYPE_CHECKING:
    from pathlib import Path

LIST = PriceList("2026-01-01", {"gpt-5.2": ModelPrice(2.0, 0.5, 10.0)}, 0.01)


@pytest.mark.requirement("people:ledger:prices", "mcp:models:prices")
def test_what_ships_is_dated_and_knows_the_defaults() -> None:
    """The models that a fresh installation uses have a price."""
    shipped = load_prices(None, Warnings())

    assert date.fromisoformat(shipped.as_of) > date(2025, 1, 1)
    assert shipped.price_of("gpt-5.2")
    assert shipped.price_of("o3")
    assert shipped.search_usd > 0


def test_cached_tokens_and_searches_have_their_own_price() -> None:
    """A million fresh, a million cached, a tenth of a million written, three searches."""
    spent = Spent("gpt-5.2", input=2_000_000, cached=1_000_000, output=100_000, searches=3)

    assert LIST.cost("gpt-5.2", spent) == pytest.approx(2.0 + 0.5 + 1.0 + 0.03)


@pytest.mark.parametrize("name", ["gpt-5.2", "gpt-5.2-2026-01-31", "gpt-5.2-latest"])
def test_a_snapshot_costs_what_its_model_costs(name: str) -> None:
    """Dated names are the same model."""
    assert LIST.price_of(name) == LIST.models["gpt-5.2"]


@pytest.mark.parametrize("name", ["", "gpt-5", "gpt-5.2-pro", "gpt-5.20", "gpt-5.2-2026-01-31-x"])
def test_an_unknown_model_has_no_price(name: str) -> None:
    """And therefore no cost; never zero."""
    assert LIST.price_of(name) is None
    assert LIST.cost(name, Spent(name, input=1)) is None


def test_the_model_that_answered_decides() -> None:
    """The one that was asked for stands in when the API reports a stranger."""
    two = LIST._replace(models={**LIST.models, "o3": ModelPrice(1.0, 1.0, 1.0)})
    spent = Spent("o3-2025-04-16", input=1_000_000)

    assert two.cost("gpt-5.2", spent) == 1.0
    assert two.cost("gpt-5.2", spent._replace(model="who")) == 2.0


def test_ones_own_prices_lie_over_those_that_ship(tmp_path: Path) -> None:
    """Row by row; what is not said stays."""
    own = {"as_of": "2026-11-01", "models": {"local": {"input": 0, "output": 0}}}
    (tmp_path / "prices.json").write_text(json.dumps(own))
    warnings = Warnings()

    prices = load_prices(str(tmp_path / "prices.json"), warnings)

    assert warnings == []
    assert prices.as_of == "2026-11-01"
    assert prices.cost("local", Spent("local", input=10**9)) == 0.0
    assert prices.price_of("gpt-5.2") == load_prices(None, warnings).price_of("gpt-5.2")


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        "{",
        "[" * 100_000,
        '{"models": []}',
        '{"models": {"x": 1}}',
        '{"models": {"x": {"input": 1}}}',
        '{"models": {"x": {"input": -1, "output": 1}}}',
        '{"models": {"x": {"input": NaN, "output": 1}}}',
        '{"models": {"x": {"input": true, "output": 1}}}',
        '{"web_search_per_1000_calls": "ten"}',
        '{"as_of": 2026}',
        "é",
    ],
)
def test_a_list_that_cannot_be_used_is_a_warning(tmp_path: Path, text: str | None) -> None:
    """The prices that ship are used instead."""
    path, warnings = tmp_path / "prices.json", Warnings()
    if text is not None:
        path.write_bytes(text.encode("latin-1"))

    assert load_prices(str(path), warnings) == load_prices(None, warnings)
    assert len(warnings) == 1
    assert f"budget.prices_file {path} cannot be used" in warnings[0]
