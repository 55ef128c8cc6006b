"""Log lines, on stderr alone and in the debug file when there is one; scrubbed, never raising.

Written with `os.write` and not with `logging`, which would cost a quarter of the start-up time.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from tebiki.system.descriptors import ALWAYS_FITS, room_probe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.observability.redact import Redactor

STDERR = 2

UNSEEN = (
    *(code for code in range(0x20) if code not in b"\t\n"),
    *range(0x7F, 0xA0),  # the other control characters
    *(0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
)
"""Signs that a terminal obeys, or that turn what is read around; lines hold anybody's text."""

SHOWN = {code: f"\\u{code:04x}" for code in UNSEEN}
SHOWN_IN_A_LINE = SHOWN | {0x0A: "\\n"}

PATIENCE_MS = 200
"""How long a full stderr is waited for, once; after that lines are dropped until it is read."""


class Log:
    """Where a process speaks about itself; decided once at start."""

    def __init__(
        self,
        name: str,
        redactor: Redactor,
        *,
        debug: bool = False,
        warn: bool = True,
        file: str | None = None,
        as_json: bool = False,
    ) -> None:
        self._name = name
        self._is_json = as_json
        self._redactor = redactor
        self.debugging = debug
        self._warns = warn
        self._writing = threading.Lock()
        self._room = room_probe(STDERR)
        self._is_read = True
        self._file: int | None = None
        if debug and file is not None:
            self._file = self._open(file)

    def debug(self, line: str) -> None:
        """Write a line when the debug log is on."""
        if self.debugging:
            self._enter("debug", f"[{self._name}] ", line)

    def info(self, line: str, **facts: object) -> None:
        """Tell a person who runs a server what it does; a stdio server has nobody to tell."""
        self._enter("info", f"{self._name}: ", line, facts)

    def warning(self, line: str) -> None:
        """Tell of something that was not as it should be but did not stop the work."""
        if self._warns:
            self._enter("warning", f"{self._name}: warning: ", line)

    def error(self, line: str) -> None:
        """Tell of a failure; several lines may be one entry."""
        self._enter("error", f"{self._name}: error: ", line)

    def clean(self, text: str) -> str:
        """Remove secrets from text that leaves by another way."""
        return self._redactor.clean(text)

    def _enter(
        self, level: str, start: str, line: str, facts: Mapping[str, object] | None = None
    ) -> None:
        """Write one entry: a line for people, or an object for programs."""
        if self._is_json:
            self._write(self._as_json(level, line, facts or {}))
            return
        pairs = "".join(f" {name}={value}" for name, value in (facts or {}).items())
        # Only an error has lines of its own: elsewhere a text that has some would look like ours.
        shown = f"{start}{line}{pairs}".translate(SHOWN if level == "error" else SHOWN_IN_A_LINE)
        self._write(f"{shown}\n")

    def _as_json(self, level: str, line: str, facts: Mapping[str, object]) -> str:
        import json  # a line for people needs neither
        import time

        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        # Before the quotes are escaped: a secret beside one would hide from the scrubber.
        cleaned = {name: self.clean(str(value)) for name, value in facts.items()}
        entry = {"time": moment, "level": level, "name": self._name, "message": self.clean(line)}
        return json.dumps(entry | cleaned, ensure_ascii=False).translate(SHOWN) + "\n"

    def _open(self, file: str) -> int | None:
        path = os.path.expanduser(file)
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            return os.open(path, _APPEND, 0o600)
        except (OSError, ValueError) as refused:
            reason = refused.strerror if isinstance(refused, OSError) else refused
            self.warning(f"debug file {file} cannot be opened ({reason}); stderr only")
            return None

    def _write(self, text: str) -> None:
        data = self._redactor.clean(text).encode("utf-8", "backslashreplace")
        # One line at a time: lines of several threads stay whole, and the probe bears only one.
        with self._writing:
            self._write_to_stderr(data)
            if self._file is not None:
                _write_or_drop(self._file, data)

    def _write_to_stderr(self, data: bytes) -> None:
        """Write as far as somebody reads; a host that ignores our stderr must not stop us."""
        for start in range(0, len(data), ALWAYS_FITS):
            if self._room is not None:
                self._is_read = self._room(PATIENCE_MS if self._is_read else 0)
                if not self._is_read:
                    return
            _write_or_drop(STDERR, data[start : start + ALWAYS_FITS])


def _write_or_drop(descriptor: int, data: bytes) -> None:
    try:
        os.write(descriptor, data)
    except OSError:
        # A host that closed our stderr must not end its own session by that.
        return


_APPEND = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody reads must not hold up the start
)
