"""Results on their way to the SDK: whatever a tool gives can be sent."""

from __future__ import annotations

from typing import Any

import pytest

from tebiki.web.endpoint import speakable

LONE = "a\ud800b"


@pytest.mark.requirement("http:serving:surrogates")
@pytest.mark.parametrize(
    ("block", "sent"),
    [
        ({"type": "text", "text": LONE}, {"type": "text", "text": "a?b"}),
        (
            {"type": "resource", "resource": {"uri": "test://x", "text": LONE}},
            {"type": "resource", "resource": {"uri": "test://x", "text": "a?b"}},
        ),
    ],
    ids=["text", "resource"],
)
def test_a_lone_surrogate_is_replaced_in_every_block(
    block: dict[str, Any], sent: dict[str, Any]
) -> None:
    """By one sign, and not only in the first; what is good stays the very same object."""
    good = {"content": [{"type": "text", "text": "本"}]}

    spoken = speakable({"content": [*good["content"], block]})

    assert str(spoken["content"][1]).replace("\N{REPLACEMENT CHARACTER}", "?") == str(sent)
    assert speakable(good) is good
