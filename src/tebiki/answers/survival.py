"""Answers that outlive their client: each is followed by a task of its own, whoever waits for it.

A client that calls off has the response cancelled. One that is lost leaves it running for a while;
whoever of the same name asks the same then is given that answer, in this process or in the next.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tebiki.answers.pending import LONGEST_LOST_SECONDS, Pending
from tebiki.budget.paid_calls import CallStart
from tebiki.errors import TebikiError, UpstreamError, UpstreamTimeout
from tebiki.responses.background import ResponsePlace
from tebiki.responses.client import Exchange
from tebiki.responses.failures import NOT_FOUND
from tebiki.responses.replies import reply_from_json
from tebiki.values.callers import current_caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.answers.pending import HeldAnswer, PendingAnswers
    from tebiki.budget.meter import Meter, Tab
    from tebiki.observability.logs import Log
    from tebiki.responses.background import BackgroundResponses
    from tebiki.responses.replies import Json
    from tebiki.responses.retry import RetryRule
    from tebiki.values.callers import Caller

CALL_OFF_SECONDS = 5.0
"""How long whoever calls off, or hears of a failure, waits for the API to have heard of it."""


@dataclass(frozen=True, slots=True)
class BackgroundAsk:
    """A question for the background: the request, whose it is, and how patient we are."""

    request: Json
    key: str
    client: str
    profile: str
    model: str
    rule: RetryRule
    timeout_seconds: float


class Waiter:
    """Somebody who waits for an answer."""

    def __init__(self, caller: Caller, on_event: Callable[[Json], None]) -> None:
        self.caller = caller
        self.on_event = on_event


class Survivor:
    """One background answer of this process, followed to its end."""

    def __init__(self, ask: BackgroundAsk, held: HeldAnswer | None) -> None:
        self.ask = ask
        self.held = held
        self.waiters: set[Waiter] = set()
        self.is_called_off = False
        self.limit: asyncio.Timeout | None = None
        self.task: asyncio.Task[Exchange] | None = None

    def hear(self, event: Json) -> None:
        """Hand an event to everybody who waits."""
        for waiter in list(self.waiters):
            waiter.on_event(event)

    async def is_deserted(self) -> bool:
        """Tell whether everybody who waits is gone; the SDK goes on for a client that it lost."""
        return bool(self.waiters) and all([await one.caller.is_gone() for one in self.waiters])

    def is_worth_waiting_for(self) -> bool:
        """Tell whether it runs, or has ended well."""
        task = self.task
        if task is None or not task.done():
            return task is not None
        return not task.cancelled() and task.exception() is None

    def bound(self, seconds: float) -> None:
        """Give it so much time from now on."""
        if self.limit is not None and self.task is not None and not self.task.done():
            self.limit.reschedule(asyncio.get_running_loop().time() + seconds)


class Survivors:
    """The background answers of one process; only used in the loop's own thread."""

    def __init__(
        self,
        responses: BackgroundResponses,
        pending: PendingAnswers,
        meter: Meter,
        clock: Callable[[], float],
        log: Log,
    ) -> None:
        self._responses = responses
        self._pending = pending
        self._meter = meter
        self._clock = clock
        self._log = log
        self._followed: set[Survivor] = set()
        self._lost: dict[str, Survivor] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_swept = False

    async def ask(self, ask: BackgroundAsk, on_event: Callable[[Json], None]) -> Exchange:
        """Have a question answered; one that was lost on the way is taken up instead.

        Raises:
            OverBudget, MissingPrice: a cap of the user's forbids it.
            UpstreamError: nothing usable came back.
        """
        self._sweep()
        held = self._pending.take(lambda one: one.request == ask.key)
        survivor = self._lost.pop(ask.key, None)
        if survivor is not None and survivor.held is not None and held is None:
            survivor = None  # another process has taken it up since, or its answer was heard there
        survivor = survivor or await self._find_deserted(ask.key)
        if survivor is not None and survivor.is_worth_waiting_for():
            survivor.waiters.clear()
            survivor.bound(ask.timeout_seconds)
            survivor.held = held or survivor.held
            self._log.debug("background answer taken up again on its way")
            return await self._wait(survivor, on_event, resumed=True)
        return await self._wait(self._follow(ask, held), on_event, resumed=held is not None)

    async def _find_deserted(self, key: str) -> Survivor | None:
        """An answer that is followed for nobody any more."""
        for survivor in list(self._followed):
            if survivor.ask.key == key and await survivor.is_deserted():
                return survivor
        return None

    async def resume(
        self, held: HeldAnswer, ask: BackgroundAsk, on_event: Callable[[Json], None]
    ) -> Exchange:
        """Take up an answer that was lost on the way.

        Raises:
            UpstreamError: nothing usable came back.
        """
        return await self._wait(self._follow(ask, held), on_event, resumed=True)

    def _follow(self, ask: BackgroundAsk, held: HeldAnswer | None) -> Survivor:
        survivor = Survivor(ask, held)
        survivor.task = self._keep(asyncio.create_task(self._run(survivor)))
        self._followed.add(survivor)
        survivor.task.add_done_callback(lambda _task: self._followed.discard(survivor))
        return survivor

    async def _wait(
        self, survivor: Survivor, on_event: Callable[[Json], None], *, resumed: bool
    ) -> Exchange:
        task = survivor.task
        if task is None:
            raise RuntimeError("an answer that nobody follows is waited for")
        waiter = Waiter(current_caller(), on_event)
        survivor.waiters.add(waiter)
        try:
            exchange = await asyncio.shield(task)
        except asyncio.CancelledError:
            if waiter in survivor.waiters:
                await self._leave(survivor, waiter, task)
            raise
        except TebikiError:
            self._forget(survivor)
            raise
        # Whoever is not among them any more was lost, and another has taken the answer up.
        if waiter in survivor.waiters:
            survivor.waiters.remove(waiter)
            if await waiter.caller.is_gone():
                self._lose(survivor)
            else:
                self._forget(survivor)
        return replace(exchange, remarks={"resumed": True}) if resumed else exchange

    async def _leave(
        self, survivor: Survivor, waiter: Waiter, task: asyncio.Task[Exchange]
    ) -> None:
        """Stop waiting: an answer that was called off ends, one whose client is lost goes on."""
        survivor.waiters.remove(waiter)
        if not waiter.caller.is_called_off():
            self._lose(survivor)
            return
        survivor.is_called_off = True
        task.cancel()
        # Where this call itself may still wait, the process does not end before the API has heard.
        await asyncio.wait({task}, timeout=CALL_OFF_SECONDS)

    def _lose(self, survivor: Survivor) -> None:
        """Let an answer go on for a while, for whoever asks the same again."""
        survivor.bound(LONGEST_LOST_SECONDS)
        if survivor.held is not None:
            survivor.held.touch(self._clock())
            survivor.held.release()
        self._lost[survivor.ask.key] = survivor
        self._log.debug("background answer lost on its way to the client; it goes on for a while")
        loop = asyncio.get_running_loop()
        loop.call_later(LONGEST_LOST_SECONDS, self._expire, survivor)

    def _expire(self, survivor: Survivor) -> None:
        if self._lost.get(survivor.ask.key) is survivor:
            del self._lost[survivor.ask.key]
            self._sweep(again=True)

    def _forget(self, survivor: Survivor) -> None:
        if survivor.held is not None:
            survivor.held.remove()

    async def _run(self, survivor: Survivor) -> Exchange:
        ask, held = survivor.ask, survivor.held
        if held is None:
            tab = self._meter.call(ask.profile, ask.model)
        else:
            tab = self._meter.resume(ask.profile, ask.model, _start_of(held.pending))
        async with tab:
            place = ResponsePlace(
                lambda response: self._note(survivor, tab, response),
                None if held is None else held.pending.response,
            )
            try:
                async with asyncio.timeout(ask.timeout_seconds) as survivor.limit:
                    exchange = await self._responses.follow(
                        ask.request, place, ask.rule, lambda event: self._hear(survivor, event)
                    )
            except TimeoutError as late:
                if survivor.held is not None and not survivor.held.hold_again():
                    # Another process follows it, or has heard it: what becomes of it is told there.
                    tab.leave()
                    raise
                await self._call_off(place.id, tab)
                self._forget(survivor)
                raise UpstreamTimeout(
                    f"The answer was not ready within {ask.timeout_seconds:g} s and was called "
                    "off; if it needs longer, raise request.timeout_ms",
                    name="TimeoutError",
                ) from late
            except asyncio.CancelledError:
                # The end of the process is no reason to call anything off.
                if survivor.is_called_off:
                    await self._call_off(place.id, tab)
                    self._forget(survivor)
                raise
            except UpstreamError as failure:
                # Nobody can follow it any more: what may still run there would be paid for unheard.
                if failure.status != NOT_FOUND:
                    await self._call_off(place.id, tab)
                raise
            cost = tab.settle(exchange.spent())
            return replace(exchange, cost_usd=cost)

    def _hear(self, survivor: Survivor, event: Json) -> None:
        if survivor.held is not None:
            survivor.held.touch(self._clock())
        survivor.hear(event)

    def _note(self, survivor: Survivor, tab: Tab, response: str) -> None:
        """Note the id of a response as soon as it is known."""
        ask, start = survivor.ask, tab.start
        survivor.held = self._pending.begin(
            Pending(
                response=response,
                request=ask.key,
                client=ask.client,
                profile=ask.profile,
                model=ask.model,
                time=start.time,
                ledger=start.id,
                payer=start.client,
            )
        )
        self._log.debug(f"background response={response} begun")

    async def _call_off(self, response: str | None, tab: Tab) -> None:
        """Cancel a response at the API, and note what it took if that is told in time."""
        if response is None:
            return
        asked = self._keep(asyncio.create_task(self._cancel(response)))
        # An API that does not answer is asked beside whoever waits for our answer.
        await asyncio.wait({asked}, timeout=CALL_OFF_SECONDS)
        body = asked.result() if asked.done() else None
        if body is not None and isinstance(body.get("usage"), dict):
            tab.settle(Exchange(reply_from_json(body), 1, 0).spent())

    async def _cancel(self, response: str) -> Json | None:
        try:
            return await self._responses.cancel(response)
        except UpstreamError as failure:
            self._log.debug(f"background response={response} could not be cancelled: {failure}")
            return None

    def _sweep(self, *, again: bool = False) -> None:
        """End what nobody has asked for in time, beside whatever runs."""
        if again or not self._has_swept:
            self._has_swept = True
            for held in self._pending.take_old():
                self._keep(asyncio.create_task(self._end(held)))

    async def _end(self, held: HeldAnswer) -> None:
        """End an answer that was lost too long ago; the ledger counts it."""
        kept = held.pending
        try:
            body = await self._responses.cancel(kept.response)
        except UpstreamError as failure:
            if failure.status is None:
                held.release()
            else:
                held.remove()
            return
        held.remove()
        async with self._meter.resume(kept.profile, kept.model, _start_of(kept)) as tab:
            tab.settle(Exchange(reply_from_json(body), 1, 0).spent())

    def _keep(self, task: asyncio.Task[Any]) -> asyncio.Task[Any]:
        """The loop itself holds its tasks only weakly."""
        self._tasks.add(task)
        task.add_done_callback(self._end_task)
        return task

    def _end_task(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._log.debug(f"background answer: {task.exception()}")


def _start_of(pending: Pending) -> CallStart:
    """How the ledger knows an answer that was begun before."""
    return CallStart(pending.time, pending.ledger, 0.0, pending.payer)
