"""A stream that was followed to its final event leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import time
from types import AsyncGeneratorType

from simulator import Simulator
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.responses.client import Access, Responder
from tebiki.responses.retry import RetryRule

TURNS = 30
"""Of the loop: each ends what the one before it let go of."""


def _streams() -> list[object]:
    return [one for one in gc.get_objects() if isinstance(one, AsyncGeneratorType)]


def test_no_stream_is_left_to_the_garbage_collector() -> None:
    """It would be ended in whichever thread looks for garbage, while the loop ends it too."""
    with Simulator() as simulator:
        access = Access(simulator.base_url, "test-key", "OPENAI_API_KEY")

        async def ask() -> list[object]:
            responder = Responder(access, Log("test", Redactor(None)), time.monotonic, lambda: 0.0)
            request = {"model": "gpt-5.2", "input": "hello"}
            await responder.create(request, RetryRule(1, 0.0, 0.0), 30.0, lambda _event: None)
            for _ in range(TURNS):
                await asyncio.sleep(0)
            left = _streams()
            await responder.close()
            return left

        gc.collect()
        gc.disable()
        try:
            assert asyncio.run(ask()) == []
        finally:
            gc.enable()
