"""What the commands do alike: open the engines, run one call, show what came of it."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from tebiki.app import App
from tebiki.cli import render
from tebiki.config.sources import Given, load
from tebiki.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Sequence

    from tebiki.faces import Face

FOUND = 0
NOTHING_FOUND = 1

Result = TypeVar("Result")


def open_app(face: Face, typed: argparse.Namespace, toolsets: Sequence[str]) -> App:
    """Make the engines from the settings; what is odd about those is told.

    Raises:
        BadSetting: a setting is wrong.
    """
    loaded = load(Given(typed.config, getattr(typed, "debug", False)), face.config_path)
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
            await app.responder().close()

    try:
        return asyncio.run(run())
    finally:
        app.close()


def show(typed: argparse.Namespace, value: Any, words: str, *, found: bool = True) -> int:
    """Print a value for a program, or words for a person; gives the exit code."""
    if typed.json:
        render.out_json(value)
    elif words:
        render.out(words)
    return FOUND if found else NOTHING_FOUND


def read_input() -> str:
    """Everything on standard input, byte for byte.

    Raises:
        UsageError: it is not text.
    """
    if sys.stdin is None:
        return ""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as broken:
        raise UsageError("standard input is not UTF-8 text; convert it first") from broken
