"""The counter of the page: an address of the API becomes an order at the desk.

The same desk, the same limits and the same words for failures as MCP has; only the way in differs.
An answer in parts (`ask`) is sent line by line.
"""

from __future__ import annotations

import asyncio
import re
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple
from tebiki.protocol.messages import compact
from tebiki.server.error_map import WireError
from tebiki.server.progress import Progress
from tebiki.values.callers import Caller, calling
from tebiki.values.numerals import count_in
from tebiki.values.shapes import NotOfShape
from tebiki.web.page.replies import (
    JSON_LINES,
    NO_STORE,
    SANDBOX,
    PageReply,
    RefusedRequest,
    failure,
    head_of,
    send_reply,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.budget.clients import ClientLimits
    from tebiki.server.calls import Desk, Order
    from tebiki.server.error_map import ErrorMap, Outcome
    from tebiki.server.progress import ProgressNotice
    from tebiki.server.registry import Tool
    from tebiki.web.asgi import Receive, Send
    from tebiki.web.page.requests import PageRequest
    from tebiki.web.page.visits import Visit

API_PATH = "/ui/api/"
PAGE_OF = "\0page"
"""After a client's name: typing into the page must not use up the calls of its tools."""

UNDO = re.compile(r"journal/([0-9]{1,12})/undo")
PICTURE, ASK = "GET picture", "POST ask"
LANGUAGE = "language"
"""What screens with sentences of their own are told of the visitor."""

MOST_WAITING = 16
"""Progress messages that may wait for a slow browser; what comes on top is dropped."""


class Route(NamedTuple):
    """One address of the API: the tool behind it, and what the address itself says."""

    tool: Tool
    said: dict[str, Any]

    @property
    def name(self) -> str:
        """By which it is listed, and noted in the log."""
        return self.tool.name

    @property
    def is_picture(self) -> bool:
        """Tell whether it is asked for by an element of the page and not by its program."""
        return self.name == PICTURE


class Counter:
    """Takes requests of visits to the desk of the page."""

    def __init__(
        self,
        desk: Callable[[], Desk],
        tools: Callable[[], dict[str, Tool]],
        errors: ErrorMap,
        limits: ClientLimits,
        is_closing: Callable[[], bool],
    ) -> None:
        self._desk = desk
        self._tools = tools
        self._errors = errors
        self._limits = limits
        self._is_closing = is_closing

    def route_of(self, request: PageRequest) -> Route:
        """Find what an address leads to.

        Raises:
            RefusedRequest: nothing, or not by this method.
        """
        name = request.path.removeprefix(API_PATH)
        said: dict[str, Any] = {}
        if undo := UNDO.fullmatch(name):
            name, said = "journal/undo", {"entry": count_in(undo[1].encode())}
        tools = self._tools()
        tool = tools.get(f"{request.method} {name}")
        if tool is not None:
            return Route(tool, said)
        methods = [key.partition(" ")[0] for key in tools if key.partition(" ")[2] == name]
        if not methods:
            raise RefusedRequest("not_found", "There is nothing here.")
        raise RefusedRequest("wrong_method", f"This address takes {', '.join(methods)}.")

    async def arguments(
        self, route: Route, request: PageRequest, receive: Receive
    ) -> dict[str, Any]:
        """What a request says, as its tool may take it.

        Raises:
            RefusedRequest: it cannot be read.
        """
        shapes = {row.name: row.shape for row in route.tool.parameters}
        read = {LANGUAGE: request.language()} if LANGUAGE in shapes else {}
        if request.method == "POST":
            return {**await request.body(receive), **route.said, **read}
        await receive()  # a body that nobody asked for: the next word is that the browser has gone
        given: dict[str, Any] = {}
        for name, text in request.query.items():
            if name not in shapes or not text:
                given |= {name: text} if text else {}
                continue
            try:
                given[name] = shapes[name].from_text(text)
            except NotOfShape as refused:
                raise RefusedRequest("invalid_parameter", f"{name} {refused}") from refused
        given.pop("sig", None)
        return given | read

    async def serve(
        self, route: Route, arguments: dict[str, Any], visit: Visit, send: Send
    ) -> None:
        """Do what is asked and send what comes of it."""
        client = visit.principal.name
        number = await self._limits.count(f"{client}{PAGE_OF}")
        lines = Lines(send) if route.name == ASK else None
        order = self._desk().find({"name": route.name, "arguments": arguments})

        async def work() -> Outcome:
            async with self._limits.call(client, number):
                checked = order.check()
                caller = Caller(client, is_called_off=lambda: not self._is_closing())
                with calling(caller):
                    return await self._run(checked, visit.owner, lines)

        reply = reply_of(await self._errors.guard_call(work(), route.tool.family))
        if lines is not None and lines.has_begun:
            await lines.end(reply.body)
        else:
            await send_reply(send, reply)

    async def _run(self, order: Order, owner: str, lines: Lines | None) -> Outcome:
        if lines is None:
            return await self._desk().run(order, Progress(None), owner)
        async with lines as progress:
            return await self._desk().run(order, progress, owner)


class Lines:
    """An answer in lines: progress as it comes, and what came of it at last."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._waiting: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._progress = Progress(self._offer)
        self._pump: asyncio.Task[None] | None = None
        self.has_begun = False

    async def __aenter__(self) -> Progress:
        start = PageReply(200, media_type=JSON_LINES, headers=(NO_STORE,))
        await self._send(head_of(start, None))
        self.has_begun = True
        self._pump = asyncio.create_task(self._send_waiting())
        self._progress.begin()
        return self._progress

    async def __aexit__(self, *_: object) -> None:
        self._progress.end()
        if self._pump is not None:
            self._pump.cancel()
            with suppress(asyncio.CancelledError):
                await self._pump

    async def end(self, last: bytes) -> None:
        """Send the last line; it is what a plain answer would have been."""
        await self._send({"type": "http.response.body", "body": last + b"\n"})

    def _offer(self, told: ProgressNotice) -> None:
        if threading.get_ident() == self._thread:
            self._put(told.message)
        else:
            with suppress(RuntimeError):  # a loop that was closed meanwhile
                self._loop.call_soon_threadsafe(self._put, told.message)

    def _put(self, message: str) -> None:
        if not self._waiting.full():
            self._waiting.put_nowait(message)

    async def _send_waiting(self) -> None:
        while True:
            line = compact({"progress": await self._waiting.get()}).encode()
            await self._send(
                {"type": "http.response.body", "body": line + b"\n", "more_body": True}
            )


def reply_of(outcome: Outcome) -> PageReply:
    """An outcome of the desk as a browser reads it."""
    if isinstance(outcome, WireError):
        return failure("internal", outcome.message)
    if outcome.get("isError"):
        error = dict(outcome["structuredContent"])
        return failure(error.pop("code"), error.pop("message"), **error)
    block = outcome["content"][0]
    if block["type"] == "text":
        return PageReply(200, block["text"].encode("utf-8", "backslashreplace"))
    headers = [NO_STORE]
    if block["is_download"]:
        headers.append((b"content-disposition", b"attachment"))
    return PageReply(200, block["bytes"], block["media_type"], tuple(headers), SANDBOX)
