"""Responses that the API goes on with when nobody listens: begun once, taken up again, called off.

Once the id of a response was seen, nothing is created a second time: what breaks is taken up where
it broke. An id is hostile, whether the API or a file told it.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from tebiki.errors import (
    BadReply,
    ConnectionFailed,
    RateLimited,
    ServerFault,
    UpstreamError,
    UpstreamTimeout,
)
from tebiki.responses.client import BAD_REQUEST, Exchange, follow_kept, follow_request, json_object
from tebiki.responses.failures import NOT_FOUND
from tebiki.responses.replies import reply_from_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.observability.logs import Log
    from tebiki.responses.client import Responder
    from tebiki.responses.replies import Json
    from tebiki.responses.retry import RetryRule

RUNNING = ("queued", "in_progress")
PASSING = (ConnectionFailed, ServerFault, RateLimited, UpstreamTimeout)
"""What a response outlives: it is asked for again."""

ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
SOURCES = {"include[]": "web_search_call.action.sources"}

LOOK_SECONDS = 30.0
"""How long the API may take to tell how a response is, or to call one off."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
"""Before a response is taken up again; twice as long each time, until an event comes."""


class ResponsePlace:
    """How far a background response was followed; `on_begin` is called with its id, once."""

    def __init__(self, on_begin: Callable[[str], None], response_id: str | None = None) -> None:
        self._on_begin = on_begin
        self.id = response_id
        self.last: int | None = None

    def note(self, event: Json) -> None:
        """Note an event."""
        number = event.get("sequence_number")
        if isinstance(number, int):
            self.last = number
        if self.id is None:
            self.note_response(event.get("response"))

    def note_response(self, response: Any) -> None:
        """Note a response whose id was not known."""
        found = response.get("id") if isinstance(response, dict) else None
        if self.id is None and isinstance(found, str) and ID.fullmatch(found):
            self.id = found
            self._on_begin(found)


