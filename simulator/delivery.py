"""How a chosen step reaches the client: as moves of the connection, streamed or in one piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from simulator.answers import ANSWERS, Drafter
from simulator.asked import Asked
from simulator.background import Drop, Keeping, created
from simulator.bodies import response_object
from simulator.failures import FAILURES, failure_reply, html_reply
from simulator.moves import Close, Hang, Move, Pause, Repeat, Send
from simulator.rows import ROWS
from simulator.scenarios import Step, default_step
from simulator.streaming import content, numbered, opening, sse
from simulator.wire import Reply, chunk, reply_bytes, stream_head, to_json

_DRAFTERS: dict[str, Drafter] = {**ANSWERS, **ROWS}
_KEPT = frozenset(("hang", "stalled", "dropped_midway", "stream_error"))
"""Disturbances that a background response outlives; others come before there is one."""

_BROKEN = b'{"id":"resp_broken","object":"response","output":['
_GARBLED = b'event: response.output_text.delta\ndata: {"type":\n\n'
_LIST = b"[1,2,3]"
_FLOOD_PIECE = 64 * 1024
_FLOOD_MB = 1024
_STREAM_ERROR = {
    "code": "server_error",
    "message": "The server had an error while processing your request. Sorry about that!",
    "param": None,
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivers steps for one request."""

    asked: Asked
    request_id: str
    keep_alive: bool
    pauses: tuple[float, ...] = ()
    keeping: Keeping | None = None

    def moves(self, step: Step) -> Sequence[Move]:
        """Tell what the connection has to do."""
        if step.name == "slow":
            return self._slowed(step)
        if step.name in _DRAFTERS:
            return self._answered(step)
        if step.name == "stream_error" and self.asked.streams and self.keeping is None:
            return self._failed_midway(nested=step.options.get("shape") == "nested")
        if step.name in FAILURES or step.name in {"401", "leak"}:
            return self._replied(failure_reply(step.name, step.options, self.asked.key))
        if step.name == "stream_error" and self.keeping is None:
            return self._replied(failure_reply("500", {}, self.asked.key))
        return self._disturbed(step)

    def _slowed(self, step: Step) -> Sequence[Move]:
        count = max(1, int(step.number("steps", 1)))
        share = step.number("ms", 1000) / 1000 / count
        then = Step(step.options["then"]) if "then" in step.options else _unsearched(self.asked)
        pauses = (*self.pauses, *[share] * count)
        return replace(self, pauses=pauses).moves(then)

    def _kept(self, keeping: Keeping, step: Step) -> Sequence[Move]:
        """Begin a response that goes on in the background."""
        answered = step if step.name in _DRAFTERS else _unsearched(self.asked)
        each = int(step.number("each", 0)) or None
        kept = keeping.begin(self.asked, self._response(answered), self.pauses, step.name, each)
        if not self.asked.streams:
            queued = kept.current(with_sources=True) | {"status": "queued"}
            data = reply_bytes(
                Reply(200, to_json(queued)), self.request_id, keep_alive=self.keep_alive
            )
            return [Send(data)]
        drops = None
        if step.name == "dropped_midway":
            drops = Drop(int(step.number("at", 0)) if "at" in step.options else each)
        elif step.name == "stream_error":
            shape = step.options.get("shape")
            garbled = shape == "garbled"
            drops = Drop(said=_GARBLED if garbled else sse(_error_event(nested=shape == "nested")))
        return created(kept, self.request_id, keep_alive=self.keep_alive, drops=drops)

    def _answered(self, step: Step) -> Sequence[Move]:
        if self.keeping is not None:
            return self._kept(self.keeping, step)
        response = self._response(step)
        if self.asked.streams:
            return self._streamed(response)
        return self._replied(Reply(200, to_json(response)))

    def _response(self, step: Step) -> dict[str, Any]:
        return response_object(self.asked, _DRAFTERS[step.name](self.asked, step.options))

    def _waiting(self) -> list[Move]:
        return [Pause(seconds) for seconds in self.pauses]

    def _replied(self, reply: Reply) -> Sequence[Move]:
        data = reply_bytes(reply, self.request_id, keep_alive=self.keep_alive)
        return [*self._waiting(), Send(data)]

    def _chunks(self, response: dict[str, Any]) -> Iterator[bytes]:
        events = chain(opening(response, max(0, len(self.pauses) - 1)), content(response))
        return (chunk(sse(event)) for event in numbered(events))

    def _streamed(self, response: dict[str, Any]) -> Sequence[Move]:
        """Send `created` at once, `in_progress` after each pause, the rest in one go."""
        head = stream_head(self.request_id, keep_alive=self.keep_alive)
        chunks = list(self._chunks(response))
        moves: list[Move] = []
        due = head + chunks.pop(0)
        for seconds in self.pauses:
            moves += [Send(due), Pause(seconds)]
            due = chunks.pop(0)
        return [*moves, Send(due + b"".join(chunks) + chunk(b""))]

    def _begun(self) -> tuple[bytes, list[bytes]]:
        """Return a stream's head and the first half of its events."""
        head = stream_head(self.request_id, keep_alive=self.keep_alive)
        chunks = list(self._chunks(self._response(_unsearched(self.asked))))
        return head, chunks[: len(chunks) // 2]

    def _failed_midway(self, *, nested: bool) -> Sequence[Move]:
        head, half = self._begun()
        error = _error_event(nested=nested) | {"sequence_number": len(half)}
        return [*self._waiting(), Send(head + b"".join(half) + chunk(sse(error)) + chunk(b""))]

    def _disturbed(self, step: Step) -> Sequence[Move]:
        if self.keeping is not None and step.name in _KEPT:
            return self._kept(self.keeping, step)
        match step.name:
            case "flood":
                return self._flooded(step)
            case "hang" | "stalled" | "dropped" | "dropped_midway":
                half = [self._half()] if step.name in {"stalled", "dropped_midway"} else []
                end = Hang() if step.name in {"hang", "stalled"} else Close()
                return [*self._waiting(), *half, end]
            case "malformed":
                return self._nonsense(_BROKEN)
            case "not_object":
                return self._nonsense(_LIST)
            case _:
                return self._replied(html_reply())

    def _flooded(self, step: Step) -> Sequence[Move]:
        """Send far more than any answer has: events, one line without an end, or blanks as JSON."""
        piece = b" " * _FLOOD_PIECE
        if self.asked.streams and step.options.get("shape") != "line":
            delta = {"type": "response.output_text.delta", "delta": "x" * _FLOOD_PIECE}
            piece = sse(delta)
        times = int(step.number("mb", _FLOOD_MB) * 1024 * 1024 / _FLOOD_PIECE)
        content_type = "text/event-stream" if self.asked.streams else "application/json"
        head = stream_head(self.request_id, keep_alive=False, content_type=content_type)
        return [Send(head), Repeat(chunk(piece), times), Close()]

    def _half(self) -> Send:
        if self.asked.streams:
            head, half = self._begun()
            return Send(head + b"".join(half))
        body = to_json(self._response(_unsearched(self.asked)))
        reply = Reply(200, body)
        whole = reply_bytes(reply, self.request_id, keep_alive=self.keep_alive)
        return Send(whole[: len(whole) - len(body) // 2])

    def _nonsense(self, data: bytes) -> Sequence[Move]:
        if not self.asked.streams:
            return self._replied(Reply(200, data))
        head = stream_head(self.request_id, keep_alive=self.keep_alive)
        event = b"event: response.created\ndata: %b\n\n" % data
        return [*self._waiting(), Send(head + chunk(event) + chunk(b""))]


def _error_event(*, nested: bool) -> dict[str, Any]:
    told = {"error": _STREAM_ERROR | {"type": "server_error"}} if nested else _STREAM_ERROR
    return {"type": "error", **told}


def _unsearched(asked: Asked) -> Step:
    return default_step(asked) if asked.wants_schema else Step("plain")
