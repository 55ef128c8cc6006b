"""What becomes of an answer whose client was lost, when minutes pass and nobody asks for it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tebiki.answers.pending import LONGEST_LOST_SECONDS, PendingAnswers
from tebiki.answers.survival import BackgroundAsk, Survivors
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.responses.background import BackgroundResponses
from tebiki.responses.client import Access, Responder
from tebiki.responses.retry import RetryRule
from tebiki.values.callers import Caller, calling
from tests.support.ledgers import meter_of

if TYPE_CHECKING:
    from pathlib import Path

ASK = BackgroundAsk(
    request={"model": "gpt-5.2", "input": "simulate: hang", "background": True},
    key="key",
    client="",
    profile="answer_detailed",
    model="gpt-5.2",
    rule=RetryRule(1, 0.0, 0.0),
    timeout_seconds=3600.0,
)
"""Of a client that would wait for an hour."""


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock can be put forward."""

    ahead = 0.0

    def time(self) -> float:
        """The seconds of the system's clock, and those that were jumped over."""
        return super().time() + self.ahead


@pytest.mark.requirement("answers:background:lost-for-long")
@pytest.mark.parametrize("seconds", [LONGEST_LOST_SECONDS - 30, LONGEST_LOST_SECONDS + 1])
def test_a_lost_answer_is_cancelled_after_ten_minutes(tmp_path: Path, seconds: float) -> None:
    """By the server that lost it; not before, and it is never created again."""
    loop = JumpingLoop()
    log = Log("test", Redactor(None))

    async def lose(survivors: Survivors, begun: asyncio.Event) -> None:
        with calling(Caller(is_called_off=lambda: False)):
            call = asyncio.create_task(survivors.ask(ASK, lambda _event: begun.set()))
            await begun.wait()
            call.cancel()
            await asyncio.wait({call})
        loop.ahead = seconds
        if seconds > LONGEST_LOST_SECONDS:
            await asyncio.to_thread(simulator.wait_for_requests, 2)
        else:
            await asyncio.sleep(0)

    async def run() -> None:
        access = Access(simulator.base_url, "test-key", "OPENAI_API_KEY")
        responder = Responder(access, log, time.monotonic, lambda: 0.0)
        responses = BackgroundResponses(responder, log, time.monotonic)
        pending = PendingAnswers(str(tmp_path / "answers"), time.time, log.warning)
        meter = meter_of()
        await lose(Survivors(responses, pending, meter, time.time, log), asyncio.Event())
        await responder.close()

    with Simulator() as simulator, asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(run())
        asked = [request.path for request in simulator.requests]

    creates = [path for path in asked if path == "/v1/responses"]
    cancels = [path for path in asked if path.endswith("/cancel")]
    assert len(creates) == 1
    assert len(cancels) == (seconds > LONGEST_LOST_SECONDS)
