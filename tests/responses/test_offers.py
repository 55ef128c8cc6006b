"""The list of models, whatever a gateway makes of it."""

from __future__ import annotations

from datetime import date

import pytest

from tebiki.errors import BadReply
from tebiki.responses.offers import offer_from_json


def test_models_and_their_last_day() -> None:
    """A day that is none is no day; an entry that is no model is passed over."""
    listed = [
        {"id": "a", "shutdown_date": "2030-01-31"},
        {"id": "b", "shutdown_date": None},
        {"id": "c"},
        {"id": "d", "shutdown_date": "soon"},
        {"id": "e", "shutdown_date": 20300131},
        {"id": 7},
        "f",
        None,
    ]

    offer = offer_from_json({"object": "list", "data": listed}, None)

    assert offer.models == {"a": date(2030, 1, 31), "b": None, "c": None, "d": None, "e": None}


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": {"id": "a"}}, {"models": []}])
def test_what_is_no_list_is_told(body: dict[str, object]) -> None:
    """Rather than taken for an empty one."""
    with pytest.raises(BadReply, match="no list of models"):
        offer_from_json(body, None)


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("Thu, 01 Jan 1970 00:01:40 GMT", 100.0),
        (None, None),
        ("yesterday", None),
        ("Thu, 99 Foo 1970 00:01:40 GMT", None),
        ("Thu, 01 Jan 99999 00:01:40 GMT", None),
    ],
)
def test_the_servers_time(header: str | None, moment: float | None) -> None:
    """As its header tells it, where that can be read."""
    assert offer_from_json({"data": []}, header).server_time == moment
