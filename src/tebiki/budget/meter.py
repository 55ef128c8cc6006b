"""What an engine holds while it spends: a tab for each call, opened before anything is sent.

Writing is done by one thread in the background; a call waits for it only where a cap is set, and
then not for long. Whatever is wrong with the ledger never fails a call.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Self

from tebiki.budget.clients import caps_in_charge
from tebiki.budget.paid_calls import LONGEST_NAME, CallStart, PaidCall, Spent
from tebiki.budget.prices import TYPICAL
from tebiki.errors import (
    AuthRejected,
    ConfigError,
    ConnectionFailed,
    MissingPrice,
    ModelNotFound,
    OverBudget,
    RateLimited,
    ServerFault,
    UnreadCap,
    UpstreamError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from tebiki.budget.caps import Cap, Caps
    from tebiki.budget.ledger import Ledgers
    from tebiki.budget.prices import PriceList
    from tebiki.budget.shared_caps import SharedCaps
    from tebiki.observability.logs import Log

PATIENCE_SECONDS = 3.0
"""How long a call waits to learn whether a cap lets it pass; a disk that hangs is no reason."""

FREE_OF_CHARGE = (ConfigError, OverBudget, AuthRejected, ModelNotFound, RateLimited, ServerFault)
"""What the API does not bill: it refused, or was never asked."""


class Meter:
    """Opens tabs, and sees to it that each is written down when it is closed."""

    def __init__(
        self,
        ledgers: Ledgers,
        caps: Caps,
        prices: PriceList,
        log: Log,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        new_id: Callable[[], str],
        shared: SharedCaps | None = None,
    ) -> None:
        """`shared`: what counts for the caps of several machines, instead of the ledgers."""
        self._shared = shared
        self._ledgers = ledgers
        self._caps = caps
        self._prices = prices
        self._clock = clock
        self._monotonic = monotonic
        self._new_id = new_id
        self._log = log
        self._clerk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._open = 0
        self._closed_one = threading.Condition()

    def call(self, tool: str, model: str) -> Tab:
        """Open a tab: `async with meter.call(…) as tab`.

        Raises (on entering):
            OverBudget: a cap of the user's forbids the call.
            MissingPrice: a daily cap is set that could not count it.
            UnreadCap: a cap is set to something that is none.
        """
        return Tab(self, tool, model)

    def resume(self, tool: str, model: str, start: CallStart) -> Tab:
        """Open the tab of a call again that was begun before, perhaps by another process.

        Nothing is asked of the caps: they let it pass then.
        """
        return Tab(self, tool, model, start)

    def close(self, patience_seconds: float) -> None:
        """Wait a moment until what has ended is written."""
        with self._closed_one:
            self._closed_one.wait_for(lambda: self._open == 0, patience_seconds)
        try:
            self._clerk.submit(lambda: None).result(patience_seconds)
        except FutureTimeoutError:
            self._log.warning(
                "the ledger could not be written in time; the last calls are not in it"
            )

    def now(self) -> tuple[float, float, str]:
        """The moment, the moment as durations are measured, and an id for what begins now."""
        return self._clock(), self._monotonic(), self._new_id()

    def elapsed_ms(self, since: float) -> int:
        """How long ago that was."""
        return max(0, round((self._monotonic() - since) * 1000))

    def cost(self, model: str, spent: Spent) -> float | None:
        """What that is likely to cost."""
        return self._prices.cost(model, spent)

    def note_open(self) -> None:
        """Count a tab that will be closed."""
        with self._closed_one:
            self._open += 1

    def note_closed(self) -> None:
        """Count it no longer."""
        with self._closed_one:
            self._open -= 1
            self._closed_one.notify_all()

    def caps_in_force(self) -> list[Cap]:
        """Which caps a call that begins now has to pass: the user's, then the client's own."""
        own = caps_in_charge()
        return [*([self._caps] if self._caps.any else []), *([own] if own is not None else [])]

    async def admit(self, start: CallStart, caps: Sequence[Cap]) -> None:
        """Ask the caps, if there are any."""
        if not caps:
            return
        if self._shared is not None:
            await self._admit_shared(self._shared, start, caps)
            return
        asked = self._clerk.submit(self._ledgers.begin, start, caps)
        try:
            await asyncio.wait_for(asyncio.wrap_future(asked), PATIENCE_SECONDS)
        except TimeoutError:
            self._log.warning("the ledger does not answer; a call is made without asking the caps")
        except OSError as refused:
            self._log.warning(f"a call is made without asking the caps: {refused}")

    async def _admit_shared(
        self, shared: SharedCaps, start: CallStart, caps: Sequence[Cap]
    ) -> None:
        """Ask the caps of all machines; who does not hear from them in time is refused."""
        asked = self._clerk.submit(shared.begin, start, caps)
        try:
            await asyncio.wait_for(asyncio.wrap_future(asked), PATIENCE_SECONDS)
        except TimeoutError as late:
            raise OverBudget(
                "The shared state that counts paid calls does not answer, so this one was not "
                "sent; try again in a moment",
                PATIENCE_SECONDS,
            ) from late

    def require_caps_read(self, caps: Sequence[Cap]) -> None:
        """See to it that every cap is known that somebody set.

        Raises:
            UnreadCap: one of them is not.
        """
        unread = next((cap.unread for cap in caps if cap.unread is not None), None)
        if unread is not None:
            raise UnreadCap(f"{unread}. Nothing was sent")

    def require_price(self, model: str, caps: Sequence[Cap]) -> None:
        """See to it that a daily cap can count what a model costs.

        Raises:
            MissingPrice: it cannot.
        """
        setting = next((cap.priced_by for cap in caps if cap.priced_by is not None), None)
        if setting is not None and self._prices.price_of(model) is None:
            raise MissingPrice(
                f"{setting} is set, but what {model} costs is not known: name its price in "
                "budget.prices_file, or use another model"
            )

    def name(self, model: str) -> str:
        """A model's name as the ledger may hold it: no secret, nothing that steers a terminal."""
        name = self._log.clean(model)[:LONGEST_NAME]
        return "".join(sign if sign.isprintable() else "?" for sign in name)

    def write(self, call: PaidCall) -> None:
        """Have a closed tab written; does not wait."""
        self._clerk.submit(self._ledgers.end, call)
        if self._shared is not None:
            cost = call.held_usd if call.cost_usd is None else call.cost_usd
            self._clerk.submit(self._shared.end, call.id, cost, self._clock())
        self.note_closed()

    def forget(self, start: CallStart, *, begun: bool) -> None:
        """Keep nothing of a closed tab of which nothing was sent; does not wait.

        `begun`: the caps were asked, and have noted that it would be.
        """
        if begun:
            self._clerk.submit(self._ledgers.forget, start)
            if self._shared is not None:
                self._clerk.submit(self._shared.end, start.id, 0.0, self._clock())
        self.note_closed()


