"""Child processes, one for each file: the only place of the package that starts a program.

What it starts is the Python it runs in, with words that are constants, numbers and a file's ending;
no shell, an empty environment, and three descriptors: the file, a pipe, and nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from tebiki.errors import UsageError
from tebiki.importer.child import LIST, NOT_A_MEMBER, READ
from tebiki.importer.limits import (
    CPU_SECONDS,
    MOST_HEAD_BYTES,
    MOST_MEMBERS,
    MOST_PART_BYTES,
    MOST_TEXT_BYTES,
    WALL_FACTOR,
    cpu_seconds,
)
from tebiki.importer.outcomes import (
    BROKEN,
    CRASHED,
    TIMED_OUT,
    TOO_LARGE,
    Unreadable,
    conversion_in,
)

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Coroutine

    from tebiki.importer.outcomes import Conversion

LIBRARIES = ("pypdfium2_raw", "html_to_markdown", "python_calamine")
START = (
    "import json, sys; sys.path[:0] = json.loads(sys.argv[1]); "
    "from tebiki.importer.child import main; sys.exit(main(sys.argv[2:]))"
)
BLOCK_BYTES = 256 * 1024
GRACE_SECONDS = 10.0
"""For a child to end by itself once nothing more is wanted of it."""

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
LONGEST_SECONDS = cpu_seconds(1_000_000)
LONGEST_NAMES = 8 * 1024 * 1024
MANY_NAMES = MOST_MEMBERS


class TakePart(Protocol):
    """Takes the Markdown of a file, part after part, numbered from 0."""

    def __call__(self, told: Conversion, number: int, text: bytes) -> None:
        """Take one part."""


def missing_libraries() -> list[str]:
    """The libraries that are not installed."""
    return [name for name in LIBRARIES if find_spec(name) is None]


class Children:
    """Starts children, each with the same few paths to import from."""

    def __init__(self) -> None:
        specs = [find_spec(name) for name in ("tebiki", *LIBRARIES)]
        places = [os.path.dirname(os.path.dirname(one.origin or "")) for one in specs if one]
        self._paths = json.dumps(list(dict.fromkeys(places)))

    async def read(
        self, source: int, ending: str, take: TakePart, member: int = NOT_A_MEMBER
    ) -> Conversion:
        """Read the file behind a descriptor, or one of the files in it.

        Raises:
            Unreadable: it gives no text.
        """
        async with self._child(READ, source, ending, member) as child:
            told = conversion_in(await child.line())
            if told.reason:
                raise Unreadable(told.reason, told.words)
            if sum(told.parts) > MOST_TEXT_BYTES or max(told.parts, default=0) > MOST_PART_BYTES:
                raise Unreadable(TOO_LARGE)
            for number, size in enumerate(told.parts):
                take(told, number, await child.exactly(size))
            return told

    async def members(self, source: int) -> list[tuple[int, str, bool]]:
        """The files in a zip file, by their numbers, and whether each is a link.

        Raises:
            Unreadable: it is none.
        """
        async with self._child(LIST, source, "zip", NOT_A_MEMBER) as child:
            text = await child.rest(LONGEST_NAMES)
            told = json.loads(text)
            if isinstance(told, dict):
                unread = conversion_in(text)
                raise Unreadable(unread.reason, unread.words)
            return [
                (int(number), str(name), bool(is_link))
                for number, name, is_link in told[:MANY_NAMES]
            ]

    @contextlib.asynccontextmanager
    async def _child(
        self, task: str, source: int, ending: str, member: int
    ) -> AsyncIterator[_Child]:
        """Start a child; whatever becomes of it is told as a reason."""
        os.lseek(source, 0, os.SEEK_SET)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-B", "-X", "utf8", "-c", START),
            *(self._paths, task, ending, str(member)),
            stdin=source,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            close_fds=True,
            start_new_session=True,
            limit=MOST_HEAD_BYTES,
        )
        child = _Child(process)
        try:
            yield child
            child.is_done = True
        except (ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as wrong:
            raise await child.reason() from wrong
        except TimeoutError as wrong:
            raise Unreadable(TIMED_OUT) from wrong
        finally:
            await child.end()


class _Child:
    """A child at work: what it writes, as long as it may take."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._begun = self._loop.time()
        self._seconds = CPU_SECONDS * WALL_FACTOR
        self.is_done = False

    async def line(self) -> bytes:
        """The line that tells what was found; one before it may ask for more time."""
        while True:
            line = await self._before_the_end(self._out.readline())
            told = json.loads(line)
            if not isinstance(told, dict) or "seconds" not in told:
                return line
            self._seconds = min(int(told["seconds"]), LONGEST_SECONDS) * WALL_FACTOR

    async def exactly(self, size: int) -> bytes:
        """So many bytes."""
        taken = bytearray()
        while len(taken) < size:
            block = await self._before_the_end(self._out.read(min(size - len(taken), BLOCK_BYTES)))
            if not block:
                raise asyncio.IncompleteReadError(b"", size)
            taken += block
        return bytes(taken)

    async def rest(self, most: int) -> bytes:
        """All that it writes."""
        taken = bytearray()
        while block := await self._before_the_end(self._out.read(BLOCK_BYTES)):
            taken += block
            if len(taken) > most:
                raise Unreadable(TOO_LARGE)
        return bytes(taken)

    async def reason(self) -> Unreadable:
        """Why a child ended without a result."""
        try:
            code = await asyncio.wait_for(self._process.wait(), GRACE_SECONDS)
        except TimeoutError:
            return Unreadable(TIMED_OUT)
        if code == -getattr(signal, "SIGXCPU", 0):
            return Unreadable(TIMED_OUT)
        return Unreadable(CRASHED) if code < 0 else Unreadable(BROKEN)

    async def end(self) -> None:
        """See to it that the child is gone: it has said what it had to say, or must not go on."""
        if self.is_done:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), GRACE_SECONDS)
        if self._process.returncode is None:
            # Not by the process itself, whose `kill` may take the exit code that `wait` waits for.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, KILL)
        await self._process.wait()

    @property
    def _out(self) -> asyncio.StreamReader:
        if self._process.stdout is None:
            raise UsageError("a child without a pipe")
        return self._process.stdout

    async def _before_the_end(self, reading: Coroutine[Any, Any, bytes]) -> bytes:
        left = self._begun + self._seconds - self._loop.time()
        return await asyncio.wait_for(reading, max(left, 0))
