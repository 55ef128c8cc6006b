"""How another program can start this one: the words of a command that will still work tomorrow."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys

from tebiki.errors import UsageError

UV_CACHE = re.compile(r"[/\\](?:archive|environments|builds)-v[0-9]+[/\\]")
"""Where uvx keeps what it runs; such a path may be cleared away at any time."""


def command_words(given: str | None, platform: str, path: str) -> tuple[str, ...]:
    """The command a client is to use: what was given, or how this program was started.

    Raises:
        UsageError: what was given is no command.
    """
    if given is None:
        return started_as(sys.argv[0], sys.executable, platform, path)
    if os.path.isfile(given):
        return (os.path.abspath(given),)
    try:
        words = _split_by_windows(given) if platform == "windows" else shlex.split(given)
    except ValueError as error:
        raise UsageError(f"--command {given}: {error}") from error
    if not words:
        raise UsageError("--command needs a value: --command CMD")
    return tuple(words)


def _split_by_windows(command: str) -> list[str]:
    """Words as Windows parts them: a backslash is one, and quotes are not of the word they hold."""
    words = shlex.split(command, posix=False)
    return [word[1:-1] if word[0] == word[-1] == '"' else word for word in words]


def started_as(program: str, python: str, platform: str, path: str) -> tuple[str, ...]:
    """The running program by its whole path, `uvx tebiki` from uvx, else the Python it runs in."""
    if UV_CACHE.search(python) or UV_CACHE.search(program):
        return (shutil.which("uvx", path=path) or "uvx", "tebiki")
    name = "tebiki.exe" if platform == "windows" else "tebiki"
    candidates = [
        program if os.path.dirname(program) else shutil.which(program, path=path) or "",
        os.path.join(os.path.dirname(python), name),
    ]
    for candidate in candidates:
        stem = os.path.splitext(os.path.basename(candidate))[0]
        if stem == "tebiki" and os.path.isfile(candidate):
            # Not resolved: a link to it survives upgrades, its target may not.
            return (os.path.abspath(candidate),)
    return (python, "-m", "tebiki")
