"""The notes from a server that does not own them: every call goes to the one that does.

A call is sent again, with the same id, where its answer did not come: the owner does a write once
and gives the first result again. While the owner cannot be reached the tools say so, and whether
something may have been written. Nothing is kept here.
"""

from __future__ import annotations

import http.client
import json
import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tebiki.errors import (
    Conflict,
    Forbidden,
    InvalidArguments,
    InvalidPath,
    InvalidScope,
    NeedsNarrowScope,
    NotFound,
    OutOfScope,
    TebikiError,
)
from tebiki.named_tuples import NamedTuple
from tebiki.values.unseen import in_one_line
from tebiki.vault.sealing import HEADER, NotSealed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.vault.sealing import Sealer

PATH = "/vault/calls"

TRIES = 3
CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 65.0
"""For one try; a little more than the owner gives a call to read a large note."""

REFUSALS = range(400, 500)
"""What is said before anything is done; an answer that was cut off, or a proxy's, may say less."""

MOST_ANSWER_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 65_536

ERRORS: dict[str, type[TebikiError]] = {
    kind.__name__: kind
    for kind in (
        InvalidArguments,
        InvalidPath,
        OutOfScope,
        NotFound,
        NeedsNarrowScope,
        InvalidScope,
        Forbidden,
        Conflict,
    )
}
"""The failures of the notes, which leave a forwarding server as they happened at the owner."""


class Unanswered(Exception):
    """A try without an answer; `may_be_done` where the owner may have heard it."""

    def __init__(self, words: str, *, may_be_done: bool) -> None:
        super().__init__(words)
        self.may_be_done = may_be_done


class OwnerPlace(NamedTuple):
    """Where the owner is; the file of the certificates to trust, if not the system's."""

    url: str
    certificates: str | None = None


class Forwarder:
    """Calls the owner's tools; safe for many threads."""

    def __init__(
        self,
        place: OwnerPlace,
        sealer: Sealer,
        clock: Callable[[], float],
        new_nonce: Callable[[], str],
    ) -> None:
        self._place = place
        self._sealer = sealer
        self._clock = clock
        self._new_nonce = new_nonce

    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        client: str,
        *,
        writes: bool,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """What the owner's tool gives.

        Raises:
            TebikiError: what the owner's tool failed with, or that the owner cannot be reached.
        """
        call = {"id": self._new_nonce(), "tool": tool, "arguments": arguments, "client": client}
        body = json.dumps(call, separators=(",", ":")).encode()
        may_be_done = False
        for _ in range(TRIES):
            try:
                return self._result(self._ask(body))
            except Unanswered as failed:
                may_be_done = may_be_done or failed.may_be_done
                reason = str(failed)
            if is_cancelled():
                break
        raise Conflict(_words(reason, unsure=writes and may_be_done))

    def _ask(self, body: bytes) -> dict[str, Any]:
        nonce = self._new_nonce()
        seal = self._sealer.seal(self._clock(), nonce, body)
        connection = self._connect()
        try:
            try:
                connection.connect()
            except OSError as refused:
                words = refused.strerror or str(refused)
                raise Unanswered(words, may_be_done=False) from refused
            if connection.sock is not None:
                connection.sock.settimeout(ANSWER_SECONDS)
            headers = {"Content-Type": "application/json", HEADER: seal}
            connection.request("POST", PATH, body, headers)
            answer = connection.getresponse()
            reply = _read(answer)
        except (OSError, http.client.HTTPException) as cut:
            raise Unanswered("it hung up", may_be_done=True) from cut
        finally:
            connection.close()
        return self._check(answer, nonce, reply)

    def _check(self, answer: http.client.HTTPResponse, nonce: str, reply: bytes) -> dict[str, Any]:
        seal = answer.getheader(HEADER, "")
        if not seal and answer.status in REFUSALS:
            # Not the owner, or it did not believe us: then nothing was done.
            words = in_one_line(reply[:300].decode("utf-8", "replace"))
            raise Conflict(
                f"The server that vault.owner_url names refused the call ({answer.status}): {words}"
            )
        try:
            self._sealer.check_answer(seal, nonce, reply)
            content: dict[str, Any] = json.loads(reply)
        except (NotSealed, ValueError) as forged:
            raise Unanswered("its answer cannot be trusted", may_be_done=True) from forged
        return content

    def _result(self, answer: dict[str, Any]) -> dict[str, Any]:
        failure = answer.get("failure")
        if failure is None:
            result: dict[str, Any] = answer["result"]
            return result
        kind = ERRORS.get(failure["kind"], Conflict)
        raise kind(failure["message"], details=failure["details"], remedy=failure["remedy"])

    def _connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self._place.url)
        host = parts.hostname or ""
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, parts.port or 80, timeout=CONNECT_SECONDS)
        context = ssl.create_default_context(cafile=self._place.certificates)
        return http.client.HTTPSConnection(
            host, parts.port or 443, timeout=CONNECT_SECONDS, context=context
        )


def failure_form(failure: TebikiError) -> dict[str, Any]:
    """A failure as it is sent to whoever forwarded the call."""
    kind = next((name for name, one in ERRORS.items() if isinstance(failure, one)), "Conflict")
    return {
        "kind": kind,
        "message": str(failure),
        "details": failure.details,
        "remedy": failure.remedy,
    }


def _read(answer: http.client.HTTPResponse) -> bytes:
    reply = bytearray()
    while chunk := answer.read(CHUNK_BYTES):
        reply += chunk
        if len(reply) > MOST_ANSWER_BYTES:
            raise http.client.HTTPException("more than an answer may have")
    return bytes(reply)


def _words(reason: str, *, unsure: bool) -> str:
    """What a model reads while the owner is away."""
    if unsure:
        return (
            f"The notes are on another server, which did not answer ({reason}). Whether the change "
            "was made is not known: read the note before you try again."
        )
    return (
        f"The notes are on another server, which cannot be reached ({reason}). Nothing was "
        "written; other tools go on. Try again later."
    )
