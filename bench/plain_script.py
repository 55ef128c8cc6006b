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

    async def obey(self, command: dict[str, Any]) -> None:
        """Do what a command asks for."""
        if "calls" in command:
            await self._block(command["calls"], command["at_once"])
        else:
            answer(id=command["id"], result=await self._ask())

    async def _ask(self) -> str:
        response: Response = await self._client.responses.create(**self._body)
        return response.output_text

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
    # A group, so that a failed call ends the script instead of leaving its reader waiting.
    async with asyncio.TaskGroup() as running:
        while line := await reader.readline():
            running.create_task(script.obey(json.loads(line)))


if __name__ == "__main__":
    asyncio.run(main())
