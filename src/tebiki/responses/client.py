"""Calling the Responses API: the only importer of `openai`, and that only when first needed.

One attempt is bounded in total; retries are ours (`retry.py`), the SDK's are off. Every foreign
exception is translated here, once. A cancelled call closes its connection at once.
"""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tebiki.budget.paid_calls import Spent
from tebiki.errors import (
    BadReply,
    ConnectionFailed,
    MissingKey,
    UpstreamError,
    UpstreamTimeout,
)
from tebiki.responses.failures import error_from_event, error_from_sdk, sdk_error
from tebiki.responses.lean_sdk import import_leanly
from tebiki.responses.offers import Offer, offer_from_json
from tebiki.responses.replies import Json, Reply, reply_from_json
from tebiki.values.surrogates import without_lone_surrogates_inside

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from openai import AsyncOpenAI

    from tebiki.observability.logs import Log
    from tebiki.responses.retry import RetryRule

Answered = TypeVar("Answered")

LONGEST_LOGGED_BODY = 300
MOST_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, unpacked: a thousand times what an answer has, and no more than memory has."""

FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")


@dataclass(frozen=True, slots=True)
class Access:
    """Where the API is and what opens it."""

    base_url: str
    api_key: str | None
    key_variable: str

    def key(self) -> str:
        """Return the key.

        Raises:
            MissingKey: there is none, or what is there cannot be one.
        """
        if not self.api_key:
            raise MissingKey(self.key_variable)
        if any(sign.isspace() for sign in self.api_key) or not self.api_key.isascii():
            raise MissingKey(f"{self.key_variable} to a key without blanks or foreign characters")
        return self.api_key


@dataclass(frozen=True, slots=True)
class Exchange:
    """A finished call: the reply, and what it took."""

    reply: Reply
    attempts: int
    elapsed_ms: int
    cost_usd: float | None = None

    def spent(self) -> Spent:
        """What the call took, for the ledger."""
        usage = self.reply.usage
        return Spent(
            model=self.reply.model,
            input=usage.input,
            output=usage.output,
            reasoning=usage.reasoning,
            cached=usage.cached,
            searches=self.reply.searches_run,
            attempts=self.attempts,
        )

    def receipt(self) -> dict[str, Any]:
        """What the call took, for whoever pays for it."""
        usage = self.reply.usage
        cost = {} if self.cost_usd is None else {"estimated_cost_usd": self.cost_usd}
        return {
            "model": self.reply.model,
            "response_id": self.reply.id,
            "searches": self.reply.searches_run,
            "pages_opened": len(self.reply.opened_pages),
            "tokens": {
                "input": usage.input,
                "output": usage.output,
                "cached": usage.cached,
                "reasoning": usage.reasoning,
            },
            **cost,
            "attempts": self.attempts,
            "elapsed_ms": self.elapsed_ms,
        }


class Responder:
    """Creates responses; one connection pool for all calls of a process."""

    def __init__(
        self, access: Access, log: Log, clock: Callable[[], float], random: Callable[[], float]
    ) -> None:
        self._access = access
        self._log = log
        self._clock = clock
        self._random = random
        self._client: AsyncOpenAI | None = None
        self._building = threading.Lock()

    def warm_up(self) -> None:
        """Import the SDK and build its client, in whatever thread has the time.

        Raises:
            MissingKey: there is none.
            ConnectionFailed: proxies, certificates or the address do not let it be built.
        """
        key = self._access.key()
        with self._building:
            if self._client is None:
                self._client = _new_client(self._access.base_url, key)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()

    async def make_ready(self) -> None:
        """See to it that a call can be sent, before anybody counts it.

        Raises:
            MissingKey: there is none.
            ConnectionFailed: proxies, certificates or the address do not let one be sent.
        """
        self._access.key()
        await self._ready_client()

    async def create(
        self,
        request: Json,
        rule: RetryRule,
        timeout_seconds: float,
        on_event: Callable[[Json], None] | None = None,
    ) -> Exchange:
        """Send a request until it is answered or there is no sense in going on.

        With `on_event` the same request is streamed and each event is handed over.

        Raises:
            MissingKey: before anything is sent.
            UpstreamError: what the last attempt failed with.
        """
        self._access.key()
        request = without_lone_surrogates_inside(request)
        started = self._clock()
        attempt = 0
        while True:
            attempt += 1
            try:
                body = await self._attempt(request, timeout_seconds, on_event)
            except UpstreamError as failure:
                failure.attempts = attempt
                self._log_failure(attempt, failure)
                left = timeout_seconds - (self._clock() - started)
                delay = rule.delay_before_next(failure, attempt, left, self._random())
                if delay is None:
                    raise
                self._log.debug(f"retry attempt={attempt + 1} in {delay:.2f} s")
                await asyncio.sleep(delay)
            else:
                elapsed = round((self._clock() - started) * 1000)
                return Exchange(reply_from_json(body), attempt, elapsed)

    async def offer(self, timeout_seconds: float) -> Offer:
        """Ask once which models there are for this key; costs nothing.

        Raises:
            MissingKey: before anything is sent.
            UpstreamError: why there was no answer.
        """
        self._access.key()
        return await self._ask_in_time(timeout_seconds, _offer)

    async def _attempt(
        self, request: Json, timeout_seconds: float, on_event: Callable[[Json], None] | None
    ) -> Json:
        if on_event is None:
            return await self._ask_in_time(timeout_seconds, lambda client: _plain(client, request))
        return await self._ask_in_time(
            timeout_seconds, lambda client: _follow_stream(client, request, on_event)
        )

    async def _ask_in_time(
        self, timeout_seconds: float, ask: Callable[[AsyncOpenAI], Awaitable[Answered]]
    ) -> Answered:
        """Ask the API once, in time; what goes wrong is told in our own words."""
        client = await self._ready_client()
        try:
            async with asyncio.timeout(timeout_seconds):
                return await ask(client)
        except TimeoutError as late:
            raise UpstreamTimeout(
                f"The API did not answer within {timeout_seconds:g} s; if it needs longer, raise "
                "the timeout in your settings (--show-config prints them)",
                name="TimeoutError",
            ) from late
        except sdk_error() as failure:
            raise error_from_sdk(failure, self._access.base_url) from failure
        except (ValueError, RecursionError) as broken:
            # No UTF-8, no JSON, nested without an end, or a number of thousands of digits.
            raise BadReply("The API answered with something that is not JSON") from broken

    async def _ready_client(self) -> AsyncOpenAI:
        """The client, built when first needed.

        Raises:
            ConnectionFailed: the environment does not let it be built.
        """
        if self._client is None:
            # In a thread: importing takes a while, and other calls are waiting for the loop.
            await asyncio.to_thread(self.warm_up)
        if self._client is None:
            raise RuntimeError("the client was not built")
        return self._client

    def _log_failure(self, attempt: int, failure: UpstreamError) -> None:
        status = failure.status if failure.status is not None else "-"
        # Cleaned before it is cut: half a key would pass the scrubber.
        body = self._log.clean(failure.body)[:LONGEST_LOGGED_BODY].replace("\n", " ")
        self._log.debug(
            f"error attempt={attempt} status={status} name={failure.name} "
            f'code={failure.code or "-"} msg="{failure}" body="{body}"'
        )


def _new_client(base_url: str, api_key: str) -> AsyncOpenAI:
    # A fifth of a second; never at start-up.
    import_leanly()
    from openai._base_client import DefaultAsyncHttpxClient
    from openai._client import AsyncOpenAI, Timeout

    # No time-out in the client: `asyncio.timeout` bounds the whole attempt, the SDK's a phase.
    forever = Timeout(None)
    try:
        return AsyncOpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            timeout=forever,
            # Never after a redirect: it would take the whole question to a host nobody chose.
            http_client=DefaultAsyncHttpxClient(
                timeout=forever, event_hooks=HOOKS, follow_redirects=False
            ),
        )
    except (ImportError, ValueError, OSError, TypeError) as unusable:
        # What proxy variables, certificate files and odd addresses lead to.
        raise ConnectionFailed(
            f"The API client cannot be set up: {unusable}. Check openai.base_url, the proxy "
            "variables (HTTPS_PROXY, ALL_PROXY) and SSL_CERT_FILE",
            name=type(unusable).__name__,
        ) from unusable


async def _bound_reply(response: Any) -> None:
    """See to it that no reply fills the memory, whatever it claims to be."""
    read = response.aiter_bytes

    async def bounded(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        total = 0
        # Closed with the reply, also when only a part of it was wanted.
        async with aclosing(read(chunk_size)) as pieces:
            async for piece in pieces:
                total += len(piece)
                if total > MOST_REPLY_BYTES:
                    raise BadReply(
                        f"The API's reply has more than {MOST_REPLY_BYTES} bytes; no answer does. "
                        "Check openai.base_url, and whatever stands between here and there"
                    )
                yield piece

    response.aiter_bytes = bounded


HOOKS = {"response": [_bound_reply]}


async def _offer(client: AsyncOpenAI) -> Offer:
    reply = await client.models.with_raw_response.list()
    return offer_from_json(_object(reply.http_response.json()), reply.headers.get("date"))


# Both below go by the SDK's own `post` and take plain JSON: named sources are outside its response
# types, and building those types for each call would cost more than the call itself.


async def _plain(client: AsyncOpenAI, request: Json) -> Json:
    return _object(await client.post("/responses", body=request, cast_to=object))


async def _follow_stream(
    client: AsyncOpenAI, request: Json, on_event: Callable[[Json], None]
) -> Json:
    """Follow the event stream to its final event, which carries the whole response."""
    from openai._streaming import AsyncStream  # as in `_new_client`

    stream = await client.post(
        "/responses",
        body={**request, "stream": True},
        cast_to=object,
        stream=True,
        stream_cls=AsyncStream[object],
    )
    # The stream and what it iterates over hold each other: left alone, only a search for garbage
    # would end it, in whichever thread that runs, while the loop may be ending it too.
    events = cast("AsyncGenerator[object, None]", stream._iterator)
    async with stream, aclosing(events):
        if "event-stream" not in stream.response.headers.get("content-type", ""):
            # A gateway that does not stream has sent the whole answer at once.
            return _object(json.loads(await stream.response.aread()))
        async for item in events:
            event = _object(item)
            if event.get("type") in FINAL_EVENTS:
                return _object(event.get("response"))
            if event.get("type") == "error":
                raise error_from_event(event)
            on_event(event)
    raise ConnectionFailed("The API's event stream ended before the answer was complete")


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise BadReply("The API answered with JSON that is no object")
    return value
