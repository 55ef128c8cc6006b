"""The API's addresses: from an HTTP request to the moves that answer it."""

import hashlib
import itertools
import json
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from simulator.asked import Asked
from simulator.background import (
    Keeping,
    check_background,
    followed,
    wants_sources,
    wants_stream,
)
from simulator.checks import check_body, missing_model, read_body
from simulator.delivery import Delivery
from simulator.failures import (
    missing_key,
    no_such_url,
    refusal_reply,
    wrong_key,
)
from simulator.journal import Journal, RecordedRequest
from simulator.moves import Move, Pause, Send
from simulator.scenarios import choose
from simulator.shapes import Refused, unknown_parameter
from simulator.wire import Reply, Request, reply_bytes, to_json

_MODELS = (
    "gpt-4o",
    "gpt-4.1",
    "gpt-5",
    "gpt-5-mini",
    "gpt-5.1",
    "gpt-5.2",
    "gpt-6-sol",
    "o3",
    "o4-mini",
)
_REJECTED = "sk-rejected"
_JSON = "application/json"


class Router:
    """Records each request and decides what its connection has to do."""

    def __init__(
        self,
        journal: Journal,
        *,
        delay_seconds: float,
        shutdown_dates: Mapping[str, str],
        gone: Collection[str] = (),
        lacks: Collection[str] = (),
    ) -> None:
        self._journal = journal
        self._shutdown_dates = shutdown_dates
        self._gone = gone
        self._lacks = lacks
        self.keeping = Keeping()
        self._pauses = (delay_seconds,) if delay_seconds > 0 else ()
        self._numbers = itertools.count(1)

    def answer(self, request: Request, connection: int) -> Sequence[Move]:
        """Answer one request of one connection."""
        self._journal.record(_recorded(request, connection))
        number = next(self._numbers)
        request_id = "req_" + hashlib.blake2b(number.to_bytes(8), digest_size=16).hexdigest()
        try:
            return self._dispatch(request, request_id)
        except Refused as refused:
            reply = refusal_reply(refused)
            return [Send(reply_bytes(reply, request_id, keep_alive=request.keep_alive))]

    def _dispatch(self, request: Request, request_id: str) -> Sequence[Move]:
        path, _, query = request.target.partition("?")
        key = _key(request)
        match request.method, path.strip("/").split("/"):
            case "POST", ["v1", "responses"]:
                return self._respond(request, key, request_id)
            case "GET", ["v1", "responses", name] if wants_stream(query):
                kept = self.keeping.find(name, key)
                return followed(kept, query, request_id, keep_alive=request.keep_alive)
            case "GET", ["v1", "responses", name]:
                listed = self.keeping.find(name, key).current(with_sources=wants_sources(query))
            case "POST", ["v1", "responses", name, "cancel"]:
                kept = self.keeping.find(name, key)
                kept.cancel()
                listed = kept.current(with_sources=False)
            case "GET", ["v1", "models"]:
                offered = [name for name in _MODELS if name not in self._gone]
                listed = {"object": "list", "data": [self._model(name) for name in offered]}
            case "GET", ["v1", "models", name] if not name.startswith("missing-"):
                listed = self._model(name)
            case "GET", ["v1", "models", name]:
                raise missing_model(name)
            case _:
                raise no_such_url(request.method, path)
        data = reply_bytes(Reply(200, to_json(listed)), request_id, keep_alive=request.keep_alive)
        return [*(Pause(seconds) for seconds in self._pauses), Send(data)]

    def _respond(self, request: Request, key: str, request_id: str) -> Sequence[Move]:
        _check_content_type(request.headers.get("content-type", _JSON))
        body = read_body(request.body)
        check_body(body)
        check_background(body)
        self._refuse_what_is_not_here(body)
        asked = Asked.from_body(body, key)
        step = choose(asked, self._journal.next_turn)
        keeping = self.keeping if body.get("background") else None
        pauses = self._pauses
        return Delivery(asked, request_id, request.keep_alive, pauses, keeping).moves(step)

    def _refuse_what_is_not_here(self, body: dict[str, Any]) -> None:
        """Refuse models that have shut down, and parameters that a gateway does not know."""
        if body.get("model") in self._gone:
            raise missing_model(body["model"])
        written = json.dumps(body.get("tools", ())) if "blocked_domains" in self._lacks else ""
        if "blocked_domains" in written:
            raise unknown_parameter("tools[0].filters.blocked_domains")
        for name in self._lacks:
            if name in body:
                raise unknown_parameter(name)

    def _model(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": 1_750_000_000,
            "owned_by": "openai",
            "shutdown_date": self._shutdown_dates.get(name),
        }


def _recorded(request: Request, connection: int) -> RecordedRequest:
    try:
        body = json.loads(request.body) if request.body else None
    except (ValueError, RecursionError):
        body = None
    return RecordedRequest(
        request.method, request.target, request.headers, body, time.monotonic(), connection
    )


def _key(request: Request) -> str:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise missing_key()
    if key.startswith(_REJECTED):
        raise wrong_key(key)
    return key


def _check_content_type(given: str) -> None:
    if given.partition(";")[0].strip().lower() != _JSON:
        raise Refused(
            f"Unsupported content type: '{given}'. This API method only accepts"
            f" '{_JSON}' requests.",
            code="unsupported_content_type",
        )
