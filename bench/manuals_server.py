"""The server over a made-up manual, spoken to in finds; its index lives in a folder of the run.

Nothing here knows what is measured.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bench.corpus import MANUAL_ID
from bench.processes import Piped, clean_environment, line_of
from bench.startup import HELLO
from tebiki.manuals.index.manifest import GRAIN_NS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.corpus import Asked

INDEX_COMMAND = (sys.executable, "-m", "tebiki", "manuals", "index", MANUAL_ID)
COMMAND = (
    sys.executable,
    "-c",
    "from tebiki.__main__ import tebiki; tebiki()",
    "--stdio",
    "--toolsets",
    "manuals",
)
_NUMBERS = itertools.count(1)


class FindFailed(Exception):
    """The server answered with an error, or not everything was searched."""


@contextmanager
def environment_of(folder: Path) -> Iterator[dict[str, str]]:
    """An environment whose manuals are below a folder, and whose indexes are beside them."""
    with clean_environment() as environment:
        yield environment | {
            "MANUALS_ROOT": str(folder / "manuals"),
            "VAULT_ROOT": str(folder / "vault"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }


@contextmanager
def built_index(folder: Path) -> Iterator[dict[str, str]]:
    """Such an environment, with the index of its manual built as a person has it built."""
    with environment_of(folder) as environment:
        bring_up_to_date(environment)
        settle()
        bring_up_to_date(environment)
        yield environment


def bring_up_to_date(environment: dict[str, str]) -> None:
    """Index what has changed, by the command that people have for that."""
    subprocess.run(INDEX_COMMAND, env=environment, check=True, stdout=subprocess.DEVNULL)


def settle() -> None:
    """Let files get older than the clock's grain: younger ones are read again by every find."""
    time.sleep(GRAIN_NS / 1e9 * 1.5)


@contextmanager
def manuals_server(environment: dict[str, str]) -> Iterator[Piped]:
    """Start a server that has answered `initialize` and listed its manuals."""
    with Piped(COMMAND, environment) as process:
        process.ask(HELLO)
        process.ask(tool_call("manual_ls"))
        yield process


def tool_call(name: str, **arguments: Any) -> dict[str, Any]:
    """One `tools/call` with a number of its own."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": next(_NUMBERS), "method": "tools/call", "params": params}


def find_call(asked: Asked) -> dict[str, Any]:
    """One find past the cache."""
    return tool_call(
        "manual_find",
        query=asked.query,
        manual_id=MANUAL_ID,
        required_terms=list(asked.terms),
        use_cache=False,
    )


def timed_find(process: Piped, asked: Asked) -> tuple[float, str]:
    """Make a find; gives its ms from the line written to the line read, and the text it answers.

    Raises:
        FindFailed: the answer is an error, or is not complete.
    """
    line = line_of(find_call(asked))
    begun = time.perf_counter()
    process.send(line)
    (found,) = answers(process)
    taken = (time.perf_counter() - begun) * 1000
    return taken, text_of(json.loads(found))


def answers(process: Piped) -> list[bytes]:
    """Wait for the next answers; reports of progress are passed over."""
    while True:
        if found := [line for line in process.lines() if b'"id"' in line]:
            return found


def text_of(answer: dict[str, Any]) -> str:
    """The text of a find's answer.

    Raises:
        FindFailed: it is an error, or not everything was searched.
    """
    result = answer.get("result", {"isError": True})
    if result.get("isError") or not result["structuredContent"]["complete"]:
        raise FindFailed(str(answer)[:500])
    text: str = result["content"][0]["text"]
    return text
