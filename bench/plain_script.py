"""The yardstick: a script that uses the OpenAI SDK in the ordinary way, commanded over stdin.

The first line is the request body. Then `{"calls", "at_once"}` makes it run and time a block of
calls by itself, and `{"id"}` makes it run one call and answer with a line, as a server would.
Nothing of tebiki may be imported here.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openai.types.responses import Response

LONGEST_LINE = 1024 * 1024
STDOUT = 1


class PlainScript:
    """One client, one body, and the two ways to be asked for calls."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._client = AsyncOpenAI()
        self._body = body
        self._running: set[asyncio.Task[None]] = set()

    def take(self, command: dict[str, Any]) -> None:
        """Start what a command asks for."""
        task = asyncio.create_task(
            self._block(command["calls"], command["at_once"])
            if "calls" in command
            else self._one(command["id"])
        )
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _ask(self) -> str:
        response: Response = await self._client.responses.create(**self._body)
        return response.output_text

    async def _one(self, number: int) -> None:
        answer(id=number, result=await self._ask())

    async def _block(self, calls: int, at_once: int) -> None:
        taken: list[float] = []
        left = iter(range(calls))
        await asyncio.gather(*(self._keep_asking(left, taken) for _ in range(at_once)))
        answer(taken_ms=taken)

    async def _keep_asking(self, left: Iterator[int], taken: list[float]) -> None:
        for _ in left:
            started = time.perf_counter()
            await self._ask()
            taken.append((time.perf_counter() - started) * 1000)


def answer(**content: Any) -> None:
    """Write one line."""
    data = memoryview(json.dumps(content, ensure_ascii=False).encode() + b"\n")
    while data:
        data = data[os.write(STDOUT, data) :]


async def main() -> None:
    """Serve commands until the input ends."""
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    script = PlainScript(json.loads(await reader.readline()))
    answer(ready=True)
    while line := await reader.readline():
        script.take(json.loads(line))


if __name__ == "__main__":
    asyncio.run(main())
