"""How another program can start this one: the words of a command that will still work tomorrow."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from importlib import metadata
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from tebiki.errors import UsageError

UV_CACHE = re.compile(r"[/\\](?:archive|environments|builds)-v[0-9]+[/\\]")
"""Where uvx keeps what it runs; such a path may be cleared away at any time."""


def command_words(given: str | None, platform: str, path: str) -> tuple[str, ...]:
    """The command a client is to use: what was given, or how this program was started.

    Raises:
        UsageError: what was given is no command.
    """
    if given is None:
        source = source_of(_installation_record())
        return started_as(sys.argv[0], sys.executable, platform, path, source)
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


def started_as(
    program: str, python: str, platform: str, path: str, source: str | None = None
) -> tuple[str, ...]:
    """The running program by its whole path, `uvx tebiki` from uvx, else the Python it runs in.

    `source` is where uvx had it from, if that was not the package index.
    """
    if UV_CACHE.search(python) or UV_CACHE.search(program):
        uvx = shutil.which("uvx", path=path) or "uvx"
        return (uvx, "tebiki") if source is None else (uvx, "--from", source, "tebiki")
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


def source_of(record: str | None) -> str | None:
    """Where the package was installed from, as uvx takes it: a folder, a file or a repository.

    `record` is what the installer wrote (`direct_url.json`); without one it was the index.
    """
    try:
        told: Any = json.loads(record or "")
        parts = urlsplit(str(told["url"]))
    except (ValueError, KeyError, TypeError):
        return None
    if not parts.scheme:
        return None
    if parts.scheme in ("http", "https"):
        # Whoever signs in does so by other means than a file that programs read.
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    version_control = told.get("vcs_info")
    if isinstance(version_control, dict):
        revision = version_control.get("requested_revision")
        address = f"{version_control.get('vcs', 'git')}+{urlunsplit(parts)}"
        return f"{address}@{revision}" if revision else address
    if parts.scheme == "file":
        # A drive of Windows stands behind a slash: /C:/folder.
        return re.sub(r"^/(?=[A-Za-z]:)", "", unquote(parts.path))
    return urlunsplit(parts)


def _installation_record() -> str | None:
    try:
        return metadata.distribution("tebiki").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
