"""What a call is likely to cost: a dated price list, the user's own over the one that ships.

Estimates only: the API's bill is what counts. A model that is in neither list has no price, and
then there is no cost either, not zero.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import TYPE_CHECKING, Any

from tebiki.budget.paid_calls import Spent
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

SHIPPED = os.path.join(os.path.dirname(__file__), "prices.json")

LARGEST_FILE = 1 << 20

SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|latest)")
"""What may follow a listed name: `gpt-5.2-2025-12-11` is gpt-5.2, `gpt-5.2-pro` is not."""

TYPICAL = Spent(input=15_000, output=2_500, searches=2)
"""An ordinary answer with sources; what is held for a call while it runs."""

PER_MILLION, PER_THOUSAND = 1e-6, 1e-3


class ModelPrice(NamedTuple):
    """USD for a million tokens of each kind."""

    input: float
    cached_input: float
    output: float


class PriceList(NamedTuple):
    """Prices as of a day."""

    as_of: str
    models: dict[str, ModelPrice]
    search_usd: float

    def price_of(self, model: str) -> ModelPrice | None:
        """The price of a model or of its dated snapshot; None when it is not known."""
        exact = self.models.get(model)
        if exact is not None:
            return exact
        for name, price in self.models.items():
            if model.startswith(name) and SNAPSHOT.fullmatch(model, len(name)):
                return price
        return None

    def cost(self, model: str, spent: Spent) -> float | None:
        """What a response costs; the model the API reports decides, if it has a price."""
        price = self.price_of(spent.model) or self.price_of(model)
        if price is None:
            return None
        cached = min(spent.cached, spent.input)
        tokens = (
            (spent.input - cached) * price.input
            + cached * price.cached_input
            + spent.output * price.output
        )
        return round(tokens * PER_MILLION + spent.searches * self.search_usd, 6)


def load_prices(own_file: str | None, warn: Callable[[str], None]) -> PriceList:
    """Read the shipped list and lay the user's over it; what cannot be used is warned about."""
    with open(SHIPPED, "rb") as file:
        shipped = _price_list(json.load(file), PriceList("", {}, 0.0))
    if own_file is None:
        return shipped
    try:
        return _price_list(_read_json(os.path.expanduser(own_file)), shipped)
    except OSError as refused:
        reason = refused.strerror or str(refused)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as broken:
        reason = f"{type(broken).__name__}: {broken}"
    warn(
        f"budget.prices_file {own_file} cannot be used ({reason[:200]}); "
        f"the prices of {shipped.as_of} that ship with tebiki are"
    )
    return shipped


def _read_json(path: str) -> Any:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no such file: {path}")
    with open(path, "rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"larger than {LARGEST_FILE} bytes")
    return json.loads(data)


def _price_list(document: Any, under: PriceList) -> PriceList:
    """Read a list; what it does not say is as in the one under it."""
    if not isinstance(document, dict):
        raise TypeError("it must be a JSON object with as_of and models")
    models = document.get("models", {})
    if not isinstance(models, dict):
        raise TypeError("models must be an object")
    rows = {name: _model_price(name, row) for name, row in models.items()}
    search = under.search_usd
    if "web_search_per_1000_calls" in document:
        search = PER_THOUSAND * _usd(
            "web_search_per_1000_calls", document["web_search_per_1000_calls"]
        )
    as_of = document.get("as_of", under.as_of)
    if not isinstance(as_of, str):
        raise TypeError("as_of must be a date in quotes")
    return PriceList(as_of, {**under.models, **rows}, search)


def _model_price(name: str, row: Any) -> ModelPrice:
    if not isinstance(row, dict):
        raise TypeError(f"{name} must be an object with input and output")
    for key in ("input", "output"):
        if key not in row:
            raise TypeError(f"{name} has no {key} price")
    cached = row.get("cached_input", row["input"])
    return ModelPrice(_usd(name, row["input"]), _usd(name, cached), _usd(name, row["output"]))


def _usd(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of USD")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} must be a number of at least 0")
    return float(value)
