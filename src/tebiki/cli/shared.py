"""What the commands do alike: open the engines, run one call, show what came of it."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tebiki.app.app import App
from tebiki.cli import render
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.status_line import Bar, StatusLine
from tebiki.config.sources import Given, load
from tebiki.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Iterator, Sequence

    from tebiki.app.faces import Face

Result = TypeVar("Result")

MOST_INPUT_BYTES = 16 * 1024 * 1024
"""Of standard input: twice what a note may have."""


def open_app(
    face: Face,
    config: str | None,
    toolsets: Sequence[str],
    *,
    debug: bool = False,
    manuals: str | None = None,
    vault: str | None = None,
) -> App:
    """Make the engines from the settings; what is odd about those is told.

    `manuals` and `vault` are folders that were typed, which come before any setting.

    Raises:
        BadSetting: a setting is wrong.
    """
    loaded = load(Given(config, debug, manuals_root=manuals, vault_root=vault), face.config_path)
    app = App(face, loaded, toolsets)
    for warning in loaded.warnings:
        app.log.warning(warning)
    return app


def run_call(app: App, call: Awaitable[Result]) -> Result:
    """Run one call of the API to its end, let go of the connection and have the call noted."""

    async def run() -> Result:
        try:
            return await call
        finally:
            await app.engines.responder().close()

    try:
        return asyncio.run(run())
    finally:
        app.close()


class ShowProgress(Protocol):
    """Tells how much of something is done."""

    def __call__(self, what: str, done: int, of_all: int, things: str = "files") -> None:
        """Tell it."""


@contextmanager
def progress_bar() -> Iterator[ShowProgress]:
    """A bar at the foot of a terminal; where there is none, nothing is shown."""
    screen = render.screen()
    if not screen.err:
        yield _unseen
        return
    status = StatusLine(render.err_moves, screen.width, time.monotonic)
    try:
        yield Bar(status, time.monotonic).show
    finally:
        status.clear()


def _unseen(what: str, done: int, of_all: int, things: str = "files") -> None:
    """Nobody is looking."""


def show(typed: argparse.Namespace, value: Any, words: str, *, found: bool = True) -> int:
    """Print a value for a program, or words for a person; gives the exit code."""
    if typed.json:
        render.out_json(value)
    elif words:
        render.out(words)
    return DONE if found else NEGATIVE


def read_input() -> str:
    """Everything on standard input, byte for byte.

    Raises:
        UsageError: it is not text, or without an end.
    """
    if sys.stdin is None:
        return ""
    if sys.stdin.isatty():
        ends = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D on a line of its own"
        render.err_line(f"Type the text here; {ends} ends it, Ctrl-C calls it off.")
    try:
        data = sys.stdin.buffer.read(MOST_INPUT_BYTES + 1)
        if len(data) > MOST_INPUT_BYTES:
            raise UsageError(f"standard input has more than {MOST_INPUT_BYTES} bytes")
        return data.decode("utf-8")
    except UnicodeDecodeError as broken:
        raise UsageError("standard input is not UTF-8 text; convert it first") from broken