class Tab:
    """One paid call, from before it is sent until it has ended in whatever way."""

    def __init__(self, meter: Meter, tool: str, model: str, begun: CallStart | None = None) -> None:
        self._meter = meter
        self._tool = tool
        self._model = model
        self._spent: Spent | None = None
        self._caps: Sequence[Cap] = ()
        self._begun = begun
        self._is_left = False
        self._start, self._since = begun or CallStart(0.0, "", 0.0), 0.0

    @property
    def start(self) -> CallStart:
        """When the call began, and by which id the ledger knows it."""
        return self._start

    async def __aenter__(self) -> Self:
        time, self._since, id_ = self._meter.now()
        if self._begun is not None:
            self._meter.note_open()
            return self
        self._caps = self._meter.caps_in_force()
        client = "".join(cap.client for cap in self._caps)
        self._start = CallStart(time, id_, self._typical_usd(), client)
        self._meter.note_open()
        try:
            self._meter.require_caps_read(self._caps)
            self._meter.require_price(self._model, self._caps)
            await self._meter.admit(self._start, self._caps)
        except (OverBudget, MissingPrice, UnreadCap) as refused:
            self._close("refused", refused)
            raise
        except asyncio.CancelledError:
            # Nothing was sent, but the caps may have noted a beginning.
            self._spent = Spent(self._model)
            self._close("cancelled", None)
            raise
        return self

    def change_model(self, model: str) -> None:
        """Go on with another model.

        Raises:
            MissingPrice: a daily cap is set that could not count it.
        """
        self._meter.require_price(model, self._caps)
        self._model = model

    def settle(self, spent: Spent) -> float | None:
        """Note what the API reports; gives what that is likely to cost."""
        self._spent = spent
        return self._meter.cost(self._model, spent)

    def leave(self) -> None:
        """Let somebody else note how the call ended."""
        self._is_left = True

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_left:
            self._meter.note_closed()
        elif failure is None:
            self._close("ok", None)
        elif isinstance(failure, asyncio.CancelledError):
            self._close("cancelled", None)
        elif isinstance(failure, UpstreamError) and not failure.was_sent:
            self._meter.forget(self._start, begun=bool(self._caps))
        else:
            self._close("failed", failure)

    def _close(self, outcome: str, failure: BaseException | None) -> None:
        cost, held = self._cost(failure)
        self._meter.write(
            PaidCall(
                time=self._start.time,
                id=self._start.id,
                tool=self._tool,
                model=self._meter.name(self._model),
                spent=self._spent or Spent(self._model, attempts=_attempts(failure)),
                cost_usd=cost,
                held_usd=held,
                duration_ms=self._meter.elapsed_ms(self._since),
                outcome=outcome,
                error=None if failure is None else type(failure).__name__,
                client=self._start.client,
            )
        )

    def _cost(self, failure: BaseException | None) -> tuple[float | None, float]:
        """What the call cost, if that is known, and else what the caps count for it."""
        if self._spent is not None:
            return self._meter.cost(self._model, self._spent), 0.0
        if isinstance(failure, FREE_OF_CHARGE):
            return 0.0, 0.0
        if isinstance(failure, ConnectionFailed):
            # Not known, but mostly it was never reached; working offline must not use up a cap.
            return None, 0.0
        # Timed out, cancelled, unreadable: billed, though nobody says how much.
        return None, round(self._typical_usd() * _attempts(failure), 6)

    def _typical_usd(self) -> float:
        return self._meter.cost(self._model, TYPICAL._replace(model=self._model)) or 0.0


def _attempts(failure: BaseException | None) -> int:
    return failure.attempts if isinstance(failure, UpstreamError) else 1
