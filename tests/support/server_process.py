"""A client for the real server as a subprocess: speaks both dialects, reads answers as they come.

Written apart from `tebiki.transport` on purpose: the server's own decoder is under test.
"""

from __future__ import annotations

import json
import threading
from typing import IO, TYPE_CHECKING

from tests.support.launching import clean_environment, launch
from tests.support.overheard import PATIENCE_SECONDS, Overheard
from tests.support.talk import Json, Talk, encoded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CANARY = "sk-canary-3f9c2b7e51d84a60"
PLAIN_CANARY = "CANARYkey0123456789ABCDEFGHIJKLMNOP"
"""A key without the usual start: only knowing it can keep it out of the log."""


class ServerProcess(Talk):
    """One running server and the conversation with it."""

    def __init__(
        self,
        home: Path,
        *flags: str,
        dialect: str = "line",
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
        fresh: bool = False,
    ) -> None:
        super().__init__()
        self.transport = self.dialect = dialect
        environment = clean_environment(home) | dict(env or {})
        self.process = launch(face, ("--stdio", *flags), environment, fresh=fresh)
        assert self.process.stderr is not None
        self.overheard = Overheard(self.process.stderr)
        self._reader: threading.Thread | None = None
        if reading:
            self.start_reading()

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_SECONDS)
        if self._reader is not None:
            self._reader.join(PATIENCE_SECONDS)
        self.overheard.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                close_quietly(pipe)

    def start_reading(self) -> None:
        """Read the server's answers from now on."""
        self._reader = threading.Thread(target=self._read_stdout, daemon=True)
        self._reader.start()

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are."""
        pipe = self.process.stdin
        assert pipe is not None
        pipe.write(data)
        pipe.flush()

    def send(self, message: object) -> None:
        """Write one message in this client's dialect."""
        self.send_bytes(framed(message) if self.dialect == "framed" else line(message))

    def end_input(self) -> None:
        """Close the server's input."""
        if self.process.stdin is not None:
            close_quietly(self.process.stdin)

    def drop_output(self) -> None:
        """Close the server's output, as a client that dies does; only when nothing reads it."""
        assert self._reader is None
        if self.process.stdout is not None:
            self.process.stdout.close()

    def finish(self) -> list[Json]:
        """End the input, wait for the exit with code 0 and return everything not yet taken."""
        self.end_input()
        assert self.process.wait(PATIENCE_SECONDS) == 0
        self.overheard.wait_for_end()
        return self._rest()

    def resident_bytes(self) -> int:
        """Memory the process holds; zero where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096
        except FileNotFoundError:
            return 0

    def _read_stdout(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        while head := pipe.readline():
            self.raw += head
            if head.lower().startswith(b"content-length:"):
                self.raw += pipe.readline()
                body = pipe.read(int(head.split(b":")[1]))
                self.raw += body
            else:
                body = head
            self._messages.put(json.loads(body.decode("utf-8")))
        self._messages.put(None)


def close_quietly(pipe: IO[bytes]) -> None:
    """Close a pipe whose other end may be gone."""
    try:
        pipe.close()
    except BrokenPipeError:
        return


def line(message: object) -> bytes:
    """A message in the line dialect."""
    return encoded(message) + b"\n"


def framed(message: object) -> bytes:
    """A message in the framed dialect."""
    body = encoded(message)
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
