"""The stdio door: owns the descriptors, pumps bytes between the wire and a session.

The main thread reads and hands over; nothing here knows what a message means.
While serving, descriptors 0 and 1 belong to this module alone: a stray `print` lands on stderr and
a stray `input` finds an empty file, so neither can corrupt the wire.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Protocol

from tebiki.protocol.messages import encode
from tebiki.system.descriptors import departure_of_reader, make_blocking
from tebiki.transport.framing import (
    LONGEST_MESSAGE,
    Decoder,
    Dialect,
    Message,
    SkippedHeader,
    TooLong,
    frame,
)
from tebiki.transport.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.observability.logs import Log
    from tebiki.transport.framing import Event

CHUNK = 65_536
"""Bytes asked for at once: the size of a Linux pipe."""


class Peer(Protocol):
    """Who the door talks to: the session behind it."""

    def receive(self, body: bytes) -> None:
        """Take one message."""

    def refuse_overlong(self, length: int, limit: int) -> None:
        """Be told of a message that was too long to keep."""

    def drain(self) -> None:
        """Return once every running call has been answered."""


class StdioChannel:
    """The way back to the client, in the dialect it speaks."""

    def __init__(self, outbox: Outbox, log: Log, *, line_mode: bool) -> None:
        self._outbox = outbox
        self._log = log
        self.dialect = Dialect.LINE if line_mode else Dialect.FRAMED

    def send(self, message: dict[str, Any]) -> None:
        """Send an answer."""
        body = encode(message)
        self._outbox.put(frame(body, self.dialect))
        if self._log.debugging:
            self._log.debug(f"send ({self.dialect.value}) bytes={len(body)}")
            self._log.debug(f"send json={body.decode('utf-8')}")

    def offer(self, message: dict[str, Any]) -> None:
        """Send something that may be dropped when the client does not keep up."""
        if not self._outbox.is_crowded():
            self.send(message)


def serve(
    make_peer: Callable[[StdioChannel], Peer],
    log: Log,
    *,
    line_mode: bool,
    after_first_message: Callable[[threading.Event], None],
    at_end: Callable[[], None],
) -> None:
    """Serve one client on standard input and output, then end the process.

    `after_first_message` is called once, after the first message was handled, with an event that
    is set when the input has ended: the moment for work that must not delay the first answer.
    `at_end` is called when the last answer has been written.
    """
    wire_in, wire_out = _claim_descriptors()
    _end_at_once_on_signals()
    _end_with_the_client(wire_out)
    outbox = Outbox(wire_out, on_closed=lambda: os._exit(0))
    pump(
        wire_in,
        outbox,
        make_peer,
        log,
        line_mode=line_mode,
        after_first_message=after_first_message,
    )
    at_end()
    # Not `sys.exit`: a thread may be in the middle of importing native modules, and tearing the
    # interpreter down around it can crash. Everything that matters has been written.
    os._exit(0)


def pump(
    wire_in: int,
    outbox: Outbox,
    make_peer: Callable[[StdioChannel], Peer],
    log: Log,
    *,
    line_mode: bool,
    after_first_message: Callable[[threading.Event], None],
) -> None:
    """Serve one client on any two descriptors, until its input has ended and all is answered."""
    channel = StdioChannel(outbox, log, line_mode=line_mode)
    peer = make_peer(channel)
    ended = threading.Event()
    first_message_seen = False
    for event in _events(wire_in, log):
        _hand_over(event, channel, peer, log)
        outbox.wait_for_room()
        if not first_message_seen:
            first_message_seen = True
            after_first_message(ended)
    ended.set()
    log.debug("stdin ended")
    peer.drain()
    outbox.flush()


def _events(wire_in: int, log: Log) -> Iterator[Event]:
    decoder = Decoder()
    while chunk := _read(wire_in):
        log.debug(f"stdin chunk={len(chunk)}")
        yield from decoder.feed(chunk)
    yield from decoder.finish()


def _hand_over(event: Event, channel: StdioChannel, peer: Peer, log: Log) -> None:
    match event:
        case Message(body, dialect):
            if dialect is Dialect.LINE:
                # Sticky: from the first line on, this client is answered in lines.
                channel.dialect = Dialect.LINE
            if dialect is Dialect.FRAMED:
                log.debug(f"header Content-Length={len(body)}")
            log.debug(f"message ({dialect.value}) bytes={len(body)}")
            peer.receive(body)
        case TooLong(length, dialect):
            if dialect is Dialect.LINE:
                channel.dialect = Dialect.LINE
            log.debug(f"message too long bytes={length}")
            peer.refuse_overlong(length, LONGEST_MESSAGE)
        case SkippedHeader(lines):
            log.debug(f"header block without a usable Content-Length skipped lines={lines}")


def _end_with_the_client(wire_out: int) -> None:
    """End the process when the client closes its end, also while nothing is being written.

    Otherwise a killed client would leave its paid calls running until they end by themselves.
    Where this cannot be watched the next write notices.
    """
    wait = departure_of_reader(wire_out)
    if wait is None:
        return

    def watch() -> None:
        wait()
        os._exit(0)

    threading.Thread(target=watch, name="departure", daemon=True).start()


def _read(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, CHUNK)
        except BlockingIOError:
            make_blocking(descriptor)
        except OSError:
            # A terminal that hung up reads as an error; for us it is the end of input.
            return b""


def _claim_descriptors() -> tuple[int, int]:
    """Take the wire away from descriptors 0 and 1."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    for wire in (wire_in, wire_out):
        # A host may hand over its own non-blocking pipes; we wait in threads instead.
        make_blocking(wire)
    _redirect(os.devnull, os.O_RDONLY, 0)
    os.dup2(2, 1)
    return wire_in, wire_out


def _redirect(path: str, mode: int, descriptor: int) -> None:
    opened = os.open(path, mode)
    os.dup2(opened, descriptor)
    os.close(opened)


def _end_at_once_on_signals() -> None:
    """Let the system end the process: a handler of Python's own would wait for a long parse."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
