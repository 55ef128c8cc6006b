"""The SDK's server around our desk: lists tools, runs calls, reports progress.

A tool's outcome is the desk's, so both transports give the same answers. Not here: routes, who is
calling (`principals`), and what a client may do (`budget/clients`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS

from tebiki.errors import UnknownTool
from tebiki.named_tuples import NamedTuple
from tebiki.protocol import codes, messages
from tebiki.protocol.eras import (
    CAPABILITY_OF,
    CLIENT_INFO_KEY,
    LIST_TTL_MS,
    MODERN_VERSION,
    cacheable,
    complete,
    declared_in,
    meta_of,
    progress_token,
)
from tebiki.protocol.messages import compact
from tebiki.server.enquiries import Enquiry
from tebiki.server.error_map import ErrorMap, Outcome, WireError
from tebiki.server.progress import Progress
from tebiki.values.callers import calling
from tebiki.values.surrogates import without_lone_surrogates_inside
from tebiki.web.access_log import note
from tebiki.web.principals import caller_of, owner_of, principal_of
from tebiki.web.telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from mcp.server.context import CallNext, ServerRequestContext

    from tebiki.budget.clients import ClientLimits
    from tebiki.protocol.eras import Identity
    from tebiki.server.calls import Desk, Order
    from tebiki.server.enquiries import Enquiries
    from tebiki.server.progress import ProgressNotice
    from tebiki.web.asgi import Scope
    from tebiki.web.roster import Roster

    Context = ServerRequestContext[Any, Any]
    Reported = AbstractAsyncContextManager[Progress]

OK = 200

MOST_WAITING = 16
"""Progress messages that may wait for a slow client; what comes on top is dropped."""

COMPLETE = {"resultType": "complete"}
"""Needed in the modern era; the SDK leaves it out of answers to older clients."""

NUMBER_KEY = "tebiki.call_number"
"""Where a request keeps how many calls its client has made in this minute."""

HANDLERS = {
    "on_list_resources": "resources/list",
    "on_list_resource_templates": "resources/templates/list",
    "on_read_resource": "resources/read",
    "on_list_prompts": "prompts/list",
    "on_get_prompt": "prompts/get",
    "on_completion": "completion/complete",
}
"""What the SDK calls the handler of a method."""

ENQUIRIES_OF = "\0enquiries"
"""After a client's name: typing with completion must not use up the calls of its tools."""

LAST_WORDS_SECONDS = 1.0
"""How long an answer waits for the progress before it to be sent."""


