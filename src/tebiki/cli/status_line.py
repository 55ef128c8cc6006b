"""One line at the foot of a terminal that tells what is going on; drawn over itself.

Not here: what is going on. Without a terminal there is no such line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.plain import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

START_OF_LINE = "\r\x1b[K"
"""Back to the first column, and nothing left there."""

TURNS = "|/-\\"
SECONDS_BETWEEN = 0.1
BAR = 20
"""Signs of a bar."""


class StatusLine:
    """Draws with `write`; the time is an argument."""

    def __init__(
        self, write: Callable[[str], None], width: int, clock: Callable[[], float]
    ) -> None:
        self._write = write
        self._width = width
        self._clock = clock
        self._started = clock()
        self._words = ""
        self._turn = 0

    def show(self, words: str) -> None:
        """Tell something new."""
        self._words = one_line(words)
        self._draw()

    def tick(self) -> None:
        """Show that time passes, as long as there is something to show."""
        if self._words:
            self._turn += 1
            self._draw()

    def clear(self) -> None:
        """Leave the line empty, for somebody else to write on."""
        if self._words:
            self._words = ""
            self._write(START_OF_LINE)

    def _draw(self) -> None:
        seconds = int(self._clock() - self._started)
        line = f"{TURNS[self._turn % len(TURNS)]} {self._words} ({seconds} s)"
        # One column stays free: a terminal whose last one is written may begin a new line.
        self._write(START_OF_LINE + cut(line, self._width - 1))


class Bar:
    """Shows how much of something is done, on a status line; not more often than eyes follow."""

    def __init__(self, status: StatusLine, clock: Callable[[], float]) -> None:
        self._status = status
        self._clock = clock
        self._last = float("-inf")

    def show(self, what: str, done: int, of_all: int, things: str = "files") -> None:
        """Tell how far it is."""
        now = self._clock()
        if of_all and now - self._last >= SECONDS_BETWEEN:
            self._last = now
            full = done * BAR // of_all
            bar = "#" * full + "." * (BAR - full)
            self._status.show(f"{what} [{bar}] {done} of {of_all} {things}")
