"""Replies as values: whatever has an unknown shape is passed over."""

from __future__ import annotations

from typing import Any

import pytest

from tebiki.responses.replies import Usage, reply_from_json


@pytest.mark.parametrize("odd", [None, 5, [], {"a": 1}, "close_page"])
def test_an_action_of_an_unknown_kind_opens_nothing(odd: Any) -> None:
    """Nor does it hide what the others opened."""
    kinds = ["open_page", odd, "find_in_page"]
    output = [
        {"type": "web_search_call", "action": {"type": kind, "url": f"https://a.jp/{place}"}}
        for place, kind in enumerate(kinds)
    ]

    assert reply_from_json({"output": output}).opened_pages == ("https://a.jp/0", "https://a.jp/2")


@pytest.mark.parametrize("odd", [None, -1, True, 1.5, "9", [], pytest.param(10**400, id="huge")])
def test_what_is_no_count_counts_nothing(odd: Any) -> None:
    """The ledger would refuse to read it, and a price could not be multiplied by it."""
    reply = reply_from_json({"usage": {"input_tokens": odd, "output_tokens": 7}})

    assert reply.usage == Usage(output=7)
