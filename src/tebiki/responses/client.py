"""Calling the Responses API: the only importer of `openai`, and that only when first needed.

One attempt is bounded in total; retries are ours (`retry.py`), the SDK's are off. Every foreign
exception is translated here, once. A cancelled call closes its connection at once.
"""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tebiki.budget.paid_calls import Spent
from tebiki.errors import (
    BadReply,
    ConnectionFailed,
    MissingKey,
    UpstreamError,
    UpstreamTimeout,
)
from tebiki.responses.bounds import bound_reply
from tebiki.responses.domains import without_blocked
from tebiki.responses.failures import error_from_event, error_from_sdk, sdk_error
from tebiki.responses.lean_sdk import import_leanly
from tebiki.responses.offers import Offer, offer_from_json
from tebiki.responses.replies import Json, Reply, reply_from_json
from tebiki.values.surrogates import without_lone_surrogates_inside

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from openai import AsyncOpenAI
    from openai._streaming import AsyncStream

    from tebiki.observability.logs import Log
    from tebiki.responses.retry import RetryRule

Answered = TypeVar("Answered")

LONGEST_LOGGED_BODY = 300
BAD_REQUEST = 400
BLOCKED = "blocked_domains"

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
    remarks: Json = field(default_factory=dict)
    """What else whoever pays should know, for the end of the receipt."""

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
            **self.remarks,
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
        self._takes_blocked_domains = True

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
        request = self.fit_to_api(request)
        started = self._clock()
        attempt, was_sent = 0, False
        while True:
            attempt += 1
            try:
                body = await self._attempt(request, timeout_seconds, on_event)
            except UpstreamError as failure:
                failure.attempts = attempt
                failure.was_sent = was_sent = was_sent or failure.was_sent
                self._log_failure(attempt, failure)
                if self.learns_from(failure, request):
                    request, attempt = self.fit_to_api(request), attempt - 1
                    continue
                left = timeout_seconds - (self._clock() - started)
                delay = rule.delay_before_next(failure, attempt, left, self._random())
                if delay is None:
                    raise
                self._log.debug(f"retry attempt={attempt + 1} in {delay:.2f} s")
                await asyncio.sleep(delay)
            else:
                elapsed = round((self._clock() - started) * 1000)
                return Exchange(reply_from_json(body), attempt, elapsed)

    def fingerprint(self) -> str:
        """Name this API and key without telling either: responses are found there alone."""
        import hashlib  # for background answers alone

        named = f"{self._access.base_url}\n{self._access.api_key}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()

    def fit_to_api(self, request: Json) -> Json:
        """The request as it can be sent, without what this API is known to refuse."""
        request = without_lone_surrogates_inside(request)
        return request if self._takes_blocked_domains else without_blocked(request)

    def learns_from(self, failure: UpstreamError, request: Json) -> bool:
        """Tell whether an API has just said that it takes no blocked domains; that is no attempt.

        What comes back is checked all the same.
        """
        refused = failure.status == BAD_REQUEST and BLOCKED in str(failure)
        if not refused or request == without_blocked(request):
            return False
        if self._takes_blocked_domains:
            self._takes_blocked_domains = False
            self._log.warning(
                "the API takes no search.blocked_domains; pages of those domains are only left out "
                "of what comes back"
            )
        return True

    async def offer(self, timeout_seconds: float) -> Offer:
        """Ask once which models there are for this key; costs nothing.

        Raises:
            MissingKey: before anything is sent.
            UpstreamError: why there was no answer.
        """
        self._access.key()
        return await self.ask_in_time(timeout_seconds, _offer)

    async def _attempt(
        self, request: Json, timeout_seconds: float, on_event: Callable[[Json], None] | None
    ) -> Json:
        if on_event is None:
            return await self.ask_in_time(timeout_seconds, lambda client: _plain(client, request))
        return await self.ask_in_time(
            timeout_seconds, lambda client: follow_request(client, request, on_event)
        )

    async def ask_in_time(
        self, timeout_seconds: float, ask: Callable[[AsyncOpenAI], Awaitable[Answered]]
    ) -> Answered:
        """Ask the API once, in time; what goes wrong is told in our own words.

        Raises:
            UpstreamError: why there was no answer.
        """
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
                timeout=forever, event_hooks={"response": [bound_reply]}, follow_redirects=False
            ),
        )
    except (ImportError, ValueError, OSError, TypeError) as unusable:
        # What proxy variables, certificate files and odd addresses lead to.
        raise ConnectionFailed(
            f"The API client cannot be set up: {unusable}. Check openai.base_url, the proxy "
            "variables (HTTPS_PROXY, ALL_PROXY) and SSL_CERT_FILE",
            name=type(unusable).__name__,
        ) from unusable


async def _offer(client: AsyncOpenAI) -> Offer:
    reply = await client.models.with_raw_response.list()
    return offer_from_json(json_object(reply.http_response.json()), reply.headers.get("date"))


# Both below go by the SDK's own `post` and take plain JSON: named sources are outside its response
# types, and building those types for each call would cost more than the call itself.


async def _plain(client: AsyncOpenAI, request: Json) -> Json:
    return json_object(await client.post("/responses", body=request, cast_to=object))


async def follow_request(
    client: AsyncOpenAI, request: Json, on_event: Callable[[Json], None]
) -> Json:
    """Send a request and follow its events to the final one, which carries the whole response."""
    from openai._streaming import AsyncStream  # as in `_new_client`

    stream = await client.post(
        "/responses",
        body={**request, "stream": True},
        cast_to=object,
        stream=True,
        stream_cls=AsyncStream[object],
    )
    return await _follow_events(stream, on_event)


async def follow_kept(
    client: AsyncOpenAI, path: str, params: Json, on_event: Callable[[Json], None]
) -> Json:
    """Follow the events of a response that the API keeps, from where the params say."""
    from openai._streaming import AsyncStream  # as in `_new_client`

    stream = await client.get(
        path,
        cast_to=object,
        options={"params": params},
        stream=True,
        stream_cls=AsyncStream[object],
    )
    return await _follow_events(stream, on_event)


async def _follow_events(stream: AsyncStream[object], on_event: Callable[[Json], None]) -> Json:
    """Follow a stream of events to its end; each but the final one is handed over."""
    # The stream and what it iterates over hold each other: left alone, only a search for garbage
    # would end it, in whichever thread that runs, while the loop may be ending it too.
    events = cast("AsyncGenerator[object, None]", stream._iterator)
    async with stream, aclosing(events):
        if "event-stream" not in stream.response.headers.get("content-type", ""):
            # A gateway that does not stream has sent the whole answer at once.
            return json_object(json.loads(await stream.response.aread()))
        async for item in events:
            event = json_object(item)
            if event.get("type") in FINAL_EVENTS:
                return json_object(event.get("response"))
            if event.get("type") == "error":
                raise error_from_event(event)
            on_event(event)
    raise ConnectionFailed("The API's event stream ended before the answer was complete")


def json_object(value: Any) -> Json:
    """A reply that is an object.

    Raises:
        BadReply: it is none.
    """
    if not isinstance(value, dict):
        raise BadReply("The API answered with JSON that is no object")
    return value
