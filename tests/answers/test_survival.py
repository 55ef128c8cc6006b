"""What becomes of an answer whose client was lost, when minutes pass and nobody asks for it."""

from __future__ import annotations

import asyncio
import resource
import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

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
from tests.interaction.test_background import asked
from tests.interaction.test_ledger import calls_in
from tests.support.ledgers import meter_of, process_ledgers
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
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


class Parties(NamedTuple):
    """Two servers that share a folder of pending answers, and the clock of both."""

    lost: Survivors
    other: Survivors
    loop: JumpingLoop
    simulator: Simulator


def parties(tmp_path: Path, run: Callable[[Parties], Awaitable[None]]) -> list[str]:
    """Let two servers act; gives what the API was asked for."""
    loop = JumpingLoop()
    log = Log("test", Redactor(None))
    meters = [meter_of(ledgers=process_ledgers(tmp_path / "ledger.db")) for _ in range(2)]

    async def act() -> None:
        access = Access(simulator.base_url, "test-key", "OPENAI_API_KEY")
        responder = Responder(access, log, time.monotonic, lambda: 0.0)
        responses = BackgroundResponses(responder, log, time.monotonic)
        folder = str(tmp_path / "answers")
        first, second = (
            Survivors(
                responses, PendingAnswers(folder, time.time, log.warning), meter, time.time, log
            )
            for meter in meters
        )
        await run(Parties(first, second, loop, simulator))
        for meter in meters:
            await asyncio.to_thread(meter.close, PATIENCE_SECONDS)
        await responder.close()

    with Simulator() as simulator, asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(act())
        return asked(simulator)


async def begin_and_lose(survivors: Survivors, ask: BackgroundAsk) -> None:
    """Ask, and be lost as soon as the response exists."""
    begun = asyncio.Event()
    with calling(Caller(is_called_off=lambda: False)):
        call = asyncio.create_task(survivors.ask(ask, lambda _event: begun.set()))
        await begun.wait()
        call.cancel()
        await asyncio.wait({call})


@pytest.mark.requirement("answers:background:lost", "answers:background:ledger")
def test_what_another_server_took_up_is_its_own(tmp_path: Path) -> None:
    """Who lost it calls nothing off after ten minutes, and the ledger has one row."""
    cancels: list[int] = []

    async def run(parties: Parties) -> None:
        await begin_and_lose(parties.lost, ASK)
        following = asyncio.all_tasks() - {asyncio.current_task()}
        heard = asyncio.Event()
        call = asyncio.create_task(parties.other.ask(ASK, lambda _event: heard.set()))
        await heard.wait()
        parties.loop.ahead = LONGEST_LOST_SECONDS + 1
        await asyncio.wait(following)
        cancels.append(asked(parties.simulator).count("cancel"))
        call.cancel()
        await asyncio.wait({call})

    told = parties(tmp_path, run)

    assert cancels == [0]
    assert told == ["create", "take up", "cancel"]
    (line,) = calls_in(tmp_path / "ledger.db")
    assert line["outcome"] == "cancelled"
    assert list((tmp_path / "answers").iterdir()) == []


@pytest.mark.requirement("answers:background:resumed")
def test_what_was_heard_elsewhere_is_asked_anew(tmp_path: Path) -> None:
    """Who lost an answer does not give it out again once another server has."""
    slow = replace(ASK, request={**ASK.request, "input": "simulate: slow ms=300"})
    remarks = []

    async def run(parties: Parties) -> None:
        await begin_and_lose(parties.lost, slow)
        for survivors in (parties.other, parties.lost):
            exchange = await survivors.ask(slow, lambda _event: None)
            remarks.append(exchange.remarks)

    told = parties(tmp_path, run)

    assert remarks == [{"resumed": True}, {}]
    assert told.count("create") == 2


@pytest.mark.requirement("answers:background:file")
def test_a_full_disk_fails_no_answer(tmp_path: Path) -> None:
    """A file can be made there, and nothing be written; nothing of it is left."""
    quick = replace(ASK, request={**ASK.request, "input": "plain"})
    statuses = []

    async def run(parties: Parties) -> None:
        least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
        try:
            exchange = await parties.lost.ask(quick, lambda _event: None)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
        statuses.append(exchange.reply.status)

    told = parties(tmp_path, run)

    assert statuses == ["completed"]
    assert told == ["create"]
    assert list((tmp_path / "answers").iterdir()) == []
