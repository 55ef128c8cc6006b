"""The server with every call inside the package counted: `python -m bench.traced FILE [FLAG ...]`.

A SIGUSR1 begins to count and empties the file; the next one writes what was counted to it.
The profiler is on from the start of the process in every thread, so that no thread is missed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tebiki
from tebiki.__main__ import tebiki as serve

if TYPE_CHECKING:
    from types import FrameType

PACKAGE = os.path.dirname(os.path.abspath(tebiki.__file__)) + os.sep


class Tracer:
    """Counts calls, the files and folders they go through, and how deep they nest.

    A change of folder is a call into another folder than the last call in the same thread went to.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._is_counting = False
        self._last: dict[int, str] = {}
        self._entries: dict[str, int] = {}
        self._crossings: dict[str, int] = {}
        self._calls = self._deepest = 0

    def begin_or_end(self, _signal: int, _frame: FrameType | None) -> None:
        """Begin to count, or end it; either way the file is replaced."""
        self._is_counting = not self._is_counting
        if self._is_counting:
            self._last, self._entries, self._crossings = {}, {}, {}
            self._calls = self._deepest = 0
            self._write("")
        else:
            self._write(json.dumps(self._counted()))

    def _counted(self) -> dict[str, Any]:
        return {
            "files": len(self._entries),
            "calls": self._calls,
            "changes": sum(self._crossings.values()),
            "deepest": self._deepest,
            "entries": self._entries,
            "crossings": self._crossings,
        }

    def _write(self, text: str) -> None:
        Path(f"{self._file}.new").write_text(text, encoding="utf-8")
        os.replace(f"{self._file}.new", self._file)

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Note a call; what `sys.setprofile` calls."""
        if event != "call" or not self._is_counting:
            return
        path = frame.f_code.co_filename
        if not path.startswith(PACKAGE):
            return
        file = path[len(PACKAGE) :]
        folder = os.path.dirname(file)
        thread = threading.get_ident()
        if self._last.get(thread, folder) != folder:
            way = f"{self._last[thread] or '.'} -> {file}:{frame.f_code.co_name}"
            self._crossings[way] = self._crossings.get(way, 0) + 1
        self._last[thread] = folder
        self._entries[file] = self._entries.get(file, 0) + 1
        self._calls += 1
        self._deepest = max(self._deepest, _depth(frame))


def _depth(frame: FrameType | None) -> int:
    """How many calls of the package are under way in a thread."""
    depth = 0
    while frame is not None:
        depth += frame.f_code.co_filename.startswith(PACKAGE)
        frame = frame.f_back
    return depth


def main() -> None:
    """Serve with the tracer on."""
    file, *flags = sys.argv[1:]
    tracer = Tracer(file)
    signal.signal(signal.SIGUSR1, tracer.begin_or_end)
    sys.argv = ["tebiki", *flags]
    threading.setprofile(tracer.profile)
    sys.setprofile(tracer.profile)
    serve()


if __name__ == "__main__":
    main()