class Endpoint:
    """Answers MCP requests of every client."""

    has_fast_path = True
    """Whether plain calls need nothing of the SDK; not where tools reach into its session."""

    is_closing: Callable[[], bool] = staticmethod(lambda: False)
    """Whether the server is about to end; the door knows."""

    def __init__(
        self,
        identity: Identity,
        desk: Callable[[], Desk],
        enquiries: Callable[[], Enquiries],
        errors: ErrorMap,
        limits: ClientLimits,
        *,
        roster: Roster | None = None,
    ) -> None:
        self._identity = identity
        self._desk = desk
        self._enquiries = enquiries
        self._list: messages.Prepared | None = None
        self._errors = errors
        self._limits = limits
        self._roster = roster
        self._telemetry = Telemetry(identity.version)
        hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="private")
        # It declares what it has handlers for.
        handlers: dict[str, Any] = {
            handler: partial(self._enquire, method)
            for handler, method in HANDLERS.items()
            if CAPABILITY_OF[method] in identity.capabilities
        }
        self.server: Server[Any] = Server(
            identity.name,
            version=identity.version,
            instructions=identity.instructions,
            cache_hints={"tools/list": hint, "server/discover": hint},
            get_tool_input_schema=lambda _name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            **handlers,
        )
        self.server.middleware.extend([self._count_calls, self._declare_apps])

    async def answer(self, scope: Scope, request: messages.Request) -> tuple[int, bytes]:
        """Answer a plain request of the modern era: the status, and the message as bytes."""
        if request.method == "tools/list":
            outcome = await self._errors.guard_call(self._prepare_list())
        else:
            await self._count(scope, meta_of(request.params).get(CLIENT_INFO_KEY))
            call = AskedCall(request.params, scope, MODERN_VERSION)
            outcome = await self._errors.guard_call(self._outcome(call, Unreported()))
        if isinstance(outcome, WireError):
            status = ERROR_CODE_HTTP_STATUS.get(outcome.code, OK)
            return status, messages.encode(messages.error(request.id, *outcome))
        if request.method == "tools/call":
            outcome = complete(speakable(outcome), self._identity)
        return OK, messages.encode(messages.result(request.id, outcome))

    async def _prepare_list(self) -> Any:
        """The tools never change while a process lives, so their list is written once."""
        if self._list is None:
            # Whoever declares anything, apps included, does not come this way.
            listed = complete(await self._tools(shows_apps=False), self._identity)
            self._list = messages.prepare(cacheable(listed))
        return self._list

    async def _count_calls(self, ctx: Context, call_next: CallNext) -> Any:
        if ctx.method == "tools/call":
            await self._count(_scope(ctx), _introduced(ctx))
        return await call_next(ctx)

    async def _declare_apps(self, ctx: Context, call_next: CallNext) -> Any:
        """Tell of our app those who would show it: the SDK declares the same to all."""
        result = await call_next(ctx)
        if ctx.method in {"initialize", "server/discover"} and isinstance(result, dict):
            found = self._identity.capabilities_for(_declared(ctx))
            if "extensions" in found:
                declared = {**result["capabilities"], "extensions": found["extensions"]}
                return {**result, "capabilities": declared}
        return result

    async def _count(self, scope: Scope, client: Any) -> None:
        """Count a call before anything of it is checked: also a bad one takes our time."""
        name = principal_of(scope).name
        scope[NUMBER_KEY] = await self._limits.count(name)
        if self._roster is not None:
            self._roster.note(name, client)

    async def _list_tools(self, context: Context, _params: Any) -> Any:
        shows_apps = self._identity.offers_app_to(_declared(context))
        return {**await self._result(self._tools(shows_apps=shows_apps)), **COMPLETE}

    async def _call_tool(self, context: Context, _params: Any) -> Any:
        call = AskedCall(context.params, _scope(context), context.protocol_version, context)
        outcome = self._outcome(call, Reporting(context))
        return {**speakable(await self._result(outcome)), **COMPLETE}

    async def _enquire(self, method: str, context: Context, _params: Any) -> Any:
        """Answer what is asked beside tools; counted by itself, apart from calls of tools."""
        is_modern = context.protocol_version == MODERN_VERSION
        scope = _scope(context)
        owner = owner_of(scope, context.protocol_version)
        enquiry = Enquiry(method, context.params, is_modern, owner)
        client = principal_of(scope).name
        number = await self._limits.count(f"{client}{ENQUIRIES_OF}")

        async def work() -> Outcome:
            async with self._limits.call(client, number):
                return await self._enquiries().run(enquiry)

        return {**await self._result(work(), enquiry.family), **COMPLETE}

    async def _result(self, work: Awaitable[Outcome], family: str | None = None) -> dict[str, Any]:
        """A result; whatever is raised instead, a bug included, leaves in the error map's words."""
        outcome = await self._errors.guard_call(work, family)
        if isinstance(outcome, WireError):
            raise MCPError(outcome.code, outcome.message, outcome.data)
        return outcome

    async def _tools(self, *, shows_apps: bool) -> dict[str, Any]:
        return {"tools": self._desk().definitions(shows_apps=shows_apps)}

    async def _outcome(self, asked: AskedCall, reporting: Reported) -> Outcome:
        desk = self._desk()
        try:
            order = desk.find(asked.params)
        except UnknownTool:
            # Clients take the status that goes with -32601 for a broken connection.
            return WireError(codes.INVALID_PARAMS, "Unknown tool")
        note(asked.scope, "tool", order.tool.name)
        with self._telemetry.call(order.tool.name) as ending:
            outcome = await self._errors.guard_call(
                self._run(desk, order, asked, reporting), order.tool.family
            )
            ending.tell(outcome)
            return outcome

    async def _run(
        self, desk: Desk, order: Order, asked: AskedCall, reporting: Reported
    ) -> Outcome:
        owner = owner_of(asked.scope, asked.version)
        async with self._limits.call(principal_of(asked.scope).name, asked.scope[NUMBER_KEY]):
            checked = order.check()
            caller = caller_of(asked.scope, asked.version, asked.context, self.is_closing)
            with calling(caller):
                async with reporting as progress:
                    return await desk.run(checked, progress, owner)


