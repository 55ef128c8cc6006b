"""Processes that make the files of a long build ready, beside the one that writes the index.

They are started for one build and end with it. Each is sent files by a thread of its own, some at
a time, and gives back sections; the order is kept by whoever takes them. What becomes of a process
(killed, out of memory, never started) costs time only: its files are made ready here.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import queue
import struct
import threading
from collections import deque
from typing import IO, TYPE_CHECKING, Any

from tebiki.manuals.index.packing import PackedSection
from tebiki.manuals.index.preparing import ReadySections, prepare_here, prepare_one
from tebiki.system.child_process import CAN_START, start_child

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from tebiki.manuals.index.preparing import FileRead, Preparation
    from tebiki.system.child_process import Child

MOST_BUILDERS = 4
BYTES_AT_ONCE = 128 * 1024
BYTES_AHEAD = 2_000_000
"""Of files that each has waiting: so much is held, and some times as much of what they give."""

MODULE = "tebiki.manuals.index.builder"
PACKAGES = ("tebiki", "tantivy", "markdown_it", "mdurl")
SIZE = struct.Struct("<Q")
MOST_BYTES = 1 << 31
LOOK_SECONDS = 0.02


def count_builders() -> int:
    """How many are worth starting; none where one processor has to do."""
    if not CAN_START:
        return 0
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(count, MOST_BUILDERS) if count and count > 1 else 0


class Builders:
    """Some of them, at work until the build is over."""

    def __init__(self, count: int) -> None:
        self._waiting: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: list[Child] = []
        self._count = count

    def __enter__(self) -> Self:
        for _ in range(self._count):
            try:
                child = start_child(MODULE, PACKAGES)
            except OSError:
                break  # a system that starts none has one builder: this one
            self._children.append(child)
            thread = threading.Thread(
                target=self._employ, args=(child,), name="tebiki-builder", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:  # the system has no more threads
                break
            self._threads.append(thread)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self._children:
            with contextlib.suppress(OSError):
                child.kill()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()
        for child in self._children:
            child.wait()

    def prepare(
        self, files: Iterator[FileRead], check: Callable[[], None]
    ) -> Iterator[Preparation]:
        """Each file with what it gives, in their order; reads some files ahead."""
        if not self._threads:
            yield from prepare_here(files, check)
            return
        ahead: deque[_Work] = deque()
        size = 0
        for work in _in_parts(files):
            ahead.append(work)
            self._waiting.put(work)
            size += work.size
            while size > BYTES_AHEAD * len(self._threads):
                done = ahead.popleft()
                size -= done.size
                yield from self._taken(done, check)
        while ahead:
            yield from self._taken(ahead.popleft(), check)

    def _taken(self, work: _Work, check: Callable[[], None]) -> Iterator[Preparation]:
        """What came of some files; made here where nobody else does."""
        while not work.done.wait(LOOK_SECONDS):
            check()
            if not any(thread.is_alive() for thread in self._threads):
                break
        made = iter(work.made)
        for read in work.files:
            if read.is_known or read.reason is not None:
                yield read, ReadySections((), read.reason)
            else:
                told = next(made, None)
                yield read, prepare_one(read, check) if told is None else told

    def _employ(self, child: Child) -> None:
        """Send a process what waits, until the build is over or the process is gone."""
        if child.stdin is None or child.stdout is None:
            return
        # What could not be sent is tried once more at the end, and fails again.
        with contextlib.suppress(OSError), child.stdin as out, child.stdout as back:
            while (work := self._waiting.get()) is not None:
                try:
                    send(out, [(read.file.path, read.data) for read in work.unprepared()])
                    work.made = [_read_answer(one) for one in receive(back)]
                except (OSError, EOFError, ValueError, TypeError):
                    return
                finally:
                    work.done.set()


class _Work:
    """Some files, and what came of them once that is done: nothing where it went wrong."""

    def __init__(self, files: list[FileRead], size: int) -> None:
        self.files = files
        self.size = size
        self.made: list[ReadySections] = []
        self.done = threading.Event()

    def unprepared(self) -> list[FileRead]:
        """Those that have to be made ready."""
        return [read for read in self.files if not read.is_known and read.reason is None]


def _in_parts(files: Iterator[FileRead]) -> Iterator[_Work]:
    some: list[FileRead] = []
    size = 0
    for read in files:
        some.append(read)
        size += len(read.data) + 1
        if size >= BYTES_AT_ONCE:
            yield _Work(some, size)
            some, size = [], 0
    if some:
        yield _Work(some, size)


def _read_answer(value: Any) -> ReadySections:
    """What a process says of a file."""
    reason, rows = value
    return ReadySections(list(map(PackedSection._make, rows)), reason)


def send(out: IO[bytes], value: Any) -> None:
    """Write a value, its length first."""
    body = marshal.dumps(value)
    out.write(SIZE.pack(len(body)))
    out.write(body)
    out.flush()


def receive(back: IO[bytes]) -> Any:
    """Read what `send` wrote.

    Raises:
        EOFError: nothing more comes.
        ValueError: something else came.
    """
    head = back.read(SIZE.size)
    if len(head) < SIZE.size:
        raise EOFError
    (length,) = SIZE.unpack(head)
    if length > MOST_BYTES:
        raise ValueError("no message is so long")
    body = back.read(length)
    if len(body) < length:
        raise EOFError
    return marshal.loads(body)  # noqa: S302 -- by this same program, started by us
