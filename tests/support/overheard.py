"""What a process writes to a pipe, read as it comes, and waiting for words in it."""

from __future__ import annotations

import threading
from typing import IO

PATIENCE_SECONDS = 60.0
"""How long a test waits for something that must happen; reached only when it does not."""


class Overheard:
    """Everything that has come out of one pipe so far."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._heard = bytearray()
        self._ended = False
        self._grew = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def data(self) -> bytes:
        """What has been written."""
        with self._grew:
            return bytes(self._heard)

    @property
    def text(self) -> str:
        """What has been written, as far as it is text."""
        return self.data.decode("utf-8", "replace")

    def wait_for(self, text: str, count: int = 1) -> None:
        """Wait until a text has been written so many times."""
        wanted = text.encode()
        with self._grew:
            self._grew.wait_for(
                lambda: self._heard.count(wanted) >= count or self._ended, PATIENCE_SECONDS
            )
            seen = self._heard.count(wanted) >= count
        assert seen, f"{text!r} not seen {count} times in: {self.text[-2000:]}"

    def wait_for_end(self) -> None:
        """Wait until nobody has the other end of the pipe open any more."""
        with self._grew:
            assert self._grew.wait_for(lambda: self._ended, PATIENCE_SECONDS)

    def close(self) -> None:
        """Read to the end and close the pipe."""
        self._reader.join(PATIENCE_SECONDS)
        assert not self._reader.is_alive(), "somebody still has the other end open"
        self._pipe.close()

    def _read(self) -> None:
        while chunk := self._pipe.read1(65_536):  # type: ignore[attr-defined]  # a BufferedReader
            with self._grew:
                self._heard += chunk
                self._grew.notify_all()
        with self._grew:
            self._ended = True
            self._grew.notify_all()


class Listening:
    """Whoever hears what a server writes to stderr."""

    overheard: Overheard

    @property
    def stderr(self) -> str:
        """What the server has written to stderr."""
        return self.overheard.text

    def wait_for_stderr(self, text: str, count: int = 1) -> None:
        """Wait until a text has been written to stderr so many times."""
        self.overheard.wait_for(text, count)
