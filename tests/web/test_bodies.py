"""Bodies on their way to the SDK: it can read whatever JSON allows."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.web.bodies import pair_surrogates

ESCAPES = (rb"\ud83d", rb"\uDE00", rb"\\", rb"\n", rb"\u0041", b"ud83d", b"ude00", b"u", b" ")


@pytest.mark.requirement("http:serving:surrogates")
@given(st.lists(st.sampled_from(ESCAPES)))
@example([rb"\\", b"ud83d", rb"\uDE00"])
def test_every_lone_surrogate_and_nothing_else_is_replaced(escapes: list[bytes]) -> None:
    """Whatever stands before it, be it text that looks like its other half."""
    body = b'"' + b"".join(escapes) + b'"'

    read = json.loads(pair_surrogates(body))

    # Python joins pairs and keeps halves: UTF-16 replaces those one by one.
    halves = json.loads(body).encode("utf-16", "surrogatepass")
    assert ascii(read) == ascii(halves.decode("utf-16", "replace"))
