"""Responses that go on without their client: kept by id, followed from any event, cancelled."""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from simulator.asked import Asked
from simulator.moves import Close, Follow, Move, Send
from simulator.shapes import Refused
from simulator.streaming import Event, content, numbered, opening, sse
from simulator.wire import chunk, stream_head

_NEVER = float("inf")
_INCLUDED = "web_search_call.action.sources"
_NUMBER = re.compile(r"[0-9]{1,9}")


class Drop(NamedTuple):
    """How the first stream breaks off: after so many events, or half, and what is said then."""

    after: int | None = None
    said: bytes = b""


@dataclass
class Kept:
    """One background response: its events, and from when on each may be told."""

    id: str
    key: str
    events: Sequence[Event]
    dues: Sequence[float]
    streamed: bool
    each: int | None = None
    begun: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def _is_done(self) -> bool:
        return self._left(self.dues[-1]) <= 0

    def current(self, *, with_sources: bool) -> dict[str, Any]:
        """The response as it is now."""
        body: dict[str, Any] = self.events[0]["response"]
        if self.cancelled.is_set():
            body = body | {"status": "cancelled"}
        elif self._is_done:
            body = self.events[-1]["response"]
        return body if with_sources else _without_sources(body)

    def cancel(self) -> None:
        """Stop it, unless it has ended."""
        if not self._is_done:
            self.cancelled.set()

    async def follow(
        self, after: int, most: int | None = None, *, with_sources: bool = True
    ) -> AsyncIterator[bytes]:
        """Tell the events after a number as they come, at most so many."""
        for place in range(after + 1, len(self.events))[:most]:
            left = self._left(self.dues[place])
            if left > 0:
                try:
                    timeout = None if left == _NEVER else left
                    await asyncio.wait_for(self.cancelled.wait(), timeout)
                except TimeoutError:
                    pass
            if self.cancelled.is_set():
                return
            event = self.events[place]
            yield chunk(sse(event if with_sources else _without_sources(event)))

    def _left(self, due: float) -> float:
        return self.begun + due - asyncio.get_running_loop().time()


class Keeping:
    """The background responses of one simulator."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._numbers = itertools.count(1)

    def begin(
        self,
        asked: Asked,
        response: dict[str, Any],
        pauses: Sequence[float],
        ending: str,
        each: int | None = None,
    ) -> Kept:
        """Begin a response; `ending` is how it goes on: `hang`, `stalled` or as it should.

        No stream of it tells more than `each` events.
        """
        response = response | {"id": f"{response['id']}{next(self._numbers):04x}"}
        first = list(opening(response, max(0, len(pauses) - 1)))
        events = numbered(chain(first, content(response)))
        ends = list(itertools.accumulate(pauses))
        # The first at once, each `in_progress` after a pause, the rest with the last.
        last = ends[-1] if ends else 0.0
        dues = [0.0, *ends, *[last] * (len(events) - 1 - len(ends))]
        if ending == "hang":
            dues = [0.0, 0.0, *[_NEVER] * (len(events) - 2)]
        if ending == "stalled":
            half = len(events) // 2
            dues = [*dues[:half], *[_NEVER] * (len(events) - half)]
        kept = Kept(response["id"], asked.key, events, dues, asked.streams, each)
        self._kept[kept.id] = kept
        return kept

    def find(self, response_id: str, key: str) -> Kept:
        """The response of that id, for whoever made it."""
        kept = self._kept.get(response_id)
        if kept is None or kept.key != key:
            raise Refused(f"Response with id '{response_id}' not found.", status=404)
        return kept

    def forget(self) -> None:
        """Lose all of them, as the API does after a while."""
        self._kept.clear()


def followed(kept: Kept, asked_for: str, request_id: str, *, keep_alive: bool) -> Sequence[Move]:
    """Stream a kept response as the query of a request asks for."""
    query = parse_qs(asked_for)
    after = query.get("starting_after", ["-1"])[0]
    if after != "-1" and not _NUMBER.fullmatch(after):
        raise Refused(
            f"Invalid type for 'starting_after': expected an integer, but got '{after}' instead.",
            "starting_after",
            "invalid_type",
        )
    if not kept.streamed:
        raise Refused("This response was not created with 'stream': true.", "stream")
    head = stream_head(request_id, keep_alive=keep_alive)
    wanted = wants_sources(asked_for)
    end = Send(chunk(b"")) if kept.each is None else Close()
    return [Send(head), Follow(kept.follow(int(after), kept.each, with_sources=wanted)), end]


def created(kept: Kept, request_id: str, *, keep_alive: bool, drops: Drop | None) -> Sequence[Move]:
    """Stream a response that was just made; one that drops breaks off, after an error perhaps."""
    head = Send(stream_head(request_id, keep_alive=keep_alive))
    if drops is None:
        return [head, Follow(kept.follow(-1)), Send(chunk(b""))]
    most = len(kept.events) // 2 if drops.after is None else drops.after
    said = [Send(chunk(drops.said))] if drops.said else []
    return [head, Follow(kept.follow(-1, most)), *said, Close()]


def wants_stream(asked_for: str) -> bool:
    """Tell whether a query asks for events."""
    return parse_qs(asked_for).get("stream") == ["true"]


def wants_sources(asked_for: str) -> bool:
    """Tell whether a query asks for the sources of searches; they are left out by default."""
    query = parse_qs(asked_for)
    return _INCLUDED in (*query.get("include", ()), *query.get("include[]", ()))


def check_background(body: dict[str, Any]) -> None:
    """Refuse what cannot go on in the background."""
    if body.get("background") and body.get("store") is False:
        raise Refused("Background mode requires 'store' to be true.", "store", "invalid_value")


def _without_sources(value: dict[str, Any]) -> dict[str, Any]:
    """A copy in which no search tells its sources."""
    copied: dict[str, Any] = json.loads(
        json.dumps(value), object_hook=lambda one: {k: v for k, v in one.items() if k != "sources"}
    )
    return copied
