"""The hall: one client's requests, which of them are running, and what goes back to it.

Rules:
 1. A request is in flight from its arrival until its answer is handed to the channel; both ends
    happen under one lock, so a cancelled request can never be answered.
 2. Ids are compared by type: 7 is not "7".
 3. Nothing a client sends can end the session; every failure leaves through the error map.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from tebiki.errors import (
    InvalidRequest,
    MethodNotFound,
    ProtocolError,
    TooManyCalls,
    UsageError,
)
from tebiki.protocol import eras, messages
from tebiki.server.error_map import ErrorMap, Outcome, WireError
from tebiki.server.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.observability.logs import Log
    from tebiki.protocol.messages import Notification, Request, RequestId
    from tebiki.server.background import Background
    from tebiki.server.calls import Desk, Job
    from tebiki.server.enquiries import Enquiries
    from tebiki.server.progress import ProgressNotice

MOST_CALLS_IN_FLIGHT = 1000
"""Far above what any host runs at once; a runaway client is told so instead of served to death."""

LONGEST_SHOWN_METHOD = 100
"""Characters of an unknown method that its error repeats: any real name, and no page."""


class Channel(Protocol):
    """The way back to the client."""

    def send(self, message: dict[str, Any]) -> None:
        """Send an answer; never blocks."""

    def offer(self, message: dict[str, Any]) -> None:
        """Send what may be dropped when the client does not keep up."""


class InFlight:
    """A request that is being worked on; its progress is told until it is answered or cancelled."""

    def __init__(
        self, request: Request, emit: Callable[[InFlight, ProgressNotice], None], *, modern: bool
    ) -> None:
        self.id = request.id
        self.modern = modern
        self.token = eras.progress_token(request.params)
        self.progress = Progress(None if self.token is None else partial(emit, self))
        self.job: Job | None = None


class Session:
    """Everything between the door and the desk, for one client.

    The desk is fetched when it is first needed: a handshake is answered before any tool is loaded.
    """

    def __init__(
        self,
        *,
        identity: eras.Identity,
        desk: Callable[[], Desk],
        enquiries: Callable[[], Enquiries],
        channel: Channel,
        background: Background,
        errors: ErrorMap,
        log: Log,
    ) -> None:
        self._identity = identity
        self._desk = desk
        self._enquiries = enquiries
        self._channel = channel
        self._background = background
        self._errors = errors
        self._log = log
        self._lock = threading.Condition()
        self._in_flight: dict[RequestId, InFlight] = {}
        self._lists: dict[tuple[str, bool], messages.Prepared] = {}
        self._declared: Any = None
        self._methods: dict[str, Callable[[Any, bool], dict[str, Any] | messages.Prepared]] = {
            "initialize": self._initialize,
            "ping": self._ping,
            "server/discover": self._discover,
            "tools/list": self._list_tools,
        }

    def receive(self, body: bytes) -> None:
        """Take one message from the client."""
        try:
            incoming = messages.read(body)
        except ProtocolError as broken:
            self._log.debug(f"recv unusable: {broken}")
            request_id = broken.request_id if isinstance(broken, InvalidRequest) else None
            self._refuse(request_id, self._errors.protocol_error(broken))
            return
        match incoming:
            case messages.Request():
                self._log.debug(f"recv method={incoming.method} id={incoming.id!r}")
                failure = self._errors.guard(lambda: self._answer(incoming))
                if failure is not None:
                    self._send(incoming.id, failure)
            case messages.Notification():
                self._log.debug(f"recv method={incoming.method} (notification)")
                self._note(incoming)
            case messages.Response():
                self._log.debug("recv a response, ignored")

    def refuse_overlong(self, length: int, limit: int) -> None:
        """Answer a message that was too long to keep."""
        reason = f"Invalid Request: a message of {length} bytes; the limit is {limit}"
        self._refuse(None, self._errors.protocol_error(InvalidRequest(reason)))

    def drain(self) -> None:
        """Return once every running call has been answered: end of input is no cancellation."""
        with self._lock:
            while self._in_flight:
                self._lock.wait()

    def _refuse(self, request_id: RequestId | None, error: WireError) -> None:
        self._channel.send(messages.error(request_id, *error))

    def _send(self, request_id: RequestId, outcome: Outcome, *, modern: bool = False) -> None:
        if isinstance(outcome, WireError):
            self._refuse(request_id, outcome)
            return
        result = eras.complete(outcome, self._identity) if modern else outcome
        self._channel.send(messages.result(request_id, result))

    def _answer(self, request: Request) -> None:
        with self._lock:
            self._refuse_duplicate(request.id)
        # `initialize` is answered whatever its params hold.
        modern = request.method != "initialize" and eras.is_modern(request.params)
        if request.method == "tools/call":
            self._begin_call(request, modern=modern)
            return
        if eras.CAPABILITY_OF.get(request.method) in self._identity.capabilities:
            self._enquire(request, modern=modern)
            return
        method = self._methods.get(request.method)
        if method is None:
            # Cleaned before it is cut: half a key would pass the scrubber.
            named = self._log.clean(request.method)[:LONGEST_SHOWN_METHOD]
            raise MethodNotFound(f"Method not found: {named}")
        self._channel.send(messages.result(request.id, method(request.params, modern)))

    def _initialize(self, params: Any, _modern: bool) -> dict[str, Any]:
        self._declared = params.get("capabilities") if isinstance(params, dict) else None
        return eras.initialize_result(self._identity, self._declared)

    def _ping(self, _params: Any, modern: bool) -> dict[str, Any]:
        if modern:
            raise MethodNotFound(f"Method not found: ping is not part of {eras.MODERN_VERSION}")
        return {}

    def _discover(self, params: Any, _modern: bool) -> dict[str, Any]:
        return eras.discover_result(self._identity, eras.declared_in(params))

    def _list_tools(self, params: Any, modern: bool) -> messages.Prepared:
        """The tools never change while a process lives, so each era's list is written once."""
        declared = eras.declared_in(params) if modern else self._declared
        shows_apps = self._identity.offers_app_to(declared)
        kept = f"tools/list{' with apps' if shows_apps else ''}", modern
        if kept not in self._lists:
            listed: dict[str, Any] = {"tools": self._desk().definitions(shows_apps=shows_apps)}
            if modern:
                listed = eras.cacheable(eras.complete(listed, self._identity))
            self._lists[kept] = messages.prepare(listed)
        return self._lists[kept]

    def _begin_call(self, request: Request, *, modern: bool) -> None:
        desk = self._desk()
        order = desk.find(request.params)
        try:
            order = order.check()
            entry = self._enter(request, modern=modern)
        except UsageError as refused:
            failure = self._errors.translate(refused, order.tool.family)
            self._send(request.id, failure, modern=modern)
            return
        self._start(
            entry, lambda finish: desk.begin(order, entry.progress, self._background, finish)
        )

    def _enquire(self, request: Request, *, modern: bool) -> None:
        """Answer what is asked beside tools: at once where it is always the same."""
        from tebiki.server.enquiries import Enquiry  # not where nobody asks for more than tools

        enquiries = self._enquiries()
        enquiry = Enquiry(request.method, request.params, modern)
        kept = request.method, modern
        if kept not in self._lists and (fixed := enquiries.fixed(enquiry)) is not None:
            whole = eras.complete(fixed, self._identity) if modern else fixed
            self._lists[kept] = messages.prepare(whole)
        if kept in self._lists:
            self._channel.send(messages.result(request.id, self._lists[kept]))
            return
        try:
            entry = self._enter(request, modern=modern)
        except UsageError as refused:
            self._send(request.id, self._errors.translate(refused, enquiry.family))
            return
        self._start(entry, lambda finish: enquiries.begin(enquiry, finish))

    def _start(self, entry: InFlight, begin: Callable[[Callable[[Outcome], None]], Job]) -> None:
        with ExitStack() as if_it_cannot_begin:
            if_it_cannot_begin.callback(self._forget, entry)
            entry.progress.begin()
            entry.job = begin(partial(self._finish, entry))
            if_it_cannot_begin.pop_all()

    def _forget(self, entry: InFlight) -> None:
        """Take back a call that could not be begun."""
        with self._lock:
            self._in_flight.pop(entry.id, None)
            self._lock.notify_all()
        entry.progress.end()

    def _enter(self, request: Request, *, modern: bool) -> InFlight:
        with self._lock:
            if len(self._in_flight) >= MOST_CALLS_IN_FLIGHT:
                raise TooManyCalls(
                    f"{MOST_CALLS_IN_FLIGHT} calls are already running; wait for some to finish"
                )
            entry = InFlight(request, self._emit, modern=modern)
            self._in_flight[request.id] = entry
            return entry

    def _refuse_duplicate(self, request_id: RequestId) -> None:
        if request_id in self._in_flight:
            raise InvalidRequest("Invalid Request: a request with this id is still in flight")

    def _emit(self, entry: InFlight, notice: ProgressNotice) -> None:
        """Tell how far a call is, unless it is over or cancelled."""
        params = {
            "progressToken": entry.token,
            "progress": notice.progress,
            "message": notice.message,
        }
        if notice.total is not None:
            params["total"] = notice.total
        with self._lock:
            if self._in_flight.get(entry.id) is entry:
                self._channel.offer(messages.notification("notifications/progress", params))

    def _finish(self, entry: InFlight, outcome: Outcome) -> None:
        try:
            with self._lock:
                if self._in_flight.get(entry.id) is not entry:
                    return
                del self._in_flight[entry.id]
                self._lock.notify_all()
                self._send(entry.id, outcome, modern=entry.modern)
        finally:
            entry.progress.end()

    def _note(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            self._cancel(notification.params)

    def _cancel(self, params: Any) -> None:
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            return
        with self._lock:
            entry = self._in_flight.pop(request_id, None)
            self._lock.notify_all()
        if entry is None:
            return
        self._log.debug(f"cancelled requestId={request_id} reason={params.get('reason')}")
        entry.progress.end()
        if entry.job is not None:
            entry.job.cancel()
