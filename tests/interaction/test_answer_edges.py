"""Answers at their edges, on the real process: joined texts, receipts, bounds, odd keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.interaction.conftest import Connect


@pytest.mark.requirement("answers:result:text")
def test_parts_of_a_text_are_joined(start: Connect) -> None:
    """In order, with nothing between them."""
    result = start().call(1, "answer", {"query": "simulate: parts"})["result"]

    assert result["structuredContent"]["answer"].startswith("First part. Second part. About ")


@pytest.mark.requirement("answers:citations:at-most", "config:policy:max-citations")
@pytest.mark.parametrize("most", [1, 5])
def test_the_number_of_citations_can_be_set(start: Connect, most: int) -> None:
    """`MAX_CITATIONS` bounds citations and dated lines alike."""
    server = start(env={"MAX_CITATIONS": str(most)})

    answer = server.call(1, "answer", {"query": "simulate: many"})["result"]["structuredContent"]

    assert len(answer["citations"]) == most
    assert answer["answer"].partition("Sources:\n")[2].count("\n- ") == most - 1


@pytest.mark.requirement("answers:receipt:meta")
def test_the_receipt_has_every_entry(start: Connect) -> None:
    """What the API reported and what the call took; a known model has an estimate."""
    result = start().call(1, "answer", {"query": "simulate: opened"})["result"]

    receipt = result["_meta"]["tebiki/receipt"]
    assert set(receipt) == {
        "model",
        "response_id",
        "searches",
        "pages_opened",
        "tokens",
        "estimated_cost_usd",
        "attempts",
        "elapsed_ms",
    }
    assert set(receipt["tokens"]) == {"input", "output", "cached", "reasoning"}
    assert receipt["pages_opened"] == 1


@pytest.mark.requirement("answers:errors:odd-key")
@pytest.mark.parametrize("key", ["two words", "鍵"])
def test_a_key_that_cannot_be_one_is_not_sent(
    start: Connect, simulator: Simulator, key: str
) -> None:
    """Blanks inside or characters beyond ASCII: the call says so and does not repeat it."""
    error = start(env={"OPENAI_API_KEY": key}).call(1, "answer", {"query": "x"})["error"]

    assert "OPENAI_API_KEY to a key without blanks" in error["data"]["message"]
    assert key not in error["data"]["message"]
    assert simulator.requests == []
