"""The ground the program stands on: Python, packages, the command, the clock."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.doctor.findings import doubtful, good, wrong

if TYPE_CHECKING:
    from tebiki.doctor.findings import Finding

REINSTALL = "install tebiki again, with its dependencies"
RELEASED = datetime(2026, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier time to this version."""

MOST_SECONDS_APART = 300


def python() -> Finding:
    """The interpreter and the packages this program needs."""
    words = f"tebiki {__version__}, Python {platform.python_version()}"
    try:
        required = metadata.requires("tebiki") or []
    except metadata.PackageNotFoundError:
        return doubtful("python", f"{words}, not installed as a package", REINSTALL)
    names = [_name(line) for line in required if "extra ==" not in line]
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    facts = {"tebiki": __version__, "python": platform.python_version(), "packages": versions}
    if missing:
        return wrong("python", f"{words}; missing: {', '.join(missing)}", REINSTALL, **facts)
    installed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return good("python", f"{words}, {installed}", **facts)


def program(name: str) -> Finding:
    """Whether a client finds the command by its name."""
    path = shutil.which(name)
    if path is None:
        return doubtful(
            "command",
            f"{name} is not on the PATH",
            f"give clients a whole path: {sys.executable} -m tebiki",
        )
    return good("command", path, path=path)


def clock(now: float, server_time: float | None) -> Finding:
    """The time and its zone; compared with the API's where that is known."""
    local = datetime.fromtimestamp(now, UTC).astimezone()
    words = f"{local:%Y-%m-%d %H:%M} {local.tzname()} (answers date by Asia/Tokyo)"
    facts = {"time": local.isoformat(timespec="seconds"), "zone": local.tzname()}
    advice = "set the clock: wrong dates get into answers, and certificates fail"
    if now < RELEASED.timestamp():
        return wrong("clock", f"{words}: in the past", advice, **facts)
    apart = 0 if server_time is None else round(now - server_time)
    if abs(apart) > MOST_SECONDS_APART:
        way = "ahead of" if apart > 0 else "behind"
        return doubtful("clock", f"{words}: {abs(apart)} s {way} the API's", advice, **facts)
    return good("clock", words, **facts)


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return found[0] if found is not None else requirement


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