class BackgroundResponses:
    """Follows responses to their end; whoever follows bounds the time."""

    def __init__(self, responder: Responder, log: Log, clock: Callable[[], float]) -> None:
        self._responder = responder
        self._log = log
        self._clock = clock

    async def follow(
        self,
        request: Json | None,
        place: ResponsePlace,
        rule: RetryRule,
        on_event: Callable[[Json], None],
    ) -> Exchange:
        """Follow a response to its end; without an id one is created by the request first.

        Raises:
            UpstreamError: it failed, vanished, or could not be created.
        """
        started, attempts, pause = self._clock(), 0, FIRST_PAUSE_SECONDS
        was_sent = False
        whole = self._responder.fit_to_api({**(request or {}), "background": True})
        is_garbled = False

        def hear(event: Json) -> None:
            nonlocal pause
            pause = FIRST_PAUSE_SECONDS
            place.note(event)
            on_event(event)

        while True:
            try:
                if place.id is None:
                    attempts += 1
                    body = await self._begin(whole, place, hear)
                elif is_garbled:
                    body = await self._until_ended(await self._look(place.id), None, place.id)
                    _require_same(body, place.id)
                else:
                    body = await self._take_up(place.id, place.last, hear)
                break
            except UpstreamError as failure:
                if place.id is None and self._responder.learns_from(failure, whole):
                    whole, attempts = self._responder.fit_to_api(whole), attempts - 1
                    continue
                failure.attempts = max(1, attempts)
                if place.id is not None and _is_unreadable(failure) and not is_garbled:
                    # Its events would be the same again; how the response is may still be told.
                    is_garbled = True
                    continue
                was_sent = was_sent or failure.was_sent or place.id is not None
                failure.was_sent = was_sent
                delay = self._delay(failure, place, rule, attempts, pause)
                self._log.debug(f"background response={place.id or '-'} broke: {failure}")
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                await asyncio.sleep(delay)
        elapsed = round((self._clock() - started) * 1000)
        return Exchange(reply_from_json(body), max(1, attempts), elapsed)

    async def cancel(self, response_id: str) -> Json:
        """Call a response off; gives what the API says of it.

        Raises:
            UpstreamError: that could not be done.
        """

        async def ask(client: Any) -> Json:
            path = f"/responses/{_check(response_id)}/cancel"
            return json_object(await client.post(path, cast_to=object))

        return await self._responder.ask_in_time(LOOK_SECONDS, ask)

    async def _begin(
        self, request: Json, place: ResponsePlace, hear: Callable[[Json], None]
    ) -> Json:
        try:
            body = await self._unbound(lambda client: follow_request(client, request, hear))
        except UpstreamError as refused:
            if refused.status == BAD_REQUEST and "background" in str(refused):
                raise UpstreamError(
                    f"This API has no background mode: {refused} Set answers.background: false",
                    status=refused.status,
                    code=refused.code,
                    kind=refused.kind,
                    name=refused.name,
                ) from refused
            raise
        place.note_response(body)
        return await self._until_ended(body, place)

    async def _take_up(
        self, response_id: str, last: int | None, hear: Callable[[Json], None]
    ) -> Json:
        """Go on with a response; where its events cannot be had, look at it from time to time."""
        path = f"/responses/{_check(response_id)}"
        after = {} if last is None else {"starting_after": last}

        params = {"stream": "true", **after, **SOURCES}
        try:
            body = await self._unbound(lambda client: follow_kept(client, path, params, hear))
        except UpstreamError as failure:
            if failure.status == NOT_FOUND or not _may_be_looked_at(failure):
                raise
            body = await self._look(response_id)
            if body.get("status") in RUNNING and failure.status != BAD_REQUEST:
                raise
        _require_same(body, response_id)
        return await self._until_ended(body, None, response_id)

    async def _until_ended(
        self, body: Json, place: ResponsePlace | None, response_id: str | None = None
    ) -> Json:
        """Look at a response until it has ended, where no events tell."""
        known = response_id or (place.id if place is not None else None)
        pause = FIRST_PAUSE_SECONDS
        while known is not None and body.get("status") in RUNNING:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            body = await self._look(known)
            _require_same(body, known)
        return body

    async def _look(self, response_id: str) -> Json:
        async def ask(client: Any) -> Json:
            path = f"/responses/{_check(response_id)}"
            return json_object(
                await client.get(path, cast_to=object, options={"params": dict(SOURCES)})
            )

        return await self._responder.ask_in_time(LOOK_SECONDS, ask)

    async def _unbound(self, ask: Callable[[Any], Any]) -> Json:
        body: Json = await self._responder.ask_in_time(FOREVER, ask)
        return body

    def _delay(
        self,
        failure: UpstreamError,
        place: ResponsePlace,
        rule: RetryRule,
        attempts: int,
        pause: float,
    ) -> float:
        """How long to wait before the next step.

        Raises:
            UpstreamError: there is no sense in going on.
        """
        if place.id is None:
            delay = rule.delay_before_next(failure, attempts, LOOK_SECONDS, 0.0)
            if delay is None:
                raise failure
            return delay
        if failure.status == NOT_FOUND:
            raise BadReply(
                f"The API no longer has the response {place.id}; it was not asked for again. "
                "Ask anew if you still want the answer",
                status=failure.status,
                name=failure.name,
            ) from failure
        if not isinstance(failure, PASSING):
            raise failure
        return pause


FOREVER = 7 * 24 * 3600.0
"""Longer than any response lives: whoever follows bounds the time."""


def _may_be_looked_at(failure: UpstreamError) -> bool:
    """Tell whether a look may tell more than the broken stream did."""
    return isinstance(failure, PASSING) or failure.status == BAD_REQUEST


def _is_unreadable(failure: UpstreamError) -> bool:
    """Tell whether what came was no event of the API's, or one that says what we do not know."""
    return isinstance(failure, BadReply) and failure.status is None


def _check(response_id: str) -> str:
    if not ID.fullmatch(response_id):
        raise BadReply("The API named a response by an id that cannot be one")
    return response_id


def _require_same(body: Json, response_id: str) -> None:
    """See to it that the API speaks of the response it was asked for."""
    if body.get("id") != response_id:
        raise BadReply("The API answered with another response than the one it was asked for")