class AskedCall(NamedTuple):
    """A call as it came: its params, its request, the revision it speaks, what the SDK knows."""

    params: Any
    scope: Scope
    version: str
    context: Context | None = None


def _declared(context: Context) -> Any:
    """What a client declares of itself: with this request, or when its session began."""
    params = context.params
    if context.method == "initialize":
        return params.get("capabilities") if isinstance(params, dict) else None
    known = context.session.client_capabilities
    return declared_in(params) or (known and {"extensions": known.extensions})


def _introduced(context: Context) -> Any:
    """As whom a client introduced itself, in whichever era."""
    info = meta_of(context.params).get(CLIENT_INFO_KEY)
    if info is not None:
        return info
    params = getattr(context.session, "client_params", None)
    info = getattr(params, "client_info", None) or getattr(params, "clientInfo", None)
    return {"name": info.name, "version": info.version} if info is not None else None


def _scope(context: Context) -> Scope:
    if context.request is None:
        raise RuntimeError("a call that came by no request")
    scope: Scope = context.request.scope
    return scope


class Unreported:
    """The progress of a call whose client wants to hear none."""

    async def __aenter__(self) -> Progress:
        return Progress(None)

    async def __aexit__(self, *_: object) -> None:
        """There was nothing to send."""


class Reporting:
    """Sends a call's progress in order, beside the call, while it runs."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._wanted = progress_token(context.params) is not None
        self._waiting: asyncio.Queue[ProgressNotice] = asyncio.Queue(MOST_WAITING)
        self._progress = Progress(self._offer if self._wanted else None)
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Progress:
        if self._wanted:
            self._pump = asyncio.create_task(self._send())
            self._progress.begin()
        return self._progress

    async def __aexit__(self, failure: object, *_: object) -> None:
        self._progress.end()
        if self._pump is None:
            return
        try:
            if failure is None:
                async with asyncio.timeout(LAST_WORDS_SECONDS):
                    await self._waiting.join()
        except TimeoutError:
            return
        finally:
            self._pump.cancel()

    def _offer(self, notice: ProgressNotice) -> None:
        """Take a message from any thread; one from the loop's own is waiting at once."""
        if threading.get_ident() == self._thread:
            self._put(notice)
        else:
            with contextlib.suppress(RuntimeError):  # a loop that was closed meanwhile
                self._loop.call_soon_threadsafe(self._put, notice)

    def _put(self, notice: ProgressNotice) -> None:
        if not self._waiting.full():
            self._waiting.put_nowait(notice)

    async def _send(self) -> None:
        while True:
            notice = await self._waiting.get()
            await self._session.report_progress(notice.progress, notice.total, notice.message)
            self._waiting.task_done()


def speakable(result: dict[str, Any]) -> dict[str, Any]:
    """The same result; a lone surrogate, which the SDK cannot send, becomes a replacement sign."""
    try:
        for block in result["content"]:
            # The first block holds the whole object; only other kinds have text elsewhere.
            (block["text"] if block["type"] == "text" else compact(block)).encode("utf-8")
    except UnicodeEncodeError:
        replaced: dict[str, Any] = without_lone_surrogates_inside(result)
        return replaced
    return result
